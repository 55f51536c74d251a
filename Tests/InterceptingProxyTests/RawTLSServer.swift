//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import ServerTrustTesting
import Synchronization
import Testing

/// A server of `server.test` that takes connections and requests, and never answers, or as a test says.
struct RawTLSServer {
    let port: Int
    private let count: Count

    private final class Count: Sendable {
        let open = Mutex(0)
        let requests = Mutex(0)
    }

    static func with<R>(
        answering answer: @escaping @Sendable (String) -> String? = { _ in nil },
        _ body: (RawTLSServer) async throws -> R
    ) async throws -> R {
        let leaf = try ProxyScene.chain()[0]
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: leaf.der, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leaf.privateKey.pem.utf8), format: .pem)))
        let (context, count) = (try NIOSSLContext(configuration: configuration), Count())
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                count.open.withLock { $0 += 1 }
                channel.closeFuture.whenComplete { _ in count.open.withLock { $0 -= 1 } }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(Sink(answer) { count.requests.withLock { $0 += 1 } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<R, any Error>
        do {
            outcome = .success(
                try await body(RawTLSServer(port: try #require(listener.localAddress?.port), count: count)))
        } catch {
            outcome = .failure(error)
        }
        try await listener.close()
        return try outcome.get()
    }

    /// Waits until a request has come.
    func waitForConnection() async throws {
        for _ in 0..<3_000 where self.count.requests.withLock({ $0 }) == 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(self.count.requests.withLock { $0 } > 0)
    }

    /// Waits until no connection is open, or five seconds have passed.
    func hasNoConnection() async throws -> Bool {
        for _ in 0..<3_000 where self.count.open.withLock({ $0 }) > 0 { try await Task.sleep(for: .milliseconds(10)) }
        return self.count.open.withLock { $0 } == 0
    }

    private final class Sink: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        typealias OutboundOut = ByteBuffer

        private let answer: (String) -> String?
        private let note: () -> Void

        init(_ answer: @escaping (String) -> String?, _ note: @escaping () -> Void) {
            self.answer = answer
            self.note = note
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.note()
            guard let text = self.answer(String(buffer: self.unwrapInboundIn(data))) else { return }
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            // An empty answer is the end.
            if text.isEmpty { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
