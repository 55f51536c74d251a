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

/// The proxy's side of a client connection. It reads only on demand and closes the connection if the client takes too long.
final class ClientStream: Sendable {
    private struct State {
        var phase = StreamHandler.Phase.plain
        /// A read that was started early to detect the end of the client.
        var early: EventLoopFuture<ByteBuffer?>?
        var task: Task<Void, Never>?
        var closed: (@Sendable () -> Void)?
        var ends = Ends()
        var timer: (task: Scheduled<Void>, end: NIODeadline)?
    }

    /// The deadlines of the operations in progress, or `nil` for operations that are not.
    private struct Ends {
        private var reading, writing: NIODeadline?

        subscript(_ direction: Direction) -> NIODeadline? {
            get { direction == .reading ? self.reading : self.writing }
            set { if direction == .reading { self.reading = newValue } else { self.writing = newValue } }
        }

        var first: NIODeadline? { [self.reading, self.writing].compactMap(\.self).min() }
    }

    /// The direction of an operation that waits for the client.
    private enum Direction {
        case reading
        case writing
    }

    private let stream: StreamChannel
    private let state = Mutex(State())

    /// Creates the stream of an accepted connection. Must be called on its event loop.
    init(_ channel: any Channel) throws {
        self.stream = try StreamChannel(accepted: channel, readsAhead: true)
        channel.closeFuture.whenComplete { [weak self] _ in self?.state.withLock { $0.closed }?() }
    }

    deinit { self.state.withLock { $0.timer }?.task.cancel() }

    var channel: any Channel { self.stream.channel }

    private var phase: StreamHandler.Phase { self.state.withLock { $0.phase } }

    func serve(in task: Task<Void, Never>) { self.state.withLock { $0.task = task } }

    func cancel() { self.state.withLock { $0.task }?.cancel() }

    /// Returns the octets received since the last read, or `nil` at the end.
    ///
    /// - Parameter time: The time limit for the client, after which the connection is closed.
    func read(within time: Duration) async throws -> ByteBuffer? {
        try await self.within(time, .reading) { try await self.read() }
    }

    /// Returns the octets received since the last read without a time limit, or `nil` at the end.
    private func read() async throws -> ByteBuffer? {
        if let early = self.state.withLock({ state in
            defer { state.early = nil }
            return state.early
        }) {
            return try await early.get()
        }
        return try await self.stream.next(.octets, in: self.phase)
    }

    /// Writes octets and waits until the operating system has accepted all of them.
    func write(_ octets: ByteBuffer, within time: Duration) async throws {
        try await self.within(time, .writing) { try await self.stream.write(octets, in: self.phase) }
    }

    /// Writes octets without waiting, in order with other writes. It is meant for small parts before a response.
    func send(_ octets: ByteBuffer) {
        self.stream.send(octets, in: self.phase)
    }

    /// Starts a read, so that the closure of ``onClose(_:)`` is also called when the client ends. Octets that arrive instead are
    /// returned by the next read.
    func watch() {
        guard self.state.withLock({ $0.early == nil }) else { return }
        let early = self.stream.upcoming(.octets, in: self.phase)
        self.state.withLock { $0.early = early }
        early.whenComplete { [weak self] result in
            if case .success(.some) = result { return }
            self?.state.withLock { $0.closed }?()
        }
    }

    /// Sets the closure that is called when either side closes the connection, or removes it if it is `nil`.
    func onClose(_ closed: (@Sendable () -> Void)?) {
        self.state.withLock { $0.closed = closed }
        if !self.channel.isActive { closed?() }
    }

    /// Starts TLS as the server after everything that was written in plaintext.
    ///
    /// - Parameters:
    ///   - context: The TLS context of the server.
    ///   - limits: The limits for a client that negotiates HTTP/2.
    ///   - time: The time limit for the handshake.
    /// - Returns: The HTTP/2 connection if the client has negotiated it. This stream must then not be used.
    /// - Throws: `SecureStreamError` if there are unread octets, or the error of the handshake.
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

    /// Closes the connection for writing and reads the rest of the client's data. A client that is still sending would otherwise
    /// lose the answer (RFC 9112 §9.6).
    func drain() async {
        var left = Self.drainedSize
        do {
            try await self.stream.finishWriting(in: self.phase)
            while left > 0, let octets = try await self.read(within: Self.drainTime) { left -= octets.readableBytes }
        } catch {
            // The client has closed the connection.
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

    /// Closes the connection at a deadline. An earlier timer is kept and reschedules itself, because event loops search all timers
    /// to cancel one.
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

/// A handler that reports the outcome of a handshake and replaces the stream with HTTP/2 if the client has negotiated it.
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
            // The stream after this handler must receive the event first, because the waiting task may read at once.
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

    /// Replaces the stream with HTTP/2 at once, because the first frames may arrive with the end of the handshake.
    private func beginHTTP2(_ context: ChannelHandlerContext) throws -> HTTP2ClientConnection {
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(self.stream, promise: nil)
        // A client that has closed its side makes no further requests, and HTTP/2 streams have their own ends.
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
