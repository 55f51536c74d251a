//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import NIOTLS
import ServerTrust
import ServerTrustNIO

extension Benchmarks {
    /// Handshakes in which a server verifies its client (mutual TLS): `ClientTrustGate` against swift-nio-ssl's own verification
    /// of the same client with the same root.
    static func clientHandshakes() async throws {
        print(
            "\n| a server's handshakes per second of processor time | swift-nio-ssl | no cache | ratio | the default | ratio |"
        )
        print("|---|---|---|---|---|---|")
        for (root, intermediate) in [
            (Chain.Key.rsa4096, Chain.Key.rsa2048), (.p384, .p384), (.p384, .p256), (.p256, .p256),
        ] {
            let chain = try Chain(root: root, intermediate: intermediate, leaf: root == .rsa4096 ? .rsa2048 : .p256)
            for version in [TLSVersion.tlsv13, .tlsv12] { try await Self.clientHandshakes(chain, version) }
        }
    }

    private static func clientHandshakes(_ chain: Chain, _ version: TLSVersion) async throws {
        let sides = try MutualTLS(chain, version)
        let (plain, cold, usual) = (
            try await sides.plain(), try await sides.gated { $0.signatureCache = nil }, try await sides.gated()
        )
        let results = try await ratios(
            [
                Contestant(name: "swift-nio-ssl") { try await sides.shakeHands(with: plain) },
                Contestant(name: "no cache") { try await sides.shakeHands(with: cold) },
                Contestant(name: "the default") { try await sides.shakeHands(with: usual) },
            ], rounds: 41, batch: 60)
        for server in [plain, cold, usual] { try await server.stop() }
        let name = "\(chain.name), \(version == .tlsv13 ? "TLS 1.3" : "TLS 1.2")"
        let cells = results.dropFirst().map { String(format: "%d | %.3f", Int(1e6 / $0.microseconds), 1 / $0.ratio) }
        print("| \(name) | \(Int(1e6 / results[0].microseconds)) | \(cells.joined(separator: " | ")) |")
    }
}

/// A client that presents a chain, and servers that present the same.
private struct MutualTLS: Sendable {
    private let root: [UInt8]
    private let server: TLSConfiguration
    private let client: NIOSSLContext

    init(_ chain: Chain, _ version: TLSVersion) throws {
        let certificates = try [chain.leaf, chain.intermediate].map {
            NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
        }
        let key = try NIOSSLPrivateKey(bytes: Array(chain.leafKey.serializeAsPEM().pemString.utf8), format: .pem)
        self.root = chain.root.der
        var server = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates, privateKey: .privateKey(key))
        (server.minimumTLSVersion, server.maximumTLSVersion) = (version, version)
        self.server = server
        var client = TLSConfiguration.makeClientConfiguration()
        (client.certificateChain, client.privateKey) = (certificates, .privateKey(key))
        client.certificateVerification = .none
        (client.minimumTLSVersion, client.maximumTLSVersion) = (version, version)
        self.client = try NIOSSLContext(configuration: client)
    }

    func plain() async throws -> HandshakeServer {
        var server = self.server
        server.certificateVerification = .noHostnameVerification
        server.trustRoots = .certificates([try NIOSSLCertificate(bytes: self.root, format: .der)])
        server.sendCANameList = true
        let context = try NIOSSLContext(configuration: server)
        return try await .start {
            try $0.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: context), OctetSender()])
        }
    }

    func gated(_ change: (inout ClientTrustSettings) -> Void = { _ in }) async throws -> HandshakeServer {
        var settings = ClientTrustSettings(
            trust: .only([try ServerTrust.Certificate(der: self.root)]), tls: self.server)
        change(&settings)
        let gate = try ClientTrustGate(settings)
        return try await .start { channel in
            try channel.pipeline.syncOperations.addClientTrustHandlers(gate)
            try channel.pipeline.syncOperations.addHandler(OctetSender())
        }
    }

    func shakeHands(with server: HandshakeServer) async throws {
        let client = self.client
        try await server.shakeHands { channel, done in
            let tls = try NIOSSLClientHandler(context: client, serverHostname: Chain.host)
            try channel.pipeline.syncOperations.addHandlers([tls, FirstOctet(done)])
        }
    }
}

/// Sends an octet once the handshake is complete: in TLS 1.3 a client has ended its part before the server has verified it.
private final class OctetSender: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(integer: 1 as UInt8)), promise: nil)
    }
}

/// Waits for an octet of the server.
private final class FirstOctet: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let done: EventLoopPromise<Void>

    init(_ done: EventLoopPromise<Void>) {
        self.done = done
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.done.succeed() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.done.fail(error) }
}
