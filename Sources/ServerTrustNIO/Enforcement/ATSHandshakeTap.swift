//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSWire

/// Reads what the server chose, in front of the TLS handler, which tells neither the cipher suite nor why a server refuses.
final class ATSHandshakeTap: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handshake: ATSHandshake
    private var search = ServerHelloSearch()

    init(_ handshake: ATSHandshake) {
        self.handshake = handshake
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.search.read(self.unwrapInboundIn(data)) {
        case .serverHello(let hello): self.handshake.serverHello = hello
        case .alert(let alert): self.handshake.alert = alert
        case .nothing, nil: break
        case .notTLS:
            // BoringSSL would wait for the rest of a record.
            self.handshake.isNotTLS = true
            context.fireErrorCaught(NotTLSError())
            return
        }
        context.fireChannelRead(data)
    }
}
