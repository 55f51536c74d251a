//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@Suite("The gate when connections break", .serialized, .limitedConcurrency, .timeLimit(.minutes(10)))
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

    @Test("No TLS handler outlives its connection, however that ends", arguments: Ending.allCases)
    func lifetime(ending: Ending) async throws {
        let (handler, destination) = (WeakReference(), ATSDestination(host: ATSTestClient.host))
        let gate = try ServerTrustGateTests.gate(anchors: ending == .refused ? TrustAnchors.none : nil) { settings in
            guard ending == .decided else { return }
            settings.handler = AnsweringHandler { _ in .performDefaultHandling }
        }
        let outcome = try await ATSTestServer.with(.init(), try ATSFixture.ecdsa.get()) { server in
            try await CuttingRelay.with(server.port, after: ending == .cut ? 900 : .max) { port in
                try await ATSTestClient.run(port: port) { channel, verdict in
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addServerTrustHandlers(gate, for: destination, outcome: verdict)
                    handler.set(try pipeline.handler(type: NIOSSLClientHandler.self))
                    guard ending == .closed else { return }
                    try pipeline.addHandler(ClosesOnceActive())
                }
            }
        }
        #expect(outcome.isAllowed == (ending == .accepted || ending == .decided), "\(outcome)")
        #expect(try await handler.isGone(within: .seconds(30)))
    }

    enum Ending: CaseIterable {
        case accepted, decided, refused, cut, closed
    }

    @Test("No TLS handler of a server outlives its connection", arguments: [true, false])
    func serverLifetime(isAccepted: Bool) async throws {
        let handler = WeakReference()
        let chain = isAccepted ? try ClientFixture.good.get() : try ATSFixture.ecdsa.get()
        let gate = try ClientTrustGate(try ClientFixture.settings())
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addClientTrustHandlers(gate)
                    try channel.pipeline.syncOperations.addHandler(HandlerWitness(handler))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.certificateChain = try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) }
        tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(chain[0].privateKey.pem.utf8), format: .pem))
        let context = try NIOSSLContext(configuration: tls)
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        try NIOSSLClientHandler(context: context, serverHostname: ATSTestClient.host))
                }
            }
            .connect(to: try #require(listener.localAddress)).get()
        #expect(try await handler.wasSet(within: .seconds(30)))
        try? await client.close()
        #expect(try await handler.isGone(within: .seconds(30)))
        try await listener.close()
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

/// Whether an object is still there.
private final class WeakReference: @unchecked Sendable {
    private let lock = NIOLock()
    private weak var object: AnyObject?
    private var isSet = false

    func set(_ object: AnyObject) {
        self.lock.withLock { (self.object, self.isSet) = (object, true) }
    }

    func wasSet(within time: Duration) async throws -> Bool {
        try await self.isTrue(within: time) { self.isSet }
    }

    func isGone(within time: Duration) async throws -> Bool {
        try await self.isTrue(within: time) { self.isSet && self.object == nil }
    }

    private func isTrue(within time: Duration, _ condition: () -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            if self.lock.withLock(condition) { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}

/// Remembers the TLS handler in front of it once a handshake has ended, either way.
private final class HandlerWitness: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handler: WeakReference

    init(_ handler: WeakReference) {
        self.handler = handler
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { self.note(context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.note(context) }

    private func note(_ context: ChannelHandlerContext) {
        guard let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self) else { return }
        self.handler.set(tls)
    }
}

/// A relay that ends both sides once a server has sent some octets.
private enum CuttingRelay {
    static func with<R>(
        _ target: Int, after limit: Int, _ body: (Int) async throws -> R
    ) async throws -> R {
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
        let result: Result<R, any Error>
        do {
            result = .success(try await body(try #require(listener.localAddress?.port)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        return try result.get()
    }

    private final class Hand: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private var rest: Int

        init(to other: any Channel, limit: Int) {
            self.other = other
            self.rest = limit
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

/// Ends its connection as soon as it has sent its hello: in the middle of the handshake.
private final class ClosesOnceActive: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        channel.eventLoop.execute { channel.close(promise: nil) }
        context.fireChannelActive()
    }
}
