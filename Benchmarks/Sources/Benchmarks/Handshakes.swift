//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerTrust
import ServerTrustNIO

extension Benchmarks {
    /// Handshakes over loopback: App Transport Security's against swift-nio-ssl's own verification of the same chain with the
    /// same roots and the same offer, on the same server. The last one accepts every certificate, which is as fast as a gate
    /// can be.
    static func handshakes(_ store: TrustStore) async throws {
        let columns = ["swift-nio-ssl", "no cache", "ratio", "the default", "ratio", "nothing verified", "ratio"]
        print("\n| handshakes per second of processor time | \(columns.joined(separator: " | ")) |")
        print("|---|\(columns.map { _ in "---" }.joined(separator: "|"))|")
        for (root, intermediate) in [
            (Chain.Key.rsa4096, Chain.Key.rsa2048), (.p384, .p384), (.p384, .p256), (.p256, .p256),
        ] {
            let chain = try Chain(root: root, intermediate: intermediate, leaf: root == .rsa4096 ? .rsa2048 : .p256)
            for version in [TLSVersion.tlsv13, .tlsv12] { try await Self.handshakes(chain, version, store) }
        }
    }

    private static func handshakes(_ chain: Chain, _ version: TLSVersion, _ store: TrustStore) async throws {
        let server = try await HandshakeServer.start(chain, version)
        var anchors = TrustAnchors.store(store)
        anchors.add(try ServerTrust.Certificate(der: chain.root.der))
        let destination = ATSDestination(host: Chain.host)
        let usual = ServerTrustGate(ServerTrustSettings(trust: TrustConfiguration(anchors: anchors)))
        var settings = usual.settings
        settings.signatureCache = nil
        let cold = ServerTrustGate(settings)
        var full = try cold.tlsConfiguration(for: destination)
        full.certificateVerification = .fullVerification
        full.trustRoots = .certificates(
            try (store.certificates.map(\.derRepresentation) + [chain.root.der]).map {
                try NIOSSLCertificate(bytes: $0, format: .der)
            })
        let context = try NIOSSLContext(configuration: full)
        let results = try await ratios(
            [
                Contestant(name: "swift-nio-ssl") {
                    try await server.shakeHands { channel, done in
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: Chain.host)
                        try channel.pipeline.syncOperations.addHandlers([tls, HandshakeEnd(done)])
                    }
                },
                Contestant(name: "no cache") { try await server.shakeHands(cold, destination) },
                Contestant(name: "the default") { try await server.shakeHands(usual, destination) },
                Contestant(name: "nothing verified") {
                    try await server.shakeHands { channel, done in
                        let tls = try NIOSSLClientHandler(
                            context: context, serverHostname: Chain.host,
                            customVerificationCallback: { _, result in result.succeed(.certificateVerified) })
                        try channel.pipeline.syncOperations.addHandlers([tls, HandshakeEnd(done)])
                    }
                },
            ], rounds: 41, batch: 60)
        try await server.stop()
        let name = "\(chain.name), \(version == .tlsv13 ? "TLS 1.3" : "TLS 1.2")"
        let cells = results.dropFirst().map { String(format: "%d | %.3f", Int(1e6 / $0.microseconds), 1 / $0.ratio) }
        print("| \(name) | \(Int(1e6 / results[0].microseconds)) | \(cells.joined(separator: " | ")) |")
    }
}

/// A TLS server on 127.0.0.1, with an event loop of its own, and a client with another.
struct HandshakeServer {
    private let listener: any Channel
    private let client = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    static func start(_ chain: Chain, _ version: TLSVersion) async throws -> HandshakeServer {
        let certificates = try [chain.leaf, chain.intermediate].map {
            NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
        }
        let key = try NIOSSLPrivateKey(bytes: Array(chain.leafKey.serializeAsPEM().pemString.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates, privateKey: .privateKey(key))
        (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
        let context = try NIOSSLContext(configuration: configuration)
        return try await Self.start { channel in
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
    }

    static func start(_ add: @escaping @Sendable (any Channel) throws -> Void) async throws -> HandshakeServer {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try add(channel) } }
            .bind(host: "127.0.0.1", port: 0).get()
        return HandshakeServer(listener: listener)
    }

    func stop() async throws {
        try await self.listener.close()
        try await self.client.shutdownGracefully()
    }

    func shakeHands(_ gate: ServerTrustGate, _ destination: ATSDestination) async throws {
        try await self.shakeHands { channel, done in
            try channel.pipeline.syncOperations.addServerTrustHandlers(gate, for: destination)
            try channel.pipeline.syncOperations.addHandler(HandshakeEnd(done))
        }
    }

    /// Connects, waits for the end of the handshake, and closes.
    func shakeHands(
        _ add: @escaping @Sendable (any Channel, EventLoopPromise<Void>) throws -> Void
    ) async throws {
        guard let address = self.listener.localAddress else { throw ChannelError.unknownLocalAddress }
        let done = self.client.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: self.client)
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try add(channel, done) } }
            .connect(to: address).get()
        try await done.futureResult.get()
        try await channel.close()
    }
}

/// Hears how a handshake ends.
final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let done: EventLoopPromise<Void>

    init(_ done: EventLoopPromise<Void>) {
        self.done = done
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { self.done.succeed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.done.fail(error)
    }
}
