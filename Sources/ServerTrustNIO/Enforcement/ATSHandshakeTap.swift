//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSParameters

/// Reads what the server chose, in front of the TLS handler, which tells neither the cipher suite nor why a server refuses.
final class ATSHandshakeTap: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handshake: ATSHandshake
    private var reader: ServerHelloReader? = ServerHelloReader()

    init(_ handshake: ATSHandshake) {
        self.handshake = handshake
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let finding = self.reader?.read(self.unwrapInboundIn(data)) else {
            context.fireChannelRead(data)
            return
        }
        self.reader = nil
        switch finding {
        case .serverHello(let hello): self.handshake.serverHello = hello
        case .alert(let number): self.handshake.alert = TLSAlertDescription(rawValue: number)
        case .nothing: break
        case .notTLS:
            // BoringSSL would wait for the rest of a record.
            self.handshake.isNotTLS = true
            context.fireErrorCaught(NotTLSError())
            return
        }
        context.fireChannelRead(data)
    }
}
