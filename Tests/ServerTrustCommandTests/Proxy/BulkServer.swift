//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrustTesting
import Synchronization
import Testing

/// A server with TLS that sends as many octets as the path of GET says, and counts those that PUT brings.
struct BulkServer {
    let port: Int

    static func with<R>(_ leaf: TestCertificate, _ body: (BulkServer) async throws -> R) async throws -> R {
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(try NIOSSLCertificate(bytes: leaf.der, format: .der))],
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leaf.privateKey.pem.utf8), format: .pem))))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(Handler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<R, any Error>
        do {
            outcome = .success(try await body(BulkServer(port: try #require(listener.localAddress?.port))))
        } catch {
            outcome = .failure(error)
        }
        try await listener.close()
        return try outcome.get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private static let piece = ByteBuffer(repeating: 0x61, count: 64 << 10)

        private var head = ""
        /// What is still to come of a request, once its head is there.
        private var awaited: Int?
        private var received = 0
        private var unsent = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var octets = self.unwrapInboundIn(data)
            if self.awaited == nil {
                self.head += octets.readString(length: octets.readableBytes) ?? ""
                guard let end = self.head.firstRange(of: "\r\n\r\n") else { return }
                let length = self.head.firstMatch(of: /(?i)content-length: *([0-9]+)/).flatMap { Int($0.1) }
                self.awaited = length ?? 0
                octets = ByteBuffer(string: String(self.head[end.upperBound...]))
                if self.head.contains("100-continue") { self.send("HTTP/1.1 100 Continue\r\n\r\n", context) }
            }
            self.received += octets.readableBytes
            if self.received == self.awaited { self.answer(context) }
        }

        private func answer(_ context: ChannelHandlerContext) {
            let text = "\(self.received)"
            let size = self.head.firstMatch(of: /^GET \/([0-9]+)/).flatMap { Int($0.1) }
            self.head = ""
            self.awaited = nil
            self.received = 0
            self.send("HTTP/1.1 200 OK\r\nContent-Length: \(size ?? text.utf8.count)\r\n\r\n", context)
            guard let size else { return self.send(text, context) }
            self.unsent = size
            self.sendMore(context)
        }

        private func send(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) { self.sendMore(context) }

        private func sendMore(_ context: ChannelHandlerContext) {
            while self.unsent > 0, context.channel.isWritable {
                let piece = Self.piece.getSlice(at: 0, length: min(self.unsent, Self.piece.readableBytes))
                self.unsent -= piece?.readableBytes ?? 0
                context.writeAndFlush(self.wrapOutboundOut(piece ?? ByteBuffer()), promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
