//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@Suite("The gate when connections break", .serialized, .timeLimit(.minutes(5)))
struct GateFaultTests {
    @Test(
        "A server that vanishes after any octet leaves no connection and no waiting write behind",
        arguments: Array(stride(from: 0, to: 2_600, by: 97)))
    func vanishing(octets: Int) async throws {
        let gate = try ServerTrustGateTests.gate { settings in
            settings.handler = AnsweringHandler { _ in .performDefaultHandling }
        }
        try await ATSTestServer.with(.init(), try ATSFixture.ecdsa.get()) { server in
            try await CuttingRelay.with(server.port, after: octets) { port in
                let outcome = try await ATSTestClient.run(gate, port: port)
                // A cut behind the answer is no fault.
                #expect(outcome.isAllowed || outcome.errors.count == 1, "\(outcome)")
                #expect(outcome.events.contains(.wrote) || outcome.events.contains(.notWritten))
                #expect(outcome.verdict != nil)
            }
        }
    }

    @Test("A thousand attempts that are cancelled at any time leave no connection and no handler behind")
    func cancelled() async throws {
        let running = Mutex(0)
        let gate = try ServerTrustGateTests.gate { settings in
            settings.handler = AnsweringHandler { _ in
                running.withLock { $0 += 1 }
                defer { running.withLock { $0 -= 1 } }
                try await Task.sleep(for: .milliseconds(3))
                return .performDefaultHandling
            }
        }
        try await ATSTestServer.with(.init(), try ATSFixture.ecdsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            var random = SystemRandomNumberGenerator()
            for _ in 0..<50 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        let delay = Duration.microseconds(Int64.random(in: 0...15_000, using: &random))
                        group.addTask {
                            let attempt = Task {
                                let gated = try await gate.connect(to: destination, connectAddress: "127.0.0.1")
                                try await gated.channel.close()
                            }
                            try? await Task.sleep(for: delay)
                            attempt.cancel()
                            _ = await attempt.result
                        }
                    }
                }
            }
            let end = ContinuousClock.now + .seconds(30)
            while server.seen.openConnections > 0 || running.withLock({ $0 }) > 0, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(server.seen.openConnections == 0)
            #expect(running.withLock { $0 } == 0)
        }
    }

    @Test("A server that half-closes is heard to its end, and may still be written to")
    func halfClosed() async throws {
        let gate = try ServerTrustGateTests.gate()
        try await ATSTestServer.with(.init(greeting: "hello"), try ATSFixture.ecdsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            let gated = try await gate.connect(to: destination, connectAddress: "127.0.0.1")
            try await gated.channel.writeAndFlush(ByteBuffer(string: "ping"))
            try? await gated.channel.close(mode: .output)
            #expect(try await server.seenAfterAWhile(.seconds(30)).received == Array("ping".utf8))
            try? await gated.channel.close()
        }
    }
}

/// A relay that ends both sides once a server has sent some octets.
private enum CuttingRelay {
    static func with(_ target: Int, after limit: Int, _ body: (Int) async throws -> Void) async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(Hand(to: server, limit: .max))
                        try server.pipeline.syncOperations.addHandler(Hand(to: client, limit: limit))
                        server.read()
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(try #require(listener.localAddress?.port)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        try result.get()
    }

    private final class Hand: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private var rest: Int

        init(to other: any Channel, limit: Int) {
            (self.other, self.rest) = (other, limit)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            if self.rest == 0 { self.end(context) }
        }

        func channelActive(context: ChannelHandlerContext) { context.read() }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var buffer = self.unwrapInboundIn(data)
            guard let part = buffer.readSlice(length: min(self.rest, buffer.readableBytes)) else { return }
            self.rest -= part.readableBytes
            self.other.writeAndFlush(part, promise: nil)
            if self.rest == 0 { self.end(context) } else { context.read() }
        }

        func channelInactive(context: ChannelHandlerContext) { self.other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func end(_ context: ChannelHandlerContext) {
            self.other.close(promise: nil)
            context.close(promise: nil)
        }
    }
}
