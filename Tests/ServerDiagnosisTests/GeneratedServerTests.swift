//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

/// Servers of OpenSSL, set up at random: the reading handshake sees of each what `openssl s_client` sees.
///
/// `GENERATED_SERVERS=2000 swift test --filter GeneratedServerTests` asks more than the two hundred that it asks by itself.
@Suite(
    "Generated servers, read beside OpenSSL", .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(if: OpenSSLServer.path != nil, "openssl is not installed"))
struct GeneratedServerTests {
    private static let count = ProcessInfo.processInfo.environment["GENERATED_SERVERS"].flatMap { Int($0) } ?? 200

    @Test("Chain, staple and proof of the key are those that OpenSSL's client sees", arguments: [UInt64(1)])
    func agreement(seed: UInt64) async throws {
        let chains = try GeneratedServer.chains()
        var random = SeededGenerator(state: seed)
        var read = 0
        for number in 0..<Self.count {
            let server = try #require(GeneratedServer(chains, using: &random))
            let (ours, peers) = try await server.views()
            #expect(ours == peers, "server \(number): \(server.options) \(server.kind)")
            read += ours.isProven ? 1 : 0
        }
        // Servers that come to nothing compare nothing.
        #expect(read * 2 > Self.count, "\(read) of \(Self.count)")
    }
}

/// What a client sees of a server.
private struct ServerView: Equatable, CustomTestStringConvertible {
    /// Whether the server proved to hold its key.
    let isProven: Bool
    let version: String?
    let certificates: [[UInt8]]
    let hasStaple: Bool

    var testDescription: String {
        "\(self.isProven) \(self.version ?? "") \(self.certificates.map(\.count)) \(self.hasStaple)"
    }
}

/// One server: its key, and options of `openssl s_server`.
private struct GeneratedServer {
    let kind: TestKeyKind
    let chain: [TestCertificate]
    let options: [String]
    let hasStaple: Bool

    /// An OCSP response that says no more than "unauthorized" (RFC 6960 §4.2.1).
    private static let response: [UInt8] = [0x30, 0x03, 0x0A, 0x01, 0x06]

    private static let choices: [[[String]]] = [
        [[], ["-tls1_2"], ["-tls1_3"]],
        [
            [], ["-cipher", "ECDHE+AESGCM"], ["-cipher", "ECDHE+CHACHA20"],
            ["-cipher", "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384"],
        ],
        [
            [], ["-ciphersuites", "TLS_AES_128_GCM_SHA256"], ["-ciphersuites", "TLS_AES_256_GCM_SHA384"],
            ["-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"], ["-ciphersuites", "TLS_AES_128_CCM_SHA256"],
        ],
        [
            [], [], ["-groups", "X25519"], ["-groups", "P-256"], ["-groups", "P-384"], ["-groups", "P-521:P-384"],
            ["-groups", "X448"],
        ],
        [[], [], ["-sigalgs", "RSA+SHA512:ECDSA+SHA384"], ["-sigalgs", "RSA-PSS+SHA256:ECDSA+SHA256:ed25519"]],
        [[], [], ["-Verify", "1"]],
    ]

    static func chains() throws -> [(TestKeyKind, [TestCertificate])] {
        let authority = try TestAuthority()
        let intermediate = try authority.issue(.intermediate(commonName: "Intermediate"))
        return try [TestKeyKind.rsa2048, .p256, .p384, .p521, .ed25519].map { kind in
            var leaf = CertificateDescription.leaf(dnsNames: ["server.test"])
            leaf.keyKind = kind
            let issued = try authority.issue(leaf, by: intermediate)
            return (kind, [issued, intermediate])
        }
    }

    init?(_ chains: [(TestKeyKind, [TestCertificate])], using random: inout SeededGenerator) {
        guard let (kind, chain) = chains.randomElement(using: &random) else { return nil }
        self.kind = kind
        self.chain = chain
        self.options = Self.choices.flatMap { $0.randomElement(using: &random) ?? [] }
        self.hasStaple = Bool.random(using: &random)
    }

    /// What the reading handshake sees of the server, and what OpenSSL's client sees.
    func views() async throws -> (ours: ServerView, peers: ServerView) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("generated-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let staple = folder.appendingPathComponent("staple.der")
        try Data(Self.response).write(to: staple)
        let options = self.options + (self.hasStaple ? ["-status_file", staple.path] : [])
        return try await OpenSSLServer.with(options, self.chain) { port in
            (try Self.own(port), try await Self.peer(port, folder.appendingPathComponent("output")))
        }
    }

    private static func own(_ port: Int) throws -> ServerView {
        var offer = HandshakeOffer()
        offer.serverName = "server.test"
        (offer.minimumVersion, offer.maximumVersion) = (.tls12, .tls13)
        offer.cipherSuites = [0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8].map(CipherSuite.init)
        let result = try RecordedHandshake(port, offer).result
        #expect(result.ocspResponse == nil || result.ocspResponse == Self.response)
        let isProven = result.isKeyProven && result.failure == nil
        return ServerView(
            isProven: isProven, version: isProven ? result.version?.description : nil,
            certificates: isProven ? result.certificates : [], hasStaple: isProven && result.ocspResponse != nil)
    }

    private static func peer(_ port: Int, _ file: URL) async throws -> ServerView {
        try Data().write(to: file)
        let arguments = [
            "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "server.test", "-showcerts", "-status",
            "-groups", "X25519:P-256:P-384:P-521", "-min_protocol", "TLSv1.2", "-cipher", Self.suites,
            "-sigalgs", Self.signatures,
        ]
        var program = TestProcess.Settings(try #require(OpenSSLServer.path), arguments)
        program.environment = ["OPENSSL_CONF": "/dev/null"]
        program.output = file.path
        _ = await (try TestProcess(program)).ending()
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let match = text.firstMatch(of: /New, TLSv(1\.[23]), Cipher is (?!\(NONE\))/) else {
            return ServerView(isProven: false, version: nil, certificates: [], hasStaple: false)
        }
        let blocks = text.matches(of: /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/)
        let certificates = blocks.compactMap { Data(base64Encoded: String($0.1), options: .ignoreUnknownCharacters) }
        return ServerView(
            isProven: true, version: "TLS \(match.1)", certificates: certificates.map { Array($0) },
            hasStaple: text.contains("OCSP Response Status: unauthorized"))
    }

    private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20:@SECLEVEL=0"
    private static let signatures =
        "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:RSA-PSS+SHA256:RSA-PSS+SHA384:RSA-PSS+SHA512:ed25519:ed448:"
        + "rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512:RSA+SHA256:RSA+SHA384:RSA+SHA512:ECDSA+SHA1:RSA+SHA1"
}
