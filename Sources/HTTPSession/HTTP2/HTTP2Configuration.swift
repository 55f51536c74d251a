//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import NIOHTTP2

/// The settings, windows and limits of one end of a connection of HTTP/2.
package struct HTTP2Configuration: Sendable {
    private let mode: NIOHTTP2Handler.ParserMode
    private let settings: HTTP2Settings
    /// The octets of content that the peer may send on a stream before they are read (RFC 9113 §5.2).
    private let streamWindow: Int
    /// The same for all streams together. It opens again whatever is read, so that a stream that waits holds up no other.
    private let connectionWindow: Int
    /// The RST_STREAM frames that are taken in a short time.
    private let resets: Int
    /// The streams that were ended here, and whose frames are still on their way.
    private let endedStreams: Int

    /// The end of a program. A server pushes nothing.
    ///
    /// - Parameter headSize: The octets of a head that are taken.
    package static func client(headSize: Int) -> HTTP2Configuration {
        HTTP2Configuration(
            mode: .client,
            settings: [.init(parameter: .enablePush, value: 0), .init(parameter: .maxHeaderListSize, value: headSize)],
            // One request of many that is refused is no attack.
            streamWindow: 512 << 10, connectionWindow: 8 << 20, resets: 10_000, endedStreams: 10_000)
    }

    /// The end of a proxy.
    ///
    /// - Parameters:
    ///   - headSize: The octets of a head that are taken.
    ///   - streams: The streams that are read at once. Fewer may be announced.
    package static func server(headSize: Int, streams: Int) -> HTTP2Configuration {
        HTTP2Configuration(
            mode: .server,
            settings: [
                .init(parameter: .maxConcurrentStreams, value: streams),
                // More than is taken, so that what is too large by little is refused in words.
                .init(parameter: .maxHeaderListSize, value: min(headSize, 1 << 24) * 4),
                // WebSocket may come on a stream (RFC 8441 §3).
                .init(parameter: .enableConnectProtocol, value: 1),
            ],
            // `HTTP2RequestAllowance` counts the requests that clients give up beside those that they let be answered.
            streamWindow: 64 << 10, connectionWindow: 4 << 20, resets: 4_000, endedStreams: 1_000)
    }

    /// The handler of frames.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of its channel.
    ///   - watch: Hears when streams begin and end.
    ///   - initializer: Takes the streams that the peer opens.
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
        // Messages are read by `HTTP2RequestReader` and `HTTP2ResponseReader`, which say what is malformed about them.
        (connection.headerBlockValidation, connection.contentLengthValidation) = (.disabled, .disabled)
        connection.targetWindowSize = self.connectionWindow
        // As many as a head of the largest size needs, in frames of the smallest that others send.
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
    /// True if the setting is a table of fields that is small enough to be filled; `nil` for another setting.
    ///
    /// A peer may ask for a table of 4 GiB (RFC 9113 §6.5.2), which is searched for each field of each message.
    package var allowsKeptFields: Bool? { self.parameter == .headerTableSize ? self.value <= 64 << 10 : nil }
}
