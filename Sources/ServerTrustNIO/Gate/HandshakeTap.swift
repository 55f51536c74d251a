//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

/// A handshake as the tap before its TLS handler shows it.
protocol TappedHandshake: GatedHandshake {
    /// The TLS handler, while it is in the pipeline; there may be another one in front, with a proxy.
    var tls: NIOSSLHandler? { get set }
    /// Hears when the program's handler begins to decide, and when it has.
    var onPause: ((_ isPaused: Bool) -> Void)? { get set }
    /// Hears that nothing more is needed of the handshake.
    var onEnd: (() -> Void)? { get set }
    /// The channel, while the TLS handler is in its pipeline.
    var channel: (any Channel)? { get set }

    /// Takes note of octets from the server before TLS has them.
    ///
    /// - Parameters:
    ///   - octets: The octets.
    ///   - finding: The ServerHello or what came in its place, once.
    /// - Returns: The error that ends the handshake, of which TLS gets no more; `nil` for none.
    func receive(_ octets: ByteBuffer, _ finding: ServerHelloSearch.Finding?) -> (any Error)?

    /// Takes note of octets to the server.
    func send(_ octets: ByteBuffer)

    /// Looks at the server before the channel connects to it.
    ///
    /// - Returns: The end of the look; `nil` for none.
    func lookFirst(at address: SocketAddress, on eventLoop: any EventLoop) -> EventLoopFuture<Void>?
}

extension TappedHandshake {
    var channel: (any Channel)? {
        get { nil }
        set {}
    }

    func send(_ octets: ByteBuffer) {}
    func lookFirst(at address: SocketAddress, on eventLoop: any EventLoop) -> EventLoopFuture<Void>? { nil }
}

/// Reads the ServerHello on its way to TLS, and stops reading while the program's handler decides.
///
/// It leaves the pipeline once the connection is let through.
final class HandshakeTap: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let handshake: any TappedHandshake
    private let tls: NIOSSLHandler
    private var search = ServerHelloSearch()
    private var isPaused = false
    private var holdsRead = false

    init(_ handshake: any TappedHandshake, before tls: NIOSSLHandler) {
        self.handshake = handshake
        self.tls = tls
    }

    // The TLS handler's callback keeps the handshake, which may keep neither it nor what keeps it for longer than the pipeline.
    func handlerAdded(context: ChannelHandlerContext) {
        (self.handshake.tls, self.handshake.channel) = (self.tls, context.channel)
        self.handshake.onPause = { isPaused in self.pause(isPaused, context) }
        self.handshake.onEnd = { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        (self.handshake.tls, self.handshake.channel) = (nil, nil)
        (self.handshake.onPause, self.handshake.onEnd) = (nil, nil)
    }

    /// Some servers serve one connection at a time: a look during the handshake would wait for its end.
    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        guard let look = self.handshake.lookFirst(at: address, on: context.eventLoop) else {
            return context.connect(to: address, promise: promise)
        }
        look.assumeIsolated().whenComplete { _ in context.connect(to: address, promise: promise) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let octets = self.unwrapInboundIn(data)
        if let error = self.handshake.receive(octets, self.search.read(octets)) {
            context.fireErrorCaught(error)
        } else {
            context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.handshake.send(self.unwrapOutboundIn(data))
        context.write(data, promise: promise)
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

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS with its tap in front and its gate behind, which starts the handshake on a connection.
    ///
    /// - Parameters:
    ///   - handshake: The handshake.
    ///   - context: The offer.
    ///   - serverName: The name in server name indication; `nil` sends none.
    ///   - position: The place of the three.
    ///   - judge: The judge of the certificates, and the only one.
    func addTLS(
        _ handshake: some TappedHandshake, _ context: NIOSSLContext, serverName: String?,
        position: Position = .last, judgedBy judge: @escaping ClientTLS.Judge
    ) throws {
        let tls = try ClientTLS.handler(context, serverName: serverName, judgedBy: judge)
        try self.addHandlers([HandshakeTap(handshake, before: tls), tls, GateHandler(handshake)], position: position)
    }
}
