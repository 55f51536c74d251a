//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustTesting
import Synchronization
import TLSWire
import TestSupport
import Testing

import struct X509.ExtendedKeyUsage
import struct X509.KeyUsage

@testable import ServerTrustNIO

@Suite("The gate of a server", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ClientTrustGateTests {
    @Test("A client that is not trusted reaches nothing and is sent nothing", arguments: ClientFault.all)
    func untrusted(fault: ClientFault) async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings(fault.change))
        for version in [TLSVersion.tlsv12, .tlsv13] {
            try await GatedTestServer.with(gate) { server in
                let heard = try await Self.talk(to: server.port, version, try fault.chain())
                let seen = try await server.seen(afterOutcomes: 1)
                let comment: Comment = "\(fault.name) over \(version): \(seen)"
                #expect(heard.isEmpty && seen.received.isEmpty, comment)
                let error = #expect(throws: ClientTrustError.self, comment) { try seen.outcomes.first?.get() }
                #expect(error?.code == fault.code, comment)
                #expect(error?.failure?.code == fault.failure, comment)
                #expect(seen.errors.count == 1 && seen.errors.first is ClientTrustError, comment)
                #expect(error?.description.hasPrefix("The client") == true, "\(error?.description ?? "")")
            }
        }
    }

    @Test("A trusted client is let through with its names", arguments: [TLSVersion.tlsv12, .tlsv13])
    func trusted(version: TLSVersion) async throws {
        var settings = try ClientFixture.settings()
        settings.tls.applicationProtocols = ["echo"]
        let gate = try ClientTrustGate(settings)
        try await GatedTestServer.with(gate) { server in
            let heard = try await Self.talk(to: server.port, version, try ClientFixture.good.get())
            #expect(heard == "hello\npong\n")
            let client = try #require(try await server.seen(afterOutcomes: 1).outcomes.first?.get())
            let identity = try #require(client.identity)
            #expect(identity.spiffeID?.description == "spiffe://example.org/web")
            #expect(identity.emailAddresses == ["client@example.com"])
            #expect(identity.uniformResourceIdentifiers == ["spiffe://example.org/web"])
            #expect(identity.subject == "CN=client" && identity.dnsNames.isEmpty)
            #expect(identity.key == (try ClientFixture.good.get()[0].publicKey))
            #expect(identity.result.path.count == 3)
            #expect(client.version == TLSProtocolVersion(version) && client.cipherSuite != nil)
            #expect(client.applicationProtocol == "echo")
        }
    }

    @Test("Where a certificate is optional, one that is presented is judged all the same")
    func optional() async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings { $0.presentation = .optional })
        try await GatedTestServer.with(gate) { server in
            let without = try await Self.talk(to: server.port, .tlsv13, [])
            #expect(without == "hello\npong\n")
            let stranger = [try TestAuthority().selfSigned(.client(commonName: "stranger"))]
            let refused = try await Self.talk(to: server.port, .tlsv13, stranger)
            #expect(refused.isEmpty)
            let seen = try await server.seen(afterOutcomes: 2)
            let client = try seen.outcomes.first?.get()
            #expect(client?.identity == nil)
            #expect(throws: ClientTrustError.self) { try seen.outcomes.last?.get() }
        }
    }

    @Test("Authorities are replaced while the server runs, and unusable settings change nothing")
    func replaced() async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings())
        let good = try ClientFixture.good.get()
        try await GatedTestServer.with(gate) { server in
            let first = try await Self.talk(to: server.port, .tlsv13, good)
            #expect(!first.isEmpty)
            try gate.update { $0.anchors = try TestAuthority().anchors }
            let second = try await Self.talk(to: server.port, .tlsv13, good)
            #expect(second.isEmpty)
            #expect(throws: (any Error).self) {
                try gate.update { settings in
                    settings.anchors = try ClientFixture.authority.get().anchors
                    // A key that is not the certificate's.
                    settings.tls.privateKey = .privateKey(
                        try NIOSSLPrivateKey(bytes: Array(good[0].privateKey.pem.utf8), format: .pem))
                }
            }
            let third = try await Self.talk(to: server.port, .tlsv13, good)
            #expect(third.isEmpty)
        }
    }

    @Test("A client whose hello comes in many small pieces is judged like any other")
    func pieces() async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings())
        try await GatedTestServer.with(gate) { server in
            for size in [1, 7, 60, 400] {
                let heard = try await Self.talk(to: server.port, .tlsv13, try ClientFixture.good.get(), piece: size)
                #expect(heard == "hello\npong\n", "\(size) octets at once")
            }
        }
    }

    @Test(
        "Octets that are no hello are refused, and reach nothing",
        arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}"])
    func notAHello(text: String) async throws {
        var settings = try ClientFixture.settings()
        settings.handshakeTimeout = .milliseconds(500)
        let gate = try ClientTrustGate(settings)
        try await GatedTestServer.with(gate) { server in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: server.port).get()
            try await channel.writeAndFlush(ByteBuffer(string: text))
            try await channel.closeFuture.get()
            let seen = try await server.seen(afterOutcomes: 1)
            #expect(seen.received.isEmpty && seen.errors.count == 1)
            #expect(throws: ClientTrustError.self) { try seen.outcomes.first?.get() }
        }
    }

    /// Connects with a certificate, says `ping`, and tells what the server says.
    ///
    /// - Parameter piece: The octets of a segment of the hello; `nil` for as many as there are.
    static func talk(
        to port: Int, _ version: TLSVersion, _ chain: [TestCertificate], piece: Int? = nil
    ) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
        configuration.certificateVerification = .none
        configuration.applicationProtocols = ["echo"]
        configuration.certificateChain = try chain.map {
            .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
        }
        if let leaf = chain.first {
            configuration.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(leaf.privateKey.pem.utf8), format: .pem))
        }
        let context = try NIOSSLContext(configuration: configuration)
        let heard = Heard()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let piece { try channel.pipeline.syncOperations.addHandler(PieceSender(piece)) }
                    try channel.pipeline.syncOperations.addHandlers([
                        try NIOSSLClientHandler(context: context, serverHostname: nil), Pinger(heard),
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
        return heard.text.withLock { $0 }
    }
}

/// Sends the first write in pieces, each in a segment of its own.
private final class PieceSender: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let size: Int
    private var isFirst = true

    init(_ size: Int) {
        self.size = size
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard self.isFirst else {
            context.write(data, promise: promise)
            return
        }
        self.isFirst = false
        var octets = self.unwrapOutboundIn(data)
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        var delay = TimeAmount.zero
        while let piece = octets.readSlice(length: min(self.size, octets.readableBytes)), piece.readableBytes > 0 {
            context.eventLoop.scheduleTask(in: delay) { context.value.writeAndFlush(NIOAny(piece), promise: nil) }
            delay = delay + .milliseconds(2)
        }
        promise?.succeed(())
    }
}

/// Says `ping` at once, and closes after an answer.
private final class Pinger: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let heard: Heard

    init(_ heard: Heard) {
        self.heard = heard
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: "ping")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isOver = self.heard.text.withLock { text in
            text += String(buffer: self.unwrapInboundIn(data))
            return text.hasSuffix("pong\n")
        }
        if isOver { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

private final class Heard: Sendable {
    let text = Mutex("")
}

/// A client that a server refuses.
struct ClientFault: Sendable, CustomTestStringConvertible {
    let name: String
    let code: ClientTrustError.Code
    var failure: String?
    var change: @Sendable (inout ClientTrustSettings) throws -> Void = { _ in }
    let chain: @Sendable () throws -> [TestCertificate]

    var testDescription: String { self.name }

    static let all: [ClientFault] = [
        ClientFault(name: "no certificate", code: .noCertificate) { [] },
        ClientFault(name: "self-signed", code: .untrusted, failure: "untrusted-root") {
            [try TestAuthority().selfSigned(.client(commonName: "client"))]
        },
        ClientFault(name: "another authority's", code: .untrusted, failure: "unknown-issuer") {
            [try TestAuthority(root: .root(commonName: "Stranger")).issue(.client(commonName: "client"))]
        },
        ClientFault(name: "a server's", code: .untrusted, failure: "eku") {
            try ClientFixture.chain(.leaf(dnsNames: ["server.test"]))
        },
        ClientFault(name: "expired", code: .untrusted, failure: "expired") {
            try ClientFixture.chain(.client(commonName: "client")) {
                $0.setValidity(from: .seconds(-86_400), lasting: .seconds(3_600))
            }
        },
        ClientFault(
            name: "revoked", code: .untrusted, failure: "revoked",
            change: { settings in
                settings.revocation.lists = [try ClientFixture.intermediate.get().revocationList(revoking: [4_711])]
            },
            chain: { try ClientFixture.chain(.client(commonName: "client")) { $0.serialNumber = .init(4_711) } }),
        ClientFault(
            name: "not pinned", code: .untrusted, failure: "path-not-pinned",
            change: { $0.pins = try PinSet([Pin(subjectPublicKeyInfo: [1])]) },
            chain: { try ClientFixture.good.get() }),
        ClientFault(
            name: "too many", code: .unreadable, change: { $0.maximumCertificateCount = 1 },
            chain: { try ClientFixture.good.get() }),
    ]
}

@Suite("Names of workloads")
struct SPIFFEIDTests {
    @Test(
        "Only a leaf with one URI that has a path names a workload",
        arguments: [
            (["spiffe://example.org/web"], false, "spiffe://example.org/web"), (["spiffe://example.org"], false, nil),
            (["spiffe://example.org/web", "https://example.org"], false, nil),
            (["spiffe://example.org/web"], true, nil),
            (
                ["spiffe://example.org/" + String(repeating: "a", count: 1_000)], false,
                "spiffe://example.org/" + String(repeating: "a", count: 1_000)
            ),
        ] as [([String], Bool, String?)])
    func leaf(names: [String], signs: Bool, expected: String?) throws {
        var description = CertificateDescription.client(commonName: "client", uniformResourceIdentifiers: names)
        if signs { description.keyUsage = KeyUsage(digitalSignature: true, keyCertSign: true) }
        let authority = try ClientFixture.authority.get()
        let certificate = try authority.issue(description).trustCertificate
        let trust = try Trust(
            certificates: [certificate], policy: .tlsClient(),
            configuration: TrustConfiguration(anchors: authority.anchors))
        let identity = ClientIdentity(trust.evaluate())
        #expect(identity?.spiffeID?.description == expected)
        #expect(identity == nil || identity?.uniformResourceIdentifiers == names)
    }

    @Test(
        "What the standard does not have is no SPIFFE ID",
        arguments: [
            "", "spiffe://", "spiffe:///path", "https://example.org/web", "spiffe://example.org/",
            "spiffe://example.org//web",
            "spiffe://example.org/web/", "spiffe://example.org/./web", "spiffe://example.org/../web",
            "spiffe://user@example.org/web", "spiffe://example.org:443/web", "spiffe://example.org/web?query",
            "spiffe://example.org/web#fragment", "spiffe://example.org/%77eb", "spiffe://Example.org/web",
            "spiffe://example.org/w\u{E9}b", "spiffe://" + String(repeating: "a", count: 256),
            "spiffe://example.org/" + String(repeating: "a", count: 2_048),
        ])
    func refused(text: String) {
        #expect(SPIFFEID(text) == nil)
    }

    @Test(
        "Trust domain and path are read",
        arguments: [
            ("spiffe://example.org", "example.org", ""),
            ("SPIFFE://example.org/a/B_c-1.x", "example.org", "/a/B_c-1.x"),
        ])
    func read(text: String, domain: String, path: String) {
        let identifier = SPIFFEID(text)
        #expect(identifier?.trustDomain == domain && identifier?.path == path)
        #expect(identifier?.description == "spiffe://\(domain)\(path)")
    }
}
