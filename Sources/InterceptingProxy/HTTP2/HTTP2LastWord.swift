//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore

/// Tells a client once that its connection ends with an error (RFC 9113 §5.4.1). The library does it again for each frame of a read that
/// breaks a rule, and a flood has thousands of them.
///
/// Stands before the handler of frames.
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
