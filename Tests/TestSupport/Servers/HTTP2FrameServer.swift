//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
package import ServerTrustTesting
import Synchronization
import Testing

/// A server of HTTP/2 on 127.0.0.1 whose frames a test writes.
package struct HTTP2FrameServer {
    /// What a server does when a frame comes.
    package enum Reaction: Sendable {
        case frames([TestFrame])
        case octets([UInt8])
        case framesAndClose([TestFrame])
        /// Ends the connection without a word of TLS.
        case reset

        package static let nothing = Reaction.frames([])
    }

    /// A frame that came.
    package struct Received: Sendable {
        package let frame: TestFrame
        /// The number of the connection, from 0.
        package let connection: Int
        /// The number of requests on the connection before it.
        package let requests: Int

        /// Whether it begins a request, whose fields cannot be read without the table of HPACK.
        package var isRequest: Bool { self.frame.type == 1 }
        /// Whether it ends a request.
        package var endsRequest: Bool { self.frame.type <= 1 && self.frame.flags & TestFrame.endStream != 0 }
        package var stream: UInt32 { self.frame.stream }
    }

    package final class Seen: Sendable {
        private let state = Mutex<(frames: [Received], connections: Int, closed: Int)>(([], 0, 0))

        package var frames: [Received] { self.state.withLock { $0.frames } }
        package var connections: Int { self.state.withLock { $0.connections } }
        package var openConnections: Int { self.state.withLock { $0.connections - $0.closed } }
        package var requests: Int { self.frames.count { $0.isRequest } }

        package func has(_ type: UInt8) -> Bool { self.frames.contains { $0.frame.type == type } }

        fileprivate func connect() -> Int {
            self.state.withLock { state in
                state.connections += 1
                return state.connections - 1
            }
        }

        fileprivate func close() { self.state.withLock { $0.closed += 1 } }

        fileprivate func note(_ frame: Received) { self.state.withLock { $0.frames.append(frame) } }
    }

    package typealias Script = @Sendable (Received) -> Reaction

    package let port: Int
    package let seen: Seen

    /// Runs a server.
    ///
    /// - Parameters:
    ///   - chain: Its certificates, its own first.
    ///   - settings: What it says first.
    ///   - answersPings: Whether it does.
    ///   - script: What it does when a frame comes; settings and pings are answered by the server itself.
    package static func with<R>(
        _ chain: [TestCertificate], settings: [TestFrame] = [.settings()], answersPings: Bool = true,
        _ script: @escaping Script,
        _ body: (HTTP2FrameServer) async throws -> R
    ) async throws -> R {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(chain[0].privateKey.pem.utf8), format: .pem)))
        configuration.applicationProtocols = ["h2"]
        let (context, seen) = (try NIOSSLContext(configuration: configuration), Seen())
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(Handler(seen, settings, answersPings, script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<R, any Error>
        do {
            result = .success(
                try await body(HTTP2FrameServer(port: try #require(listener.localAddress?.port), seen: seen)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        return try result.get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let seen: Seen
        private let settings: [TestFrame]
        private let answersPings: Bool
        private let script: Script
        private var octets = ByteBuffer()
        private var hasPreface = false
        private var connection = 0
        private var requests = 0

        init(_ seen: Seen, _ settings: [TestFrame], _ answersPings: Bool, _ script: @escaping Script) {
            self.seen = seen
            self.settings = settings
            self.answersPings = answersPings
            self.script = script
        }

        func channelActive(context: ChannelHandlerContext) {
            self.connection = self.seen.connect()
            self.send(self.settings.octets, on: context)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.seen.close()
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.octets.writeImmutableBuffer(self.unwrapInboundIn(data))
            if !self.hasPreface {
                guard self.octets.readableBytes >= 24 else { return }
                self.octets.moveReaderIndex(forwardBy: 24)
                self.hasPreface = true
            }
            while let frame = self.nextFrame() { self.react(to: frame, on: context) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func nextFrame() -> TestFrame? {
            guard let head = self.octets.getBytes(at: self.octets.readerIndex, length: 9) else { return nil }
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard self.octets.readableBytes >= 9 + length else { return nil }
            self.octets.moveReaderIndex(forwardBy: 9)
            let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            return TestFrame(
                type: head[3], flags: head[4], stream: stream, payload: self.octets.readBytes(length: length) ?? [])
        }

        private func react(to frame: TestFrame, on context: ChannelHandlerContext) {
            let received = Received(frame: frame, connection: self.connection, requests: self.requests)
            self.seen.note(received)
            if received.isRequest { self.requests += 1 }
            if frame.flags & TestFrame.ack == 0 {
                if frame.type == 4 { self.send(TestFrame.settingsAck.octets, on: context) }
                if frame.type == 6, self.answersPings {
                    self.send(TestFrame(type: 6, flags: TestFrame.ack, payload: frame.payload).octets, on: context)
                }
            }
            switch self.script(received) {
            case .frames(let frames): self.send(frames.octets, on: context)
            case .octets(let octets): self.send(octets, on: context)
            case .reset:
                context.channel.pipeline.context(handlerType: NIOSSLServerHandler.self)
                    .assumeIsolated().whenSuccess { $0.close(promise: nil) }
            case .framesAndClose(let frames):
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: frames.octets))).assumeIsolated()
                    .whenComplete { _ in context.close(promise: nil) }
            }
        }

        private func send(_ octets: [UInt8], on context: ChannelHandlerContext) {
            guard !octets.isEmpty else { return }
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: octets)), promise: nil)
        }
    }
}
