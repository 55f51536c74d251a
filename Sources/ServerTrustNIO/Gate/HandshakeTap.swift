//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

/// Reads what the server chose, in front of the TLS handler, which tells neither the cipher suite nor why a server refuses.
///
/// While the program's handler decides, which may take long, nothing more is read: a server cannot fill the memory meanwhile.
final class HandshakeTap: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let handshake: GateHandshake
    private let tls: NIOSSLHandler
    private var search = ServerHelloSearch()
    private var isPaused = false
    private var holdsRead = false

    init(_ handshake: GateHandshake, before tls: NIOSSLHandler) {
        (self.handshake, self.tls) = (handshake, tls)
    }

    // The TLS handler's callback keeps the handshake, which may keep neither it nor what keeps it for longer than the pipeline.
    func handlerAdded(context: ChannelHandlerContext) {
        self.handshake.tls = self.tls
        self.handshake.onPause = { isPaused in self.pause(isPaused, context) }
        self.handshake.onEnd = { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        (self.handshake.tls, self.handshake.onPause, self.handshake.onEnd) = (nil, nil, nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.search.read(self.unwrapInboundIn(data)) {
        case .serverHello(let hello): self.handshake.choice = ServerChoice(hello)
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

    func read(context: ChannelHandlerContext) {
        if self.isPaused { self.holdsRead = true } else { context.read() }
    }

    private func pause(_ isPaused: Bool, _ context: ChannelHandlerContext) {
        self.isPaused = isPaused
        guard !isPaused, self.holdsRead else { return }
        self.holdsRead = false
        context.read()
    }
}
