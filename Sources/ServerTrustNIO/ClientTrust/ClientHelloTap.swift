//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

/// The handler that reads a client's ClientHello and adds the TLS handler with the right context. It also reads this server's
/// ServerHello, because the TLS handler does not show the cipher suite.
final class ClientHelloTap: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// A ClientHello comes in one to three segments, and each read parses it from the start. After eight reads a client that sends
    /// single octets is no longer waited for, and gets a context of its own.
    private static let maximumReadCount = 8

    private let handshake: ClientHandshake
    private var search = ServerHelloSearch()
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
        // BoringSSL reports the fault.
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
