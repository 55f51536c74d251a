//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import NIOHTTP2

extension HTTP2FrameHead {
    /// True if a frame carries a part of a message: fields, content, or the end.
    fileprivate var isUseful: Bool {
        switch self.type {
        // DATA that is all padding carries nothing; what is in it cannot be told here, and costs its octets.
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

/// Finds the heads of frames in octets as they come.
private struct HTTP2FrameHeads: Sendable {
    /// The octets that pass before the next head: of a payload, or of what comes before the first frame.
    private var skipped: Int
    private var octets: [UInt8] = []

    init(after prefix: Int = 0) {
        self.skipped = prefix
        self.octets.reserveCapacity(HTTP2FrameHead.size)
    }

    /// The next head; `nil` when all octets have passed.
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

/// Counts the frames of a peer that carry nothing of a message, and ends a connection on which they are too many for what both
/// sides do send (RFC 9113 §10.5).
///
/// The library that reads frames limits some kinds by their rate. This limits all of them, those it does not know included, and
/// before they cost more than their octets.
struct HTTP2FrameBudget: Sendable {
    /// The frames that carry nothing, without any that carry something.
    private static let credit = 4_000
    /// The frames that carry nothing for one that carries something.
    private static let perFrame = 20
    /// A peer opens both windows again for content that it takes, for each frame or for less of it.
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

    /// Takes octets of the peer as they come.
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

    /// Takes octets for the peer. What answers its frames earns nothing.
    mutating func send(_ octets: ByteBufferView) {
        var rest = octets
        while let head = self.sent.next(in: &rest) {
            if head.type == HTTP2FrameHead.data { self.earn(Self.perContentFrame + head.length / Self.octetsPerFrame) }
        }
    }

    private mutating func earn(_ credit: Int) { self.left = min(self.left + credit, Self.maximumCredit) }
}

/// Stands before the handler of frames.
package final class HTTP2FrameMeter: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    private var budget: HTTP2FrameBudget
    private var isOver = false

    /// A meter of one connection.
    ///
    /// - Parameter mode: The role of this end.
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
