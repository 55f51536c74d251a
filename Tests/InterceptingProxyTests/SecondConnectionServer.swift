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

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server that speaks TLS on its first connection, on which a proxy judges it, and does what a test says on all others.
struct SecondConnectionServer {
    /// What it does once the first octets have come.
    enum Behavior: Sendable {
        case send([UInt8])
        case sendAndClose([UInt8])
        case reset
        case silence
        case closeAtOnce
        /// What came is sent back.
        case echo
        /// Nothing is read behind the first octets.
        case stop([UInt8])
        /// Octets for as long as the other end takes them, behind a hello.
        case endless([UInt8])
    }

    let port: Int
    private let counts: Counts

    private final class Counts: Sendable {
        let open = Mutex(0)
        let accepted = Mutex(0)
        let received = Mutex([UInt8]())
        let sent = Mutex(0)
    }

    /// What came on all connections but the first.
    var received: [UInt8] { self.counts.received.withLock { $0 } }
    /// The octets that the system has taken.
    var sent: Int { self.counts.sent.withLock { $0 } }
    var connections: Int { self.counts.accepted.withLock { $0 } }

    /// Waits until no connection is open, or ten seconds have passed.
    func hasNoConnection() async throws -> Bool {
        for _ in 0..<3_000 where self.counts.open.withLock({ $0 }) > 0 { try await Task.sleep(for: .milliseconds(10)) }
        return self.counts.open.withLock { $0 } == 0
    }

    static func with<R>(
        _ behavior: Behavior, _ body: (SecondConnectionServer) async throws -> R
    ) async throws -> R {
        let leaf = try ProxyScene.chain()[0]
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: leaf.der, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leaf.privateKey.pem.utf8), format: .pem)))
        let (context, counts) = (try NIOSSLContext(configuration: configuration), Counts())
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                counts.open.withLock { $0 += 1 }
                channel.closeFuture.whenComplete { _ in counts.open.withLock { $0 -= 1 } }
                let number = counts.accepted.withLock { count in
                    count += 1
                    return count
                }
                return channel.eventLoop.makeCompletedFuture {
                    if number == 1 {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    } else {
                        try channel.pipeline.syncOperations.addHandler(Script(behavior, counts))
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<R, any Error>
        do {
            outcome = .success(
                try await body(SecondConnectionServer(port: try #require(listener.localAddress?.port), counts: counts)))
        } catch {
            outcome = .failure(error)
        }
        try await listener.close()
        return try outcome.get()
    }

    private final class Script: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let behavior: Behavior
        private let counts: Counts
        private var hasBegun = false

        init(_ behavior: Behavior, _ counts: Counts) { (self.behavior, self.counts) = (behavior, counts) }

        func channelActive(context: ChannelHandlerContext) {
            if case .closeAtOnce = self.behavior { context.close(promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let octets = self.unwrapInboundIn(data)
            self.counts.received.withLock { $0 += octets.readableBytesView }
            if case .echo = self.behavior { context.writeAndFlush(self.wrapOutboundOut(octets), promise: nil) }
            guard !self.hasBegun else { return }
            self.hasBegun = true
            switch self.behavior {
            case .send(let octets): self.write(octets, context)
            case .sendAndClose(let octets):
                self.write(octets, context)
                context.close(promise: nil)
            case .reset:
                let channel = context.channel
                let isSet = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                isSet?.whenComplete { _ in channel.close(promise: nil) }
            case .stop(let octets):
                self.write(octets, context)
                try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            case .endless(let octets):
                self.write(octets, context)
                self.writeOn(context)
            case .silence, .closeAtOnce, .echo: break
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func write(_ octets: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: octets)), promise: nil)
        }

        private func writeOn(_ context: ChannelHandlerContext) {
            let record: [UInt8] = [23, 3, 3, 0x40, 0] + [UInt8](repeating: 5, count: 16_384)
            let counts = self.counts
            let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: record))).whenSuccess {
                counts.sent.withLock { $0 += record.count }
                let (script, context) = loopBound.value
                script.writeOn(context)
            }
        }
    }
}
