//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

/// Reads the hello of a client, adds the TLS handler with the context that is for it, and reads what this server chooses as it is
/// sent, as the TLS handler does not tell the cipher suite.
final class ClientHelloTap: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// A hello comes in one to three segments. Each time all of it is read again, so that a client that sends single octets
    /// is not waited for, and gets a context of its own.
    private static let maximumReadCount = 8

    private let handshake: ClientHandshake
    private var search = ServerHelloSearch()
    /// What has come of the hello.
    private var pending = ByteBuffer()
    private var readCount = 0
    private var hasTLS = false

    init(_ handshake: ClientHandshake) {
        self.handshake = handshake
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.handshake.onEnd = { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        (self.handshake.onEnd, self.handshake.tls) = (nil, nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasTLS else {
            context.fireChannelRead(data)
            return
        }
        self.pending.writeImmutableBuffer(self.unwrapInboundIn(data))
        self.readCount += 1
        let hello: ReceivedClientHello?
        switch try? ReceivedClientHello.read(Array(self.pending.readableBytesView)) {
        case .unfinished where self.readCount < Self.maximumReadCount: return
        case .finished(let finished): hello = finished
        // BoringSSL says what is wrong with it.
        case .unfinished, .notTLS, nil: hello = nil
        }
        self.begin(context, hello)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .serverHello(let hello)? = self.search.read(self.unwrapOutboundIn(data)) {
            self.handshake.serverHello = hello
        }
        context.write(data, promise: promise)
    }

    private func begin(_ context: ChannelHandlerContext, _ hello: ReceivedClientHello?) {
        self.hasTLS = true
        do {
            let tls = try self.handshake.makeTLSHandler(for: hello)
            try context.pipeline.syncOperations.addHandler(tls, position: .after(self))
        } catch {
            context.fireErrorCaught(error)
            return
        }
        context.fireChannelRead(self.wrapInboundOut(self.pending))
        self.pending = ByteBuffer()
    }
}
