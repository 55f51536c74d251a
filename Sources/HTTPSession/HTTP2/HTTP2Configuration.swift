//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import NIOHTTP2

/// The settings, windows and limits of one side of an HTTP/2 connection.
package struct HTTP2Configuration: Sendable {
    private let mode: NIOHTTP2Handler.ParserMode
    private let settings: HTTP2Settings
    /// The flow-control window of a stream in octets (RFC 9113 §5.2).
    private let streamWindow: Int
    /// The flow-control window of the connection in octets. It opens regardless of unread content, so that a waiting stream does
    /// not block the others.
    private let connectionWindow: Int
    /// The maximum number of RST_STREAM frames received in a short time.
    private let resets: Int
    /// The maximum number of locally reset streams for which late frames are still accepted.
    private let endedStreams: Int

    /// Returns the configuration of a client. Server push is disabled.
    ///
    /// - Parameter headSize: The maximum size of a response's head in octets.
    package static func client(headSize: Int) -> HTTP2Configuration {
        HTTP2Configuration(
            mode: .client,
            settings: [.init(parameter: .enablePush, value: 0), .init(parameter: .maxHeaderListSize, value: headSize)],
            // A server may refuse many single requests without being hostile.
            streamWindow: 512 << 10, connectionWindow: 8 << 20, resets: 10_000, endedStreams: 10_000)
    }

    /// Returns the configuration of a proxy.
    ///
    /// - Parameters:
    ///   - headSize: The maximum size of a request's head in octets.
    ///   - streams: The maximum number of concurrent streams. The announced number may be lower.
    package static func server(headSize: Int, streams: Int) -> HTTP2Configuration {
        HTTP2Configuration(
            mode: .server,
            settings: [
                .init(parameter: .maxConcurrentStreams, value: streams),
                // The setting is higher than the limit, so that a head slightly above the limit is refused with a response.
                .init(parameter: .maxHeaderListSize, value: min(headSize, 1 << 24) * 4),
                // A WebSocket may use a stream (RFC 8441 §3).
                .init(parameter: .enableConnectProtocol, value: 1),
            ],
            // `HTTP2RequestAllowance` limits canceled requests relative to answered ones.
            streamWindow: 64 << 10, connectionWindow: 4 << 20, resets: 4_000, endedStreams: 1_000)
    }

    /// Returns the handler of frames.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of the channel.
    ///   - watch: The delegate that is notified of the start and end of streams.
    ///   - initializer: The closure that sets up streams that the peer opens.
    package func handler(
        on eventLoop: any EventLoop, _ watch: any NIOHTTP2StreamDelegate,
        initializer: @escaping NIOChannelInitializer
    ) -> NIOHTTP2Handler {
        NIOHTTP2Handler(
            mode: self.mode, eventLoop: eventLoop, connectionConfiguration: self.connection,
            streamConfiguration: self.stream, streamDelegate: watch, inboundStreamInitializer: initializer)
    }

    private var connection: NIOHTTP2Handler.ConnectionConfiguration {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings =
            self.settings + [HTTP2Setting(parameter: .initialWindowSize, value: self.streamWindow)]
        // `HTTP2RequestReader` and `HTTP2ResponseReader` validate messages and describe their errors.
        (connection.headerBlockValidation, connection.contentLengthValidation) = (.disabled, .disabled)
        connection.targetWindowSize = self.connectionWindow
        // This is sufficient for a head of the maximum size in the smallest frames that other implementations send.
        connection.maximumSequentialContinuationFrames = 64
        connection.maximumBufferedControlFrames = 1_000
        connection.controlFrameRateLimit.maximumCount = 1_000
        connection.maximumRecentlyResetStreams = self.endedStreams
        return connection
    }

    private var stream: NIOHTTP2Handler.StreamConfiguration {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = self.streamWindow
        stream.outboundBufferSizeHighWatermark = 64 << 10
        stream.outboundBufferSizeLowWatermark = 32 << 10
        stream.streamResetFrameRateLimit.maximumCount = self.resets
        return stream
    }
}

extension HTTP2Setting {
    /// `true` if the setting is a header table size that is small enough to be used. `nil` for another setting.
    ///
    /// A peer may request a table of 4 GiB (RFC 9113 §6.5.2), which would be searched for each field of each message.
    package var allowsKeptFields: Bool? { self.parameter == .headerTableSize ? self.value <= 64 << 10 : nil }
}
