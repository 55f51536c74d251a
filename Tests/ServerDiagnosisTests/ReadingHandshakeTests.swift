//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerDiagnosis
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing
import X509

/// Keys, and the schemes that their servers sign with in TLS 1.3 and 1.2.
private let keys: [(kind: TestKeyKind, schemes: Set<UInt16>)] = [
    (.rsa2048, [0x0804, 0x0401]), (.p256, [0x0403]), (.p384, [0x0503, 0x0403]), (.p521, [0x0603, 0x0403]),
    (.ed25519, [0x0807]),
]
private let versions: [(option: String, version: TLSProtocolVersion)] = [("-tls1_2", .tls12), ("-tls1_3", .tls13)]

@Suite(
    "Reading handshakes of OpenSSL", .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(if: OpenSSLServer.path != nil))
struct ReadingHandshakeTests {
    private let authority: TestAuthority

    init() throws { self.authority = try TestAuthority() }

    private func chain(_ kind: TestKeyKind) throws -> [TestCertificate] {
        let intermediate = try self.authority.issue(.intermediate(commonName: "Intermediate"))
        var leaf = CertificateDescription.leaf(dnsNames: ["server.test"])
        leaf.keyKind = kind
        // RFC 5280 §4.2.1.3: without an ephemeral key, the client encrypts for the server's.
        if kind == .rsa2048 { leaf.keyUsage = KeyUsage(digitalSignature: true, keyEncipherment: true) }
        return [try self.authority.issue(leaf, by: intermediate), intermediate]
    }

    private func offer(_ change: (inout HandshakeOffer) -> Void = { _ in }) -> HandshakeOffer {
        var offer = HandshakeOffer()
        offer.serverName = "server.test"
        offer.applicationProtocols = ["h2", "http/1.1"]
        offer.cipherSuites = [0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0x009C].map(CipherSuite.init)
        change(&offer)
        return offer
    }

    @Test("Chain and proof of each kind of key are read, in TLS 1.2 and 1.3", arguments: keys.indices, versions.indices)
    func proof(key: Int, version: Int) async throws {
        let (kind, schemes) = keys[key]
        let chain = try self.chain(kind)
        try await OpenSSLServer.with([versions[version].option, "-alpn", "http/1.1"], chain) { port in
            let recorded = try RecordedHandshake(port, self.offer())
            let result = recorded.result
            #expect(result.failure == nil && result.isKeyProven, "\(result)")
            #expect(result.certificates == chain.map(\.der) && result.version == versions[version].version)
            #expect(result.signatureScheme.map { schemes.contains($0.rawValue) } == true)
            #expect(result.applicationProtocol == "http/1.1" && result.group != nil)
            try recorded.expectThatDamageProvesNothing()
        }
    }

    @Test(
        "A server that wants another group asks for it, and gets a key",
        arguments: [("P-256", NamedGroup.secp256r1), ("P-384", .secp384r1), ("P-521", .secp521r1), ("X25519", .x25519)])
    func retry(name: String, group: NamedGroup) async throws {
        let chain = try self.chain(.p256)
        try await OpenSSLServer.with(["-tls1_3", "-groups", name], chain) { port in
            let recorded = try RecordedHandshake(port, self.offer())
            #expect(recorded.result.isKeyProven && recorded.result.group == group, "\(recorded.result)")
            #expect(recorded.answers == (group == .x25519 ? 0 : 1))
            try recorded.expectThatDamageProvesNothing()
        }
    }

    @Test(
        "Each suite of TLS 1.3 is read",
        arguments: ["AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"])
    func suites(name: String) async throws {
        let chain = try self.chain(.p256)
        try await OpenSSLServer.with(["-tls1_3", "-ciphersuites", "TLS_\(name)"], chain) { port in
            let recorded = try RecordedHandshake(port, self.offer())
            #expect(recorded.result.isKeyProven && recorded.result.cipherSuite?.description.hasSuffix(name) == true)
        }
    }

    @Test("A stapled response and the authorities of client certificates are read", arguments: versions.indices)
    func extras(version: Int) async throws {
        let chain = try self.chain(.p256)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("staple-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (staple, root) = (folder.appendingPathComponent("staple.der"), folder.appendingPathComponent("root.pem"))
        let response: [UInt8] = [0x30, 0x03, 0x0A, 0x01, 0x06]
        try Data(response).write(to: staple)
        try Data(self.authority.root.pem.utf8).write(to: root)
        let options = [
            versions[version].option, "-status_file", staple.path, "-Verify", "3", "-CAfile", root.path,
        ]
        try await OpenSSLServer.with(options, chain) { port in
            let recorded = try RecordedHandshake(port, self.offer())
            #expect(recorded.result.isKeyProven && recorded.result.ocspResponse == response, "\(recorded.result)")
            #expect(recorded.result.certificateRequest?.authorityCount == 1)
            try recorded.expectThatDamageProvesNothing()
        }
    }

    @Test("Suites without an ephemeral key, and versions before TLS 1.2, are read and prove nothing")
    func unproven() async throws {
        let chain = try self.chain(.rsa2048)
        for options in [["-tls1_2", "-cipher", "AES128-GCM-SHA256"], ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]] {
            try await OpenSSLServer.with(options, chain) { port in
                let recorded = try RecordedHandshake(
                    port, self.offer { $0.cipherSuites?.append(CipherSuite(rawValue: 0xC013)) })
                #expect(recorded.result.failure == nil && !recorded.result.isKeyProven, "\(recorded.result)")
                #expect(recorded.result.certificates == chain.map(\.der))
            }
        }
    }

    @Test(
        "The prober has the key proven all the same, by completing a handshake", arguments: [ProbePlan.ats, .standard])
    func completed(plan: ProbePlan) async throws {
        let chain = try self.chain(.rsa2048)
        try await OpenSSLServer.with(["-tls1_2", "-cipher", "AES128-GCM-SHA256"], chain) { port in
            let facts = try await Prober(.patient).facts(port, plan)
            #expect(facts.handshake == .completed && facts.chains.map(\.isProven) == [true])
            #expect(plan != .ats || facts.effort.connections <= 7)
        }
    }

    @Test("A server of TLS 1.3 alone shows staple, group and signature in one connection")
    func facts() async throws {
        let chain = try self.chain(.p384)
        try await OpenSSLServer.with(["-tls1_3"], chain) { port in
            let facts = try await Prober(.patient).facts(port, .ats)
            #expect(facts.chains.map(\.certificates) == [chain.map(\.der)] && facts.chains.allSatisfy(\.isProven))
            #expect(facts.selections.first?.group == .x25519 && facts.selections.first?.isComplete == true)
            #expect(facts.selections.first?.signatureScheme == SignatureScheme(rawValue: 0x0503))
            #expect(facts.features.ocspStapling == false && facts.effort.connections <= 7)
        }
    }
}
