//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import NIOHTTP2

/// A handler that resets streams for the client before it closes them in the library.
///
/// After the library has closed a stream, it treats HEADERS for that stream as a connection error. Such frames may still be on
/// their way. They must be ignored (RFC 9113 §5.1), but must update the field compression state (§4.3).
///
/// Its place in the pipeline is before the HTTP/2 frame handler.
final class HTTP2EarlyReset: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var context: ChannelHandlerContext?
    /// The streams that are reset for the client but still open in the library.
    private(set) var streams: Set<HTTP2StreamID> = []

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Sends RST_STREAM to the client for a stream without pending frames.
    func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard let context, self.streams.insert(stream).inserted else { return }
        let head = HTTP2FrameHead(length: 4, type: HTTP2FrameHead.reset, stream: UInt32(clamping: Int(stream)))
        var frame = ByteBuffer(bytes: head.octets)
        frame.writeInteger(UInt32(clamping: code.networkCode))
        context.writeAndFlush(self.wrapOutboundOut(.byteBuffer(frame)), promise: nil)
    }

    func closed(_ stream: HTTP2StreamID) { self.streams.remove(stream) }

    /// Drops the library's RST_STREAM for a stream that was already reset (§5.4.2).
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !self.streams.isEmpty, case .byteBuffer(let octets) = self.unwrapOutboundIn(data),
            let head = HTTP2FrameHead(octets.readableBytesView), head.type == HTTP2FrameHead.reset,
            self.streams.contains(HTTP2StreamID(Int(head.stream)))
        else { return context.write(data, promise: promise) }
        promise?.succeed()
    }
}
