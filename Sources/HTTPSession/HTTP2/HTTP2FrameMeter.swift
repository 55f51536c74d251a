//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// Counts the frames of a server that carry nothing of a response, and ends a connection on which they are too many for what it
/// does carry (RFC 9113 §10.5).
///
/// The library that reads frames limits some kinds by their rate. This limits all of them, those it does not know included, and
/// before they cost more than their octets.
struct HTTP2FrameBudget: Sendable {
    /// The frames that carry nothing, without any that carry something.
    private static let credit = 4_000
    /// The frames that carry nothing for one that carries something.
    private static let perFrame = 20
    private static let maximumCredit = 100_000
    /// The frames that carry nothing for so many octets that are sent, which a server opens its window again for, and answers.
    private static let octetsPerFrame = 256
    /// The frames that carry nothing for what is sent at a time, however little.
    private static let perWrite = 4
    /// The octets before the payload of a frame (RFC 9113 §4.1).
    private static let headSize = 9

    private var left = Self.credit
    /// The octets of the frame that is passing.
    private var payloadLeft = 0
    private var head: [UInt8] = []

    init() { self.head.reserveCapacity(Self.headSize) }

    /// Takes octets as they come.
    mutating func receive(_ octets: ByteBufferView) throws(HTTP2Fault) {
        var rest = octets[...]
        while !rest.isEmpty {
            if self.payloadLeft > 0 {
                let passed = min(self.payloadLeft, rest.count)
                self.payloadLeft -= passed
                rest = rest.dropFirst(passed)
                continue
            }
            let missing = rest.prefix(Self.headSize - self.head.count)
            self.head.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            if self.head.count == Self.headSize { try self.count() }
        }
    }

    /// Says how much was sent.
    mutating func sent(_ count: Int) {
        self.left = min(self.left + Self.perWrite + count / Self.octetsPerFrame, Self.maximumCredit)
    }

    private mutating func count() throws(HTTP2Fault) {
        let length = Int(self.head[0]) << 16 | Int(self.head[1]) << 8 | Int(self.head[2])
        let (type, flags) = (self.head[3], self.head[4])
        self.head.removeAll(keepingCapacity: true)
        self.payloadLeft = length
        // DATA that is all padding carries nothing; what is in it cannot be told here, and costs its octets.
        let isUseful = type == 0x1 || type == 0x0 && (length > 0 || flags & 0x1 != 0)
        self.left = isUseful ? min(self.left + Self.perFrame, Self.maximumCredit) : self.left - 1
        guard self.left > 0 else { throw .flood(of: Self.name(of: type)) }
    }

    private static func name(of type: UInt8) -> String {
        let names = [
            "empty DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
            "WINDOW_UPDATE", "CONTINUATION",
        ]
        return names.indices.contains(Int(type)) ? "\(names[Int(type)]) frames" : "frames of unknown types"
    }
}

/// Stands before the handler of frames.
final class HTTP2FrameMeter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var budget = HTTP2FrameBudget()
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isOver else { return }
        do {
            try self.budget.receive(self.unwrapInboundIn(data).readableBytesView)
            context.fireChannelRead(data)
        } catch {
            self.isOver = true
            context.fireErrorCaught(error)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.budget.sent(self.unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }
}
