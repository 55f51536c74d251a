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

/// The proxy's side of an HTTP/2 connection, which accepts and counts requests and ends the connection.
///
/// Its place in the pipeline is after the HTTP/2 frame handler. It must be used only on the event loop of its channel.
final class HTTP2ServerHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let limits: HTTP2ServerLimits
    private let requests: AsyncStream<HTTP2ClientRequest>.Continuation
    private let resets: HTTP2EarlyReset
    private var context: ChannelHandlerContext?
    /// The number of requests with running tasks. A task ends after its stream, so that the number of streams is not enough.
    private var running = 0
    /// The number of requests without a complete response.
    private var unanswered = 0
    private var openStreams = 0
    private var lastStream = HTTP2StreamID.rootStream
    private var allowance = HTTP2RequestAllowance()
    private var refusals = HTTP2RequestAllowance()
    /// `true` if the header table size that the client requests is small enough to be used.
    private(set) var keepsFields = true
    private var isStopping = false
    /// `true` if the client has sent its SETTINGS frame (RFC 9113 §3.4).
    private var hasSettings = false
    private var timer: Scheduled<Void>?
    /// The reason that the connection ends, or `nil` if there was no problem.
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

    /// Accepts a request.
    ///
    /// - Returns: `true` if the request is accepted. The client may repeat a request that is not, because it was not processed
    ///   (RFC 9113 §8.7).
    func take(_ request: HTTP2ClientRequest) -> Bool {
        // The tasks of streams that have just ended need some time to end.
        let isWithinLimits = self.unanswered < self.limits.requests && self.running < 2 * self.limits.requests
        guard !self.isStopping, isWithinLimits else { return false }
        self.running += 1
        self.unanswered += 1
        self.requests.yield(request)
        return true
    }

    /// Counts a complete response, after which the client may close the connection.
    func answered() { self.unanswered -= 1 }

    /// Counts the end of a request's task.
    ///
    /// - Parameter isAnswered: `true` if the response was sent completely.
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

    /// Counts a request that was canceled, or that was malformed and has no task.
    func countUnanswered() {
        guard self.allowance.gaveUp(at: .now()) else { return }
        self.close(.enhanceYourCalm, problem: "the client gives up too many requests, or sends too many malformed ones")
    }

    /// Counts a request that was not accepted. Such requests are cheap and have a limit of their own.
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

    /// Resets a stream for the client, which may still be sending, and keeps it open in the library.
    ///
    /// - Returns: `true` if the stream is kept open.
    func endEarly(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) -> Bool {
        guard self.resets.streams.count < self.limits.requests, !self.isStopping else { return false }
        self.resets.reset(stream, code)
        self.becomeIdle()
        return true
    }

    // MARK: End of the connection

    /// Accepts no more requests and ends the connection after those in progress (RFC 9113 §6.8).
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

    /// Ends the connection because of a problem.
    ///
    /// - Parameters:
    ///   - code: The error code for the client, or `nil` if none is to be sent.
    ///   - problem: The description for the log.
    private func close(_ code: HTTP2ErrorCode?, problem: String) {
        guard self.problem == nil else { return }
        self.problem = problem
        self.isStopping = true
        if let code { self.sayGoodbye(code) }
        self.close()
    }

    /// Closes the channel in a later tick of the event loop, not within a handler's callback.
    private func close() {
        guard let channel = self.context?.channel else { return }
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    // MARK: Frames of the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)): self.receive(settings)
        // A client that sends GOAWAY makes no more requests (RFC 9113 §6.8).
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
        // A frame for a stream that the proxy has just closed (RFC 9113 §5.1) is not an error of the client.
        if error is NIOHTTP2Errors.StreamClosed { return }
        guard error is any NIOHTTP2Error || error is HTTP2Fault else { return self.lose(error) }
        let fault = HTTP2Fault(error)
        let isFlood = if case .flood = fault { true } else { false }
        // For a connection error, the library has already sent GOAWAY with a more exact code.
        self.close(
            isFlood ? .enhanceYourCalm : .protocolError, problem: "the client breaks the rules of HTTP/2: \(fault)")
    }

    /// Ends a broken connection. Many clients disconnect without a closure alert after their last response, which is not a problem.
    private func lose(_ error: any Error) {
        guard error is IOError || error as? NIOSSLError == .uncleanShutdown else {
            return self.close(nil, problem: TransportErrorText.text(of: error, from: "the client"))
        }
        self.close()
    }
}

/// A delegate that reports the start and end of streams to the connection's handler.
struct HTTP2ServerStreamWatch: NIOHTTP2StreamDelegate {
    let handler: NIOLoopBound<HTTP2ServerHandler>

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) { self.handler.value.opened(id) }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { self.handler.value.closed(id) }
}
