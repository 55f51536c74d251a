//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes
import NIOCore
import NIOHTTP2

/// The limits for a client that uses HTTP/2.
struct HTTP2ServerLimits: Sendable {
    /// The limits of a request's head and content.
    var message = MessageLimits.ofRequests
    var requests = 100
    /// The time limit from the start of the connection to the client's SETTINGS frame.
    var headTime = Duration.seconds(20)
    /// The time limit without a request, or with a client that neither sends nor receives content.
    var idleTime = Duration.seconds(120)
    /// The time limit without an octet from a client that uses WebSocket.
    var upgradedIdleTime = Duration.seconds(3_600)
}

/// A client's HTTP/2 connection, for use by tasks.
struct HTTP2ClientConnection: Sendable {
    let requests: AsyncStream<HTTP2ClientRequest>
    fileprivate let handler: NIOLoopBound<HTTP2ServerHandler>

    /// Accepts no more requests and ends the connection after those in progress.
    func stop() {
        let handler = self.handler
        handler.eventLoop.execute { handler.value.stop() }
    }

    /// Returns the reason that the connection ended early, or `nil` if there was no problem.
    func problem() async -> String? {
        let handler = self.handler
        return try? await handler.eventLoop.submit { handler.value.problem }.get()
    }
}

/// A client's request, which counts as in progress until its lane is released.
struct HTTP2ClientRequest: Sendable {
    let lane: HTTP2Lane
    /// The head, or the error with which the request is refused.
    let head: Result<(RequestHead, MessageFraming), HTTPRequestError>
    /// The method, if that part of the head could be read.
    let method: HTTPRequest.Method?
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds the handlers of HTTP/2 after those of TLS.
    func addHTTP2ServerHandlers(limits: HTTP2ServerLimits) throws -> HTTP2ClientConnection {
        let (requests, continuation) = AsyncStream.makeStream(of: HTTP2ClientRequest.self)
        let resets = HTTP2EarlyReset()
        let handler = HTTP2ServerHandler(limits, requests: continuation, resets: resets)
        let bound = NIOLoopBound(handler, eventLoop: self.eventLoop)
        // Streams beyond the number that `HTTP2Greeting` announces are refused one by one, up to 1,000 of them.
        let configuration = HTTP2Configuration.server(
            headSize: limits.message.headSize, streams: limits.requests + 1_000)
        let http2 = configuration.handler(on: self.eventLoop, HTTP2ServerStreamWatch(handler: bound)) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(HTTP2RequestHandler(bound.value, channel))
            }
        }
        let greeting = HTTP2Greeting(streams: limits.requests)
        try self.addHandlers(
            [HTTP2FrameMeter(.server), greeting, resets, HTTP2LastWord(), http2, handler], position: .last)
        return HTTP2ClientConnection(requests: requests, handler: bound)
    }
}
