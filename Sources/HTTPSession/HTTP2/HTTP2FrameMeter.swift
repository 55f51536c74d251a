//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import NIOHTTP2

extension HTTP2FrameHead {
    /// `true` if the frame carries a part of a message: fields, content, or the end.
    fileprivate var isUseful: Bool {
        switch self.type {
        // A DATA frame with padding only carries nothing, but this is not detected here. Its octets are a cost for the peer.
        case Self.data: self.length > 0 || self.flags & 0x1 != 0
        case Self.headers: true
        default: false
        }
    }

    fileprivate var name: String {
        let names = [
            "empty DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
            "WINDOW_UPDATE", "CONTINUATION",
        ]
        return names.indices.contains(Int(self.type))
            ? "\(names[Int(self.type)]) frames" : "frames of unknown types"
    }
}

/// A parser that finds the frame headers in octets as they arrive.
private struct HTTP2FrameHeads: Sendable {
    /// The number of octets to skip before the next header: the rest of a payload or of the preface.
    private var skipped: Int
    private var octets: [UInt8] = []

    init(after prefix: Int = 0) {
        self.skipped = prefix
        self.octets.reserveCapacity(HTTP2FrameHead.size)
    }

    mutating func next(in rest: inout ByteBufferView) -> HTTP2FrameHead? {
        while !rest.isEmpty {
            let passed = min(self.skipped, rest.count)
            (self.skipped, rest) = (self.skipped - passed, rest.dropFirst(passed))
            let missing = rest.prefix(self.skipped > 0 ? 0 : HTTP2FrameHead.size - self.octets.count)
            self.octets.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            guard let head = HTTP2FrameHead(self.octets) else { continue }
            self.octets.removeAll(keepingCapacity: true)
            self.skipped = head.length
            return head
        }
        return nil
    }
}

/// A budget for frames of a peer that carry no part of a message (RFC 9113 §10.5).
///
/// The HTTP/2 library limits some kinds of frames by their rate. This budget limits all kinds, including unknown ones, before
/// they are processed.
struct HTTP2FrameBudget: Sendable {
    /// The number of such frames that is allowed without any useful frame.
    private static let credit = 4_000
    /// The number of such frames that is allowed for each useful frame.
    private static let perFrame = 20
    /// A peer sends WINDOW_UPDATE for both windows for each frame of content that it receives, or more often.
    private static let perContentFrame = 4
    private static let octetsPerFrame = 256
    private static let maximumCredit = 100_000

    private var left = Self.credit
    private var received, sent: HTTP2FrameHeads

    init(_ mode: NIOHTTP2Handler.ParserMode) {
        let isClient = mode == .client
        self.received = HTTP2FrameHeads(after: isClient ? 0 : HTTP2FrameHead.prefaceSize)
        self.sent = HTTP2FrameHeads(after: isClient ? HTTP2FrameHead.prefaceSize : 0)
    }

    /// Counts the frames in octets received from the peer.
    mutating func receive(_ octets: ByteBufferView) throws(HTTP2Fault) {
        var rest = octets
        while let head = self.received.next(in: &rest) {
            if head.isUseful {
                self.earn(Self.perFrame)
            } else {
                self.left -= 1
                guard self.left > 0 else { throw .flood(of: head.name) }
            }
        }
    }

    /// Counts the frames in octets sent to the peer. Only DATA frames earn credit, and replies to the peer's frames do not.
    mutating func send(_ octets: ByteBufferView) {
        var rest = octets
        while let head = self.sent.next(in: &rest) {
            if head.type == HTTP2FrameHead.data { self.earn(Self.perContentFrame + head.length / Self.octetsPerFrame) }
        }
    }

    private mutating func earn(_ credit: Int) { self.left = min(self.left + credit, Self.maximumCredit) }
}

/// A handler that applies the frame budget to a connection. Its place in the pipeline is before the HTTP/2 frame handler.
package final class HTTP2FrameMeter: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    private var budget: HTTP2FrameBudget
    private var isOver = false

    /// Creates the meter of one connection.
    ///
    /// - Parameter mode: The role of this side of the connection.
    package init(_ mode: NIOHTTP2Handler.ParserMode) { self.budget = HTTP2FrameBudget(mode) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isOver else { return }
        do {
            try self.budget.receive(self.unwrapInboundIn(data).readableBytesView)
            context.fireChannelRead(data)
        } catch {
            self.isOver = true
            context.fireErrorCaught(error)
        }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let octets) = self.unwrapOutboundIn(data) { self.budget.send(octets.readableBytesView) }
        context.write(data, promise: promise)
    }
}
