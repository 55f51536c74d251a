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

/// The proxy's end of a connection with a client: reads only what is asked for, and ends where the client takes too long.
final class ClientStream: Sendable {
    private struct State {
        var phase = StreamHandler.Phase.plain
        /// A read that was begun to hear of the client's end.
        var early: EventLoopFuture<ByteBuffer?>?
        /// What serves the client.
        var task: Task<Void, Never>?
        /// Hears when the client gives up, or the connection is closed.
        var closed: (@Sendable () -> Void)?
        var ends = Ends()
        /// Looks at the time, once it can be over.
        var timer: (task: Scheduled<Void>, end: NIODeadline)?
    }

    /// Until when what is under way has to be over; `nil` where nothing is.
    private struct Ends {
        private var reading, writing: NIODeadline?

        subscript(_ direction: Direction) -> NIODeadline? {
            get { direction == .reading ? self.reading : self.writing }
            set { if direction == .reading { self.reading = newValue } else { self.writing = newValue } }
        }

        var first: NIODeadline? { [self.reading, self.writing].compactMap(\.self).min() }
    }

    /// What the client is waited for.
    private enum Direction {
        case reading
        case writing
    }

    private let stream: StreamChannel
    private let state = Mutex(State())

    /// A connection that was accepted. Called on its event loop.
    init(_ channel: any Channel) throws {
        self.stream = try StreamChannel(accepted: channel, readsAhead: true)
        channel.closeFuture.whenComplete { [weak self] _ in self?.state.withLock { $0.closed }?() }
    }

    deinit { self.state.withLock { $0.timer }?.task.cancel() }

    var channel: any Channel { self.stream.channel }

    private var phase: StreamHandler.Phase { self.state.withLock { $0.phase } }

    /// Has a task serve the client: ``cancel()`` cancels it.
    func serve(in task: Task<Void, Never>) { self.state.withLock { $0.task = task } }

    /// Cancels the task that serves the client.
    func cancel() { self.state.withLock { $0.task }?.cancel() }

    /// What came since the last read; `nil` at the end.
    ///
    /// - Parameter time: What the client has for it, before the connection is closed.
    func read(within time: Duration) async throws -> ByteBuffer? {
        try await self.within(time, .reading) { try await self.read() }
    }

    /// What came since the last read, however long it takes; `nil` at the end.
    private func read() async throws -> ByteBuffer? {
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
        try await self.within(time, .writing) { try await self.stream.write(octets, in: self.phase) }
    }

    /// Writes without waiting, in the order of other writes: for what is small and comes before a response.
    func send(_ octets: ByteBuffer) {
        self.stream.send(octets, in: self.phase)
    }

    /// Has ``onClose(_:)`` hear of the client's end, too, while nothing is read. What comes instead of it is read next.
    func watch() {
        guard self.state.withLock({ $0.early == nil }) else { return }
        let early = self.stream.upcoming(.octets, in: self.phase)
        self.state.withLock { $0.early = early }
        early.whenComplete { [weak self] result in
            if case .success(.some) = result { return }
            self?.state.withLock { $0.closed }?()
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
        let connection = try await self.within(time, .reading) { try await outcome.futureResult.get() }
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

    // MARK: Time

    private func within<Value: Sendable>(
        _ time: Duration, _ direction: Direction, _ body: () async throws -> Value
    ) async throws -> Value {
        self.watchTime(.now() + TimeAmount(time), direction)
        defer { self.state.withLock { $0.ends[direction] = nil } }
        return try await body()
    }

    /// Has the connection closed at a time. A timer that ends before is left to it: event loops search all of their timers to
    /// cancel one.
    private func watchTime(_ end: NIODeadline, _ direction: Direction) {
        let isWatched = self.state.withLock { state in
            state.ends[direction] = end
            return state.timer.map { $0.end <= end } ?? false
        }
        if !isWatched { self.startTimer(end) }
    }

    private func startTimer(_ end: NIODeadline) {
        let task = self.stream.eventLoop.scheduleTask(deadline: end) { [weak self] () -> Void in self?.checkTime() }
        let other = self.state.withLock { state -> Scheduled<Void>? in
            if let timer = state.timer, timer.end <= end { return task }
            defer { state.timer = (task, end) }
            return state.timer?.task
        }
        other?.cancel()
    }

    private func checkTime() {
        let end = self.state.withLock { state in
            state.timer = nil
            return state.ends.first
        }
        guard let end else { return }
        if end <= .now() { self.close() } else { self.startTimer(end) }
    }
}

/// Tells how a handshake ends, and puts HTTP/2 in the place of the stream where the client has chosen it.
private final class HandshakeWaiter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let outcome: EventLoopPromise<HTTP2ClientConnection?>
    private let stream: StreamHandler
    private let limits: HTTP2ServerLimits

    init(_ outcome: EventLoopPromise<HTTP2ClientConnection?>, _ stream: StreamHandler, limits: HTTP2ServerLimits) {
        self.outcome = outcome
        self.stream = stream
        self.limits = limits
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
