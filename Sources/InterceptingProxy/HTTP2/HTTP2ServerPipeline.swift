//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes
import NIOCore
import NIOHTTP2

/// How much a client may take up over HTTP/2.
struct HTTP2ServerLimits: Sendable {
    /// How much of a request is taken.
    var message = MessageLimits.ofRequests
    /// The requests on a connection that run at once.
    var requests = 100
    /// From the beginning of the connection to the settings of the client.
    var headTime = Duration.seconds(20)
    /// Without a request, or with a client that neither sends nor takes any content of one.
    var idleTime = Duration.seconds(120)
    /// Without an octet from a client that speaks WebSocket.
    var upgradedIdleTime = Duration.seconds(3_600)
}

/// A connection of HTTP/2 with a client, as tasks see it.
struct HTTP2ClientConnection: Sendable {
    /// The requests, until no more come.
    let requests: AsyncStream<HTTP2ClientRequest>
    fileprivate let handler: NIOLoopBound<HTTP2ServerHandler>

    /// Takes no more requests, and ends the connection once those under way are answered.
    func stop() {
        let handler = self.handler
        handler.eventLoop.execute { handler.value.stop() }
    }

    /// Why the connection ended before its time; `nil` where nothing was wrong.
    func problem() async -> String? {
        let handler = self.handler
        return try? await handler.eventLoop.submit { handler.value.problem }.get()
    }
}

/// A request of a client, which counts as one under way until its lane is released.
struct HTTP2ClientRequest: Sendable {
    /// What it comes over.
    let lane: HTTP2Lane
    /// The head, or why it is refused in words.
    let head: Result<(RequestHead, MessageFraming), HTTPRequestError>
    /// The method, where the head could be read that far.
    let method: HTTPRequest.Method?
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds what speaks HTTP/2 with a client, behind TLS.
    func addHTTP2ServerHandlers(limits: HTTP2ServerLimits) throws -> HTTP2ClientConnection {
        let (requests, continuation) = AsyncStream.makeStream(of: HTTP2ClientRequest.self)
        let resets = HTTP2EarlyReset()
        let handler = HTTP2ServerHandler(limits, requests: continuation, resets: resets)
        let bound = NIOLoopBound(handler, eventLoop: self.eventLoop)
        // Those beyond what `HTTP2Greeting` announces are refused one by one, up to a flood of them.
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
