//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import NIOHTTP2

/// The program's end of a connection of HTTP/2: opens streams, hears what the server says about the connection, and asks whether
/// it is still there.
///
/// Behind the handler of frames. Used on the event loop of its channel only.
final class HTTP2ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// How many requests the connection takes now.
    enum Capacity: Equatable {
        case streams(Int)
        /// No more: those that run are the last.
        case none
    }

    /// Stream identifiers end at 2^31 (RFC 9113 §5.1.1): a connection is given up long before.
    private static let streamLimit = 1 << 29
    /// What is assumed before a server says how many streams it takes (RFC 9113 §6.5.2).
    private static let assumedStreams = 100

    private let limits: Exchange.Limits
    private let http2: NIOHTTP2Handler
    private var context: ChannelHandlerContext?
    private var streamCount = 0
    private(set) var openStreams: [ObjectIdentifier: HTTP2StreamHandler] = [:]
    private(set) var capacity = Capacity.streams(assumedStreams)
    /// Whether streams may become those of another protocol (RFC 8441 §3).
    private(set) var takesExtendedConnect = false
    /// Whether the table of fields that the server asks for is small enough to be filled.
    private(set) var keepsFields = true
    /// The last stream that the server has done anything with; `nil` as long as it goes on.
    private var lastProcessed: Int?
    /// Why the connection ends; `nil` where the server just closed it.
    private(set) var failure: HTTP2Fault?
    /// Whether the server has said what it has to say first (§3.4).
    private var hasSettings = false
    private var settingsWaiters: [() -> Void] = []
    private var hasHeard = false
    private var awaitsPing = false
    private var timer: Scheduled<Void>?
    /// Hears when the capacity changes.
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

    /// Opens a stream for a request; `nil` where the connection takes no more.
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
            // The library makes streams later than they are asked for, also on a connection that has ended meanwhile, which
            // tells such a stream nothing.
            case .success(let channel): if self.context?.channel.isActive != true { channel.close(promise: nil) }
            }
        }
        multiplexer.createStreamChannel(promise: created) { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
        }
        if self.streamCount >= Self.streamLimit { self.change(.none) }
        return handler.exchange
    }

    /// Why there is no stream for a request: a server that does not speak HTTP/2 is not asked again.
    var refusal: HTTPExchangeError {
        guard !self.hasSettings, let failure else { return .notProcessed(self.failure) }
        return .violation(failure)
    }

    func closed(_ stream: HTTP2StreamHandler) {
        self.openStreams[ObjectIdentifier(stream)] = nil
        if self.openStreams.isEmpty, self.capacity == .none { self.close() }
    }

    /// Whether the server says that it has done nothing with a stream (RFC 9113 §6.8).
    func isUnprocessed(_ stream: Int) -> Bool { self.lastProcessed.map { stream > $0 } ?? false }

    // MARK: What the server says

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

    /// Does what depends on what the server says first, once it has.
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
            // A server has nothing to be sent (§6.5.2).
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
        // A frame of a stream that has just been ended here (RFC 9113 §5.1) says nothing about the server.
        if error is NIOHTTP2Errors.StreamClosed { return }
        guard error is any NIOHTTP2Error || error is HTTP2Fault else { return self.end(with: error) }
        self.end(with: HTTP2Fault(error))
    }

    /// Ends a connection that broke, or that TLS found tampered with or cut.
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

    /// Ends the connection with a reason, which its streams then have.
    func end(with fault: HTTP2Fault) {
        if self.failure == nil { self.failure = fault }
        self.change(.none)
        // The end of TLS takes the peer's part, for which nothing waits.
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

    /// Says goodbye before the connection is closed here (RFC 9113 §6.8).
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all, self.failure == nil, context.channel.isActive {
            let payload = HTTP2Frame.FramePayload.goAway(
                lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
            context.writeAndFlush(
                self.wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
        }
        context.close(mode: mode, promise: promise)
    }

    // MARK: Whether it is there

    private func watch() {
        guard let eventLoop = self.context?.eventLoop else { return }
        self.timer = eventLoop.assumeIsolated().scheduleTask(in: self.limits.silence) { self.check() }
    }

    /// Asks a server that was silent for a while whether it is there, and ends the connection where it was asked before.
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
    /// Adds what speaks HTTP/2, behind the gate.
    func addHTTP2Handlers(limits: Exchange.Limits) throws -> HTTP2ConnectionHandler {
        let configuration = HTTP2Configuration.client(headSize: limits.reader.headSize)
        // A server opens no streams: push is refused.
        let http2 = configuration.handler(on: self.eventLoop, HTTP2StreamWatch()) { $0.close() }
        let handler = HTTP2ConnectionHandler(http2, limits: limits)
        try self.addHandlers([HTTP2FrameMeter(.client), http2, handler], position: .last)
        return handler
    }
}
