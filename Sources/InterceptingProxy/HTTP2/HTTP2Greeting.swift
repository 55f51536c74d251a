//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore

/// Has the settings of the proxy hold from the first request on, and announces fewer streams at once than the library allows.
///
/// The library keeps to the settings that it begins with until the client agrees to the others (RFC 9113 §6.5.3), and has a
/// connection end then for a head of more than 16 KiB. All settings of the proxy allow a client more than those, but for
/// the number of streams: one too many ends the connection in the library, and is refused alone here (§5.1.2). So the library
/// hears of consent at once, and the consent of the client is dropped when it comes.
///
/// Stands before the handler of frames.
final class HTTP2Greeting: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private enum Phase {
        /// Before the first frame of the client.
        case greeting
        /// Within the first frame.
        case settings
        /// Before its consent.
        case consent
        case over
    }

    /// SETTINGS with the flag ACK.
    private static let consent = HTTP2FrameHead(type: HTTP2FrameHead.settings, flags: 1)

    private let streams: UInt32
    private var hasAnnounced = false
    private var phase = Phase.greeting
    /// The octets that pass before the head of the next frame.
    private var passing = HTTP2FrameHead.prefaceSize
    /// What came of that head.
    private var head = ByteBuffer()

    /// A greeting.
    ///
    /// - Parameter streams: The number of streams that is announced.
    init(streams: Int) { self.streams = UInt32(clamping: streams) }

    // MARK: The client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.phase != .over else { return context.fireChannelRead(data) }
        var octets = self.unwrapInboundIn(data)
        while octets.readableBytes > 0 {
            if self.passing > 0 {
                guard let passed = octets.readSlice(length: min(self.passing, octets.readableBytes)) else { return }
                self.passing -= passed.readableBytes
                self.pass(passed, context)
            } else if self.phase == .over {
                return self.pass(octets, context)
            } else {
                self.readHead(of: &octets, context)
            }
        }
    }

    private func readHead(of octets: inout ByteBuffer, _ context: ChannelHandlerContext) {
        let missing = min(HTTP2FrameHead.size - self.head.readableBytes, octets.readableBytes)
        if var piece = octets.readSlice(length: missing) { self.head.writeBuffer(&piece) }
        guard let frame = HTTP2FrameHead(self.head.readableBytesView) else { return }
        let head = self.head
        self.head = ByteBuffer()
        if self.phase == .greeting { self.phase = .settings }
        if self.phase == .consent, frame == Self.consent {
            self.phase = .over
            return
        }
        self.passing = frame.length
        self.pass(head, context)
    }

    /// Passes octets on, and a consent behind the first frame.
    private func pass(_ octets: ByteBuffer, _ context: ChannelHandlerContext) {
        context.fireChannelRead(self.wrapInboundOut(octets))
        guard self.phase == .settings, self.passing == 0 else { return }
        self.phase = .consent
        context.fireChannelRead(self.wrapInboundOut(ByteBuffer(bytes: Self.consent.octets)))
    }

    // MARK: The proxy

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !self.hasAnnounced, case .byteBuffer(var octets) = self.unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        self.hasAnnounced = true
        self.announce(in: &octets)
        context.write(self.wrapOutboundOut(.byteBuffer(octets)), promise: promise)
    }

    /// Puts the number of streams into the frame with the settings, which comes first (RFC 9113 §3.4).
    private func announce(in octets: inout ByteBuffer) {
        guard let length = HTTP2FrameHead(octets.readableBytesView)?.length else { return }
        let start = octets.readerIndex + HTTP2FrameHead.size
        let streams = UInt16(3)
        for index in stride(from: start, to: min(start + length, octets.writerIndex), by: 6)
        where octets.getInteger(at: index) == streams {
            octets.setInteger(self.streams, at: index + 2)
        }
    }
}
