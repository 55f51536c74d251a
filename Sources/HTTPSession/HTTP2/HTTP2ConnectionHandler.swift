//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import NIOHTTP2

/// The client's side of an HTTP/2 connection, which opens streams, receives the connection's frames, and detects a dead connection.
///
/// Its place in the pipeline is after the HTTP/2 frame handler. It must be used only on the event loop of its channel.
final class HTTP2ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The number of concurrent requests that the connection accepts.
    enum Capacity: Equatable {
        case streams(Int)
        /// The connection accepts no further requests.
        case none
    }

    /// The maximum number of streams. Stream identifiers end at 2^31 (RFC 9113 §5.1.1), and a connection is replaced long before.
    private static let streamLimit = 1 << 29
    /// The number of concurrent streams that is assumed before the server's SETTINGS frame (RFC 9113 §6.5.2).
    private static let assumedStreams = 100

    private let limits: Exchange.Limits
    private let http2: NIOHTTP2Handler
    private var context: ChannelHandlerContext?
    private var streamCount = 0
    private(set) var openStreams: [ObjectIdentifier: HTTP2StreamHandler] = [:]
    private(set) var capacity = Capacity.streams(assumedStreams)
    /// `true` if the server accepts other protocols on streams (RFC 8441 §3).
    private(set) var takesExtendedConnect = false
    /// `true` if the header table size that the server requests is small enough to be used.
    private(set) var keepsFields = true
    /// The last stream that the server has processed according to its GOAWAY, or `nil` without one.
    private var lastProcessed: Int?
    /// The error that ended the connection, or `nil` if the server closed it without one.
    private(set) var failure: HTTP2Fault?
    /// `true` if the server has sent its SETTINGS frame (§3.4).
    private var hasSettings = false
    private var settingsWaiters: [() -> Void] = []
    private var hasHeard = false
    private var awaitsPing = false
    private var timer: Scheduled<Void>?
    /// The closure that is called when the capacity changes.
    var onChange: ((Capacity) -> Void)?

    init(_ http2: NIOHTTP2Handler, limits: Exchange.Limits) { (self.http2, self.limits) = (http2, limits) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.watch()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.timer = nil
        self.context = nil
    }

    // MARK: Streams

    /// Opens a stream for a request, or returns `nil` if the connection accepts no more.
    func openStream() -> Exchange? {
        guard let context, context.channel.isActive, self.capacity != .none, self.failure == nil else { return nil }
        let handler = HTTP2StreamHandler(self, on: context.eventLoop, limits: self.limits)
        let bound = NIOLoopBound(handler, eventLoop: context.eventLoop)
        guard let multiplexer = try? self.http2.syncMultiplexer() else { return nil }
        self.streamCount += 1
        self.openStreams[ObjectIdentifier(handler)] = handler
        let created = context.eventLoop.makePromise(of: (any Channel).self)
        created.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .failure: handler.end(self.refusal)
            // The library creates streams later, even on a connection that has ended in the meantime, and does not notify
            // such a stream.
            case .success(let channel): if self.context?.channel.isActive != true { channel.close(promise: nil) }
            }
        }
        multiplexer.createStreamChannel(promise: created) { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
        }
        if self.streamCount >= Self.streamLimit { self.change(.none) }
        return handler.exchange
    }

    /// The error for a request without a stream. A server that failed before its SETTINGS frame is not tried again.
    var refusal: HTTPExchangeError {
        guard !self.hasSettings, let failure else { return .notProcessed(self.failure) }
        return .violation(failure)
    }

    func closed(_ stream: HTTP2StreamHandler) {
        self.openStreams[ObjectIdentifier(stream)] = nil
        if self.openStreams.isEmpty, self.capacity == .none { self.close() }
    }

    /// Returns `true` if the server's GOAWAY states that it has not processed a stream (RFC 9113 §6.8).
    func isUnprocessed(_ stream: Int) -> Bool { self.lastProcessed.map { stream > $0 } ?? false }

    // MARK: Frames of the server

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)): self.receive(settings)
        case .goAway(let last, let code, _): self.receiveGoAway(Int(last), code)
        case .ping(_, ack: true): self.awaitsPing = false
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.hasHeard = true
        context.fireChannelReadComplete()
    }

    /// Runs a closure after the server's SETTINGS frame has arrived.
    func afterSettings(_ body: @escaping () -> Void) {
        if self.hasSettings { body() } else { self.settingsWaiters.append(body) }
    }

    private func receive(_ settings: HTTP2Settings) {
        self.hasSettings = true
        for setting in settings {
            switch setting.parameter {
            case .maxConcurrentStreams where self.capacity != .none:
                self.change(.streams(min(max(setting.value, 1), 1 << 16)))
            case .headerTableSize: self.keepsFields = setting.allowsKeptFields ?? self.keepsFields
            // A client accepts no server push, so that a server must not enable it (§6.5.2).
            case .enablePush where setting.value != 0:
                self.end(with: .frames("it turned push on, which a server must not (RFC 9113, section 6.5.2)"))
            case .enableConnectProtocol: self.takesExtendedConnect = setting.value == 1
            default: break
            }
        }
        let waiters = self.settingsWaiters
        self.settingsWaiters = []
        for waiter in waiters { waiter() }
    }

    private func receiveGoAway(_ last: Int, _ code: HTTP2ErrorCode) {
        self.lastProcessed = min(last, self.lastProcessed ?? last)
        if code != .noError, self.failure == nil { self.failure = .goAway(code) }
        self.change(.none)
        for stream in self.openStreams.values { stream.turnAway() }
        if self.openStreams.isEmpty { self.close() }
    }

    private func change(_ capacity: Capacity) {
        guard self.capacity != capacity else { return }
        self.capacity = capacity
        self.onChange?(capacity)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A frame for a stream that the client has just closed (RFC 9113 §5.1) is not an error of the server.
        if error is NIOHTTP2Errors.StreamClosed { return }
        guard error is any NIOHTTP2Error || error is HTTP2Fault else { return self.end(with: error) }
        self.end(with: HTTP2Fault(error))
    }

    /// Ends a broken connection, or one on which TLS has detected manipulation or truncation.
    private func end(with error: any Error) {
        self.change(.none)
        for stream in self.openStreams.values { stream.fail(with: error) }
        self.close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.settingsWaiters = []
        self.change(.none)
        for stream in self.openStreams.values { stream.turnAway() }
        context.fireChannelInactive()
    }

    /// Ends the connection with a fault, which becomes the error of its streams.
    func end(with fault: HTTP2Fault) {
        if self.failure == nil { self.failure = fault }
        self.change(.none)
        // A TLS closure waits for the peer, so that the streams fail at once without waiting for it.
        let streams = self.openStreams.values
        self.context?.eventLoop.assumeIsolated().execute {
            for stream in streams { stream.exchange.fail(HTTPExchangeError.violation(fault)) }
        }
        self.close()
    }

    private func close() {
        guard let channel = self.context?.channel else { return }
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    /// Sends GOAWAY before the connection is closed locally (RFC 9113 §6.8).
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all, self.failure == nil, context.channel.isActive {
            let payload = HTTP2Frame.FramePayload.goAway(
                lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
            context.writeAndFlush(
                self.wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
        }
        context.close(mode: mode, promise: promise)
    }

    // MARK: Liveness

    private func watch() {
        guard let eventLoop = self.context?.eventLoop else { return }
        self.timer = eventLoop.assumeIsolated().scheduleTask(in: self.limits.silence) { self.check() }
    }

    /// Sends a PING to a silent server, or ends the connection if the previous PING was not answered.
    private func check() {
        guard let context, context.channel.isActive else { return }
        defer { self.watch() }
        if self.hasHeard {
            self.hasHeard = false
            self.awaitsPing = false
        } else if self.awaitsPing {
            self.end(with: .silent(self.limits.silence))
        } else {
            self.awaitsPing = true
            let ping = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false))
            context.writeAndFlush(self.wrapOutboundOut(ping), promise: nil)
        }
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds the handlers of HTTP/2 after the gate.
    func addHTTP2Handlers(limits: Exchange.Limits) throws -> HTTP2ConnectionHandler {
        let configuration = HTTP2Configuration.client(headSize: limits.reader.headSize)
        // Server push is disabled, so that a stream opened by the server is closed.
        let http2 = configuration.handler(on: self.eventLoop, HTTP2StreamWatch()) { $0.close() }
        let handler = HTTP2ConnectionHandler(http2, limits: limits)
        try self.addHandlers([HTTP2FrameMeter(.client), http2, handler], position: .last)
        return handler
    }
}
