//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import NIOSSL
import NIOTLS
import ServerTrustNIO
import Synchronization

/// The proxy's end of a connection with a client, or with the server of a tunnel that passes: reads only what is asked for, and ends where the other
/// end takes too long.
final class ClientStream: Sendable {
    private struct State {
        var phase = StreamHandler.Phase.plain
        /// A read that was begun to hear of the client's end.
        var early: EventLoopFuture<ByteBuffer?>?
        /// Hears when the connection is closed.
        var closed: (@Sendable () -> Void)?
    }

    private let stream: StreamChannel
    private let state = Mutex(State())

    /// A connection that was accepted. Called on its event loop.
    init(_ channel: any Channel) throws {
        self.stream = try StreamChannel(accepted: channel)
        channel.closeFuture.whenComplete { [weak self] _ in self?.state.withLock { $0.closed }?() }
    }

    var channel: any Channel { self.stream.channel }

    private var phase: StreamHandler.Phase { self.state.withLock { $0.phase } }

    /// What came since the last read; `nil` at the end.
    ///
    /// - Parameter time: What the client has for it, before the connection is closed.
    func read(within time: Duration) async throws -> ByteBuffer? {
        try await self.within(time) { try await self.read() }
    }

    /// What came since the last read, however long it takes; `nil` at the end.
    func read() async throws -> ByteBuffer? {
        if let early = self.state.withLock({ state in
            defer { state.early = nil }
            return state.early
        }) {
            return try await early.get()
        }
        return try await self.stream.next(.octets, in: self.phase)
    }

    /// Writes, and waits until the operating system has taken everything.
    func write(_ octets: ByteBuffer, within time: Duration) async throws {
        try await self.within(time) { try await self.stream.write(octets, in: self.phase) }
    }

    /// Says that nothing more is written. What comes is still read.
    func finishWriting(within time: Duration) async throws {
        try await self.within(time) { try await self.stream.finishWriting(in: self.phase) }
    }

    /// Writes without waiting, in the order of other writes: for what is small and comes before a response.
    func send(_ octets: ByteBuffer) {
        self.stream.send(octets, in: self.phase)
    }

    /// Hears of the end of the connection while nothing is read. What comes instead of it is read next.
    func watch(_ ended: @escaping @Sendable () -> Void) {
        let early = self.state.withLock { state -> EventLoopFuture<ByteBuffer?>? in
            guard state.early == nil else { return nil }
            state.early = self.stream.upcoming(.octets, in: state.phase)
            return state.early
        }
        early?.whenComplete { result in
            if case .success(.some) = result { return }
            ended()
        }
    }

    /// Says who hears that the connection is closed, on either side; `nil` for nothing.
    func onClose(_ closed: (@Sendable () -> Void)?) {
        self.state.withLock { $0.closed = closed }
        if !self.channel.isActive { closed?() }
    }

    /// Begins TLS as the server, behind everything that was said in plain.
    ///
    /// - Parameters:
    ///   - context: The TLS of the server.
    ///   - limits: How much the client may take up over HTTP/2.
    ///   - time: What the client has for the handshake.
    /// - Returns: The connection of HTTP/2, where the client has chosen it: nothing is read or written here then.
    /// - Throws: `SecureStreamError` where octets came that were not read; the error of the handshake.
    func beginTLS(
        _ context: NIOSSLContext, limits: HTTP2ServerLimits, within time: Duration
    ) async throws -> HTTP2ClientConnection? {
        let outcome = self.stream.eventLoop.makePromise(of: HTTP2ClientConnection?.self)
        let channel = self.stream.channel
        self.stream.onLoop { handler in
            do {
                try handler.beginHandshake { pipeline in
                    try pipeline.addHandler(NIOSSLServerHandler(context: context), position: .before(handler))
                    try pipeline.addHandler(
                        HandshakeWaiter(outcome, handler, limits: limits), position: .before(handler))
                }
            } catch {
                outcome.fail(error)
                channel.close(promise: nil)
            }
        }
        let connection = try await self.within(time) { try await outcome.futureResult.get() }
        self.state.withLock { $0.phase = .secure }
        return connection
    }

    /// Ends the connection behind what was written, and reads what is on its way: a client that is still sending would lose the
    /// answer otherwise (RFC 9112 §9.6).
    func drain() async {
        var left = Self.drainedSize
        do {
            try await self.stream.finishWriting(in: self.phase)
            while left > 0, let octets = try await self.read(within: Self.drainTime) { left -= octets.readableBytes }
        } catch {
            // The client has gone.
        }
    }

    private static let drainedSize = 1 << 20
    private static let drainTime = Duration.seconds(2)

    func close() { self.channel.close(promise: nil) }

    private func within<Value: Sendable>(_ time: Duration, _ body: () async throws -> Value) async throws -> Value {
        let timer = self.stream.eventLoop.scheduleTask(in: TimeAmount(time)) { self.close() }
        defer { timer.cancel() }
        return try await body()
    }
}

/// Tells how a handshake ends, and puts HTTP/2 in the place of the stream where the client has chosen it.
private final class HandshakeWaiter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let outcome: EventLoopPromise<HTTP2ClientConnection?>
    private let stream: StreamHandler
    private let limits: HTTP2ServerLimits

    init(_ outcome: EventLoopPromise<HTTP2ClientConnection?>, _ stream: StreamHandler, limits: HTTP2ServerLimits) {
        (self.outcome, self.stream, self.limits) = (outcome, stream, limits)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let negotiated) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard negotiated == "h2" else {
            // The stream behind this handler hears of it first: what waits may read at once.
            context.fireUserInboundEventTriggered(event)
            return self.outcome.succeed(nil)
        }
        do {
            self.outcome.succeed(try self.beginHTTP2(context))
        } catch {
            self.outcome.fail(error)
            context.close(promise: nil)
        }
    }

    /// At once: the first frames may come with the end of the handshake.
    private func beginHTTP2(_ context: ChannelHandlerContext) throws -> HTTP2ClientConnection {
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(self.stream, promise: nil)
        // A client that sends no more asks for nothing more, and the streams have their own ends.
        try context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
        let connection = try pipeline.addHTTP2ServerHandlers(limits: self.limits)
        context.read()
        return connection
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.outcome.fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.outcome.fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.outcome.fail(ChannelError.ioOnClosedChannel) }
}
