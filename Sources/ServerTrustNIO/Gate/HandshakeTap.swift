//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

/// A handshake that the tap in front of its TLS handler observes.
protocol TappedHandshake: GatedHandshake {
    /// The TLS handler while it is in the pipeline. A proxy's TLS handler may be in front of it.
    var tls: NIOSSLHandler? { get set }
    /// Called when a slow decision begins and when it ends.
    var onPause: ((_ isPaused: Bool) -> Void)? { get set }
    /// Called when the handshake is no longer needed.
    var onEnd: (() -> Void)? { get set }
    /// The channel while the TLS handler is in its pipeline.
    var channel: (any Channel)? { get set }

    /// Takes note of octets from the server before TLS reads them.
    ///
    /// - Parameters:
    ///   - octets: The octets.
    ///   - finding: The ServerHello, or the message in its place, reported once.
    /// - Returns: The error that ends the handshake before TLS reads these octets, or `nil` if it goes on.
    func receive(_ octets: ByteBuffer, _ finding: ServerHelloSearch.Finding?) -> (any Error)?

    /// Takes note of octets to the server.
    func send(_ octets: ByteBuffer)

    /// Looks at the server before the channel connects to it.
    ///
    /// - Returns: The end of the look, or `nil` if there is no look.
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

/// The handler in front of TLS that reads the ServerHello, and stops reading during a slow decision.
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

    // The TLS handler's callback retains the handshake. To avoid a cycle, the handshake retains the TLS handler and the tap only
    // while they are in the pipeline.
    func handlerAdded(context: ChannelHandlerContext) {
        (self.handshake.tls, self.handshake.channel) = (self.tls, context.channel)
        self.handshake.onPause = { isPaused in self.pause(isPaused, context) }
        self.handshake.onEnd = { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        (self.handshake.tls, self.handshake.channel) = (nil, nil)
        (self.handshake.onPause, self.handshake.onEnd) = (nil, nil)
    }

    /// Looks at the server before it connects. Some servers serve one connection at a time, so a look during the handshake would
    /// wait for its end.
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
    /// Adds TLS with its tap in front and its gate behind. On an open connection this starts the handshake.
    ///
    /// - Parameters:
    ///   - handshake: The handshake.
    ///   - context: The TLS context with the offer.
    ///   - serverName: The name for server name indication, or `nil` to send none.
    ///   - position: The position of the three handlers.
    ///   - judge: The only judge of the certificates.
    func addTLS(
        _ handshake: some TappedHandshake, _ context: NIOSSLContext, serverName: String?,
        position: Position = .last, judgedBy judge: @escaping ClientTLS.Judge
    ) throws {
        let tls = try ClientTLS.handler(context, serverName: serverName, judgedBy: judge)
        try self.addHandlers([HandshakeTap(handshake, before: tls), tls, GateHandler(handshake)], position: position)
    }
}
