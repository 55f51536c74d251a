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
        let http2 = NIOHTTP2Handler(
            mode: .server, eventLoop: self.eventLoop, connectionConfiguration: Self.connection(limits),
            streamConfiguration: Self.stream, streamDelegate: HTTP2ServerStreamWatch(handler: bound)
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(HTTP2RequestHandler(bound.value, channel))
            }
        }
        let greeting = HTTP2Greeting(streams: limits.requests)
        try self.addHandlers(
            [HTTP2FrameMeter(of: .client), greeting, resets, HTTP2LastWord(), http2, handler], position: .last)
        return HTTP2ClientConnection(requests: requests, handler: bound)
    }

    private static func connection(_ limits: HTTP2ServerLimits) -> NIOHTTP2Handler.ConnectionConfiguration {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            // Those beyond what `HTTP2Greeting` announces are refused one by one, up to a flood of them.
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.requests + 1_000),
            // More than is taken, so that what is too large by little is refused in words.
            HTTP2Setting(parameter: .maxHeaderListSize, value: min(limits.message.headSize, 1 << 24) * 4),
            HTTP2Setting(parameter: .initialWindowSize, value: Window.stream),
            // WebSocket may come on a stream (RFC 8441 §3).
            HTTP2Setting(parameter: .enableConnectProtocol, value: 1),
        ]
        // Requests are read by `HTTP2RequestReader`, which says what is malformed about them.
        (connection.headerBlockValidation, connection.contentLengthValidation) = (.disabled, .disabled)
        connection.targetWindowSize = Window.connection
        // As many as a head of the largest size needs, in frames of the smallest that others send.
        connection.maximumSequentialContinuationFrames = 64
        connection.maximumBufferedControlFrames = 1_000
        connection.controlFrameRateLimit.maximumCount = 1_000
        // Frames of streams that were ended here are on their way for a while.
        connection.maximumRecentlyResetStreams = 1_000
        return connection
    }

    private static var stream: NIOHTTP2Handler.StreamConfiguration {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Window.stream
        stream.outboundBufferSizeHighWatermark = 64 << 10
        stream.outboundBufferSizeLowWatermark = 32 << 10
        // `HTTP2RequestAllowance` counts what clients give up beside what they let be answered.
        stream.streamResetFrameRateLimit.maximumCount = 4_000
        return stream
    }
}

/// How many octets of content a client may send before they are read (RFC 9113 §5.2): the one for all streams together is opened
/// again whatever is read, so that a stream that waits for its server holds up no other.
private enum Window {
    static let stream = 64 << 10
    static let connection = 4 << 20
}
