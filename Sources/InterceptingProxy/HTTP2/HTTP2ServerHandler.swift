//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import NIOCore
import NIOHTTP2
import NIOSSL
import ServerTrustNIO

/// The proxy's end of a connection of HTTP/2: hears of requests, counts them, and ends the connection.
///
/// Behind the handler of frames. Used on the event loop of its channel only.
final class HTTP2ServerHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let limits: HTTP2ServerLimits
    private let requests: AsyncStream<HTTP2ClientRequest>.Continuation
    private let resets: HTTP2EarlyReset
    private var context: ChannelHandlerContext?
    /// The requests whose tasks run: a task ends after its stream, so that streams alone do not tell.
    private var running = 0
    /// The requests whose answer is not sent to its end.
    private var unanswered = 0
    private var openStreams = 0
    private var lastStream = HTTP2StreamID.rootStream
    private var allowance = HTTP2RequestAllowance()
    /// Those that were not taken.
    private var refusals = HTTP2RequestAllowance()
    /// Whether the table of fields that the client asks for is small enough to be filled.
    private(set) var keepsFields = true
    private var isStopping = false
    /// Whether the client has said what it has to say first (RFC 9113 §3.4).
    private var hasSettings = false
    private var timer: Scheduled<Void>?
    /// Why the connection ends; `nil` where it just ends.
    private(set) var problem: String?

    init(
        _ limits: HTTP2ServerLimits, requests: AsyncStream<HTTP2ClientRequest>.Continuation, resets: HTTP2EarlyReset
    ) {
        self.limits = limits
        self.requests = requests
        self.resets = resets
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.wait(self.limits.headTime)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.end() }

    func channelInactive(context: ChannelHandlerContext) {
        if self.unanswered > 0, !self.isStopping {
            self.problem = "the client went away before its requests were answered"
        }
        self.end()
        context.fireChannelInactive()
    }

    private func end() {
        self.timer?.cancel()
        self.timer = nil
        self.context = nil
        self.requests.finish()
    }

    // MARK: Requests

    /// Takes a request.
    ///
    /// - Returns: Whether it is taken. The client may send one that is not again, as nothing was done with it (RFC 9113 §8.7).
    func take(_ request: HTTP2ClientRequest) -> Bool {
        // Tasks of streams that have just ended are given some time to end.
        let isWithinLimits = self.unanswered < self.limits.requests && self.running < 2 * self.limits.requests
        guard !self.isStopping, isWithinLimits else { return false }
        self.running += 1
        self.unanswered += 1
        self.requests.yield(request)
        return true
    }

    /// Notes that the end of an answer is sent: a client may go away from then on.
    func answered() { self.unanswered -= 1 }

    /// Notes that the task of a request has ended.
    ///
    /// - Parameter isAnswered: Whether the client got all of the answer.
    func release(isAnswered: Bool) {
        self.running -= 1
        if !isAnswered { self.unanswered -= 1 }
        if isAnswered {
            self.allowance.answered()
            self.refusals.answered()
        } else {
            self.countUnanswered()
        }
        self.becomeIdle()
    }

    /// Notes a request that was given up, or comes to no task, as it was malformed.
    func countUnanswered() {
        guard self.allowance.gaveUp(at: .now()) else { return }
        self.close(.enhanceYourCalm, problem: "the client gives up too many requests, or sends too many malformed ones")
    }

    /// Notes a request that was not taken. They cost little, and are limited by a count of their own.
    func countRefused() {
        guard self.refusals.gaveUp(at: .now()), !self.isStopping else { return }
        self.close(
            .enhanceYourCalm,
            problem: "the client begins too many requests beyond the \(self.limits.requests) that run at once")
    }

    func opened(_ stream: HTTP2StreamID) {
        self.openStreams += 1
        self.lastStream = max(self.lastStream, stream)
        self.timer?.cancel()
    }

    func closed(_ stream: HTTP2StreamID) {
        self.openStreams -= 1
        self.resets.closed(stream)
        self.becomeIdle()
    }

    /// Ends a stream for the client, which may still be sending, and keeps it here for a while.
    ///
    /// - Returns: Whether it is kept.
    func endEarly(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) -> Bool {
        guard self.resets.streams.count < self.limits.requests, !self.isStopping else { return false }
        self.resets.reset(stream, code)
        self.becomeIdle()
        return true
    }

    // MARK: The end

    /// Takes no more requests, and ends the connection behind those under way (RFC 9113 §6.8).
    func stop() {
        guard !self.isStopping else { return }
        self.isStopping = true
        self.sayGoodbye(.noError)
        self.becomeIdle()
    }

    private func becomeIdle() {
        guard self.running == 0, self.openStreams == self.resets.streams.count else { return }
        if self.isStopping { self.close() } else { self.wait(self.limits.idleTime) }
    }

    private func wait(_ time: Duration) {
        self.timer?.cancel()
        guard let eventLoop = self.context?.eventLoop else { return }
        self.timer = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { self.stop() }
    }

    private func sayGoodbye(_ code: HTTP2ErrorCode) {
        let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: self.lastStream, errorCode: code, opaqueData: nil)
        self.context?.writeAndFlush(
            self.wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }

    /// Ends the connection with a reason.
    ///
    /// - Parameters:
    ///   - code: What the client is told; `nil` where it was told, or cannot be.
    ///   - problem: What the log says.
    private func close(_ code: HTTP2ErrorCode?, problem: String) {
        guard self.problem == nil else { return }
        self.problem = problem
        self.isStopping = true
        if let code { self.sayGoodbye(code) }
        self.close()
    }

    /// Not from within what a handler does.
    private func close() {
        guard let channel = self.context?.channel else { return }
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    // MARK: What the client says

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)): self.receive(settings)
        // A client that goes sends no more requests (RFC 9113 §6.8).
        case .goAway: self.stop()
        default: break
        }
    }

    private func receive(_ settings: HTTP2Settings) {
        self.keepsFields = settings.compactMap(\.allowsKeptFields).last ?? self.keepsFields
        if !self.hasSettings { self.becomeIdle() }
        self.hasSettings = true
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A frame of a stream that has just been ended here (RFC 9113 §5.1) says nothing about the client.
        if error is NIOHTTP2Errors.StreamClosed { return }
        guard error is any NIOHTTP2Error || error is HTTP2Fault else { return self.lose(error) }
        let fault = HTTP2Fault(error)
        let isFlood = if case .flood = fault { true } else { false }
        // Of an error of the connection the library has told the client before, and in more detail.
        self.close(
            isFlood ? .enhanceYourCalm : .protocolError, problem: "the client breaks the rules of HTTP/2: \(fault)")
    }

    /// Ends a connection that broke. Many clients leave without a word once they have what they asked for, which is no problem.
    private func lose(_ error: any Error) {
        guard error is IOError || error as? NIOSSLError == .uncleanShutdown else {
            return self.close(nil, problem: TransportErrorText.text(of: error, from: "the client"))
        }
        self.close()
    }
}

/// Hears from the library when streams begin and end.
struct HTTP2ServerStreamWatch: NIOHTTP2StreamDelegate {
    let handler: NIOLoopBound<HTTP2ServerHandler>

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) { self.handler.value.opened(id) }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { self.handler.value.closed(id) }
}
