//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import NIOHTTP2

extension ChannelPipeline.SynchronousOperations {
    /// Adds what speaks HTTP/2, behind the gate.
    func addHTTP2Handlers(limits: Exchange.Limits) throws -> HTTP2ConnectionHandler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.reader.headSize),
            HTTP2Setting(parameter: .initialWindowSize, value: Window.stream),
        ]
        // Responses are read by `HTTP2ResponseReader`, which says what is malformed about them.
        (connection.headerBlockValidation, connection.contentLengthValidation) = (.disabled, .disabled)
        connection.targetWindowSize = Window.connection
        // As many as a head of the largest size needs, in frames of the smallest that others send.
        connection.maximumSequentialContinuationFrames = 64
        connection.maximumBufferedControlFrames = 1_000
        connection.controlFrameRateLimit.maximumCount = 1_000
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Window.stream
        stream.outboundBufferSizeHighWatermark = 64 << 10
        stream.outboundBufferSizeLowWatermark = 32 << 10
        // One request of many that is refused is no attack.
        stream.streamResetFrameRateLimit.maximumCount = 10_000
        // Frames of streams that were ended here are on their way for a while.
        connection.maximumRecentlyResetStreams = 10_000
        let http2 = NIOHTTP2Handler(
            mode: .client, eventLoop: self.eventLoop, connectionConfiguration: connection, streamConfiguration: stream,
            streamDelegate: HTTP2StreamWatch()
        ) { channel in
            // A server opens no streams: push is refused.
            channel.close()
        }
        let handler = HTTP2ConnectionHandler(http2, limits: limits)
        try self.addHandlers([HTTP2FrameMeter(of: .server), http2, handler], position: .last)
        return handler
    }
}

/// How many octets of content a server may send before they are read (RFC 9113 §5.2).
private enum Window {
    static let stream = 512 << 10
    static let connection = 8 << 20
}
