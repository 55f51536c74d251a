//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import NIOHTTP2

/// Ends streams for the client before they end in the library, which takes HEADERS of a stream that it has ended for an error of
/// the connection. They may be on their way, and are to be ignored (RFC 9113 §5.1), but change the table of fields (§4.3).
///
/// Stands before the handler of frames.
final class HTTP2EarlyReset: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var context: ChannelHandlerContext?
    /// The streams that have ended for the client alone.
    private(set) var streams: Set<HTTP2StreamID> = []

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Tells the client that a stream has ended, of which nothing waits to be sent.
    func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard let context, self.streams.insert(stream).inserted else { return }
        let head = HTTP2FrameHead(length: 4, type: HTTP2FrameHead.reset, stream: UInt32(clamping: Int(stream)))
        var frame = ByteBuffer(bytes: head.octets)
        frame.writeInteger(UInt32(clamping: code.networkCode))
        context.writeAndFlush(self.wrapOutboundOut(.byteBuffer(frame)), promise: nil)
    }

    /// Notes that a stream has ended in the library, too.
    func closed(_ stream: HTTP2StreamID) { self.streams.remove(stream) }

    /// The client is told once (§5.4.2).
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !self.streams.isEmpty, case .byteBuffer(let octets) = self.unwrapOutboundIn(data),
            let head = HTTP2FrameHead(octets.readableBytesView), head.type == HTTP2FrameHead.reset,
            self.streams.contains(HTTP2StreamID(Int(head.stream)))
        else { return context.write(data, promise: promise) }
        promise?.succeed()
    }
}
