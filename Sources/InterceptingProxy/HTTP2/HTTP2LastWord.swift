//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore

/// A handler that sends GOAWAY with an error only once (RFC 9113 §5.4.1).
///
/// The library sends it for every frame of a read that breaks a rule, and a flood has thousands of them.
///
/// Its place in the pipeline is before the HTTP/2 frame handler.
final class HTTP2LastWord: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var isSpoken = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let octets) = self.unwrapOutboundIn(data), Self.endsWithError(octets) else {
            return context.write(data, promise: promise)
        }
        guard !self.isSpoken else {
            promise?.succeed()
            return
        }
        self.isSpoken = true
        context.write(data, promise: promise)
    }

    private static func endsWithError(_ frame: ByteBuffer) -> Bool {
        guard HTTP2FrameHead(frame.readableBytesView)?.type == HTTP2FrameHead.goAway,
            let code: UInt32 = frame.getInteger(at: frame.readerIndex + HTTP2FrameHead.size + 4)
        else { return false }
        return code != 0
    }
}
