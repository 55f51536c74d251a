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
    /// same roots and the same offer, on the same server.
    static func handshakes(_ store: TrustStore) async throws {
        print("\n| handshakes per second of processor time | swift-nio-ssl | no cache | ratio | the default | ratio |")
        print("|---|---|---|---|---|---|")
        for (root, intermediate, leaf) in [
            (Chain.Key.rsa4096, Chain.Key.rsa2048, Chain.Key.rsa2048), (.p384, .p256, .p256),
        ] {
            let chain = try Chain(root: root, intermediate: intermediate, leaf: leaf)
            for version in [TLSVersion.tlsv13, .tlsv12] { try await Self.handshakes(chain, version, store) }
        }
    }

    private static func handshakes(_ chain: Chain, _ version: TLSVersion, _ store: TrustStore) async throws {
        let server = try await HandshakeServer.start(chain, version)
        var anchors = TrustAnchors.store(store)
        anchors.add(try ServerTrust.Certificate(der: chain.root.der))
        let destination = ATSDestination(host: Chain.host)
        let usual = ServerTrustGate(ServerTrustSettings(anchors: anchors))
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
            ], rounds: 41, batch: 60)
        try await server.stop()
        let rates = results.map { Int(1e6 / $0.microseconds) }
        let name = "\(chain.name), \(version == .tlsv13 ? "TLS 1.3" : "TLS 1.2")"
        let ratio = results.map { String(format: "%.3f", 1 / $0.ratio) }
        print("| \(name) | \(rates[0]) | \(rates[1]) | \(ratio[1]) | \(rates[2]) | \(ratio[2]) |")
    }
}

/// A TLS server on 127.0.0.1, with an event loop of its own, and a client with another.
private struct HandshakeServer {
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
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
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
