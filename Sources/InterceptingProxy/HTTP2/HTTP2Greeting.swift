//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore

/// A handler that applies the proxy's settings from the first request on, and announces a lower stream limit than the library's.
///
/// Until the client acknowledges new settings (RFC 9113 §6.5.3), the library enforces its initial ones, and would close the
/// connection for a head of more than 16 KiB. All settings of the proxy are more permissive, except the number of streams. For an
/// excess stream the library closes the connection, while the proxy refuses only that stream (§5.1.2). The handler therefore
/// inserts an acknowledgment at once and drops the client's own.
///
/// Its place in the pipeline is before the HTTP/2 frame handler.
final class HTTP2Greeting: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private enum Phase {
        /// The state before the client's first frame.
        case greeting
        /// The state within the first frame.
        case settings
        /// The state before the client's acknowledgment.
        case consent
        case over
    }

    /// A SETTINGS frame with the ACK flag.
    private static let consent = HTTP2FrameHead(type: HTTP2FrameHead.settings, flags: 1)

    private let streams: UInt32
    private var hasAnnounced = false
    private var phase = Phase.greeting
    /// The number of octets of a frame to pass on before the next frame header.
    private var passing = HTTP2FrameHead.prefaceSize
    /// The part of the next frame header that has arrived.
    private var head = ByteBuffer()

    /// Creates a handler.
    ///
    /// - Parameter streams: The number of concurrent streams to announce.
    init(streams: Int) { self.streams = UInt32(clamping: streams) }

    // MARK: Frames of the client

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

    /// Passes octets on and inserts an acknowledgment after the first frame.
    private func pass(_ octets: ByteBuffer, _ context: ChannelHandlerContext) {
        context.fireChannelRead(self.wrapInboundOut(octets))
        guard self.phase == .settings, self.passing == 0 else { return }
        self.phase = .consent
        context.fireChannelRead(self.wrapInboundOut(ByteBuffer(bytes: Self.consent.octets)))
    }

    // MARK: Frames of the proxy

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !self.hasAnnounced, case .byteBuffer(var octets) = self.unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        self.hasAnnounced = true
        self.announce(in: &octets)
        context.write(self.wrapOutboundOut(.byteBuffer(octets)), promise: promise)
    }

    /// Replaces the number of streams in the SETTINGS frame, which is the first frame (RFC 9113 §3.4).
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
