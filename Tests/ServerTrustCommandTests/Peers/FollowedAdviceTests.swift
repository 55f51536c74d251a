//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import Foundation
import ServerDiagnosis
import ServerTrust
import TestSupport
import Testing

/// The settings of a server that can be at fault, in the names of OpenSSL.
private struct Settings: Sendable {
    var versions = ["TLSv1.2", "TLSv1.3"]
    var suites: String?
    var newSuites: String?
    var groups: String?

    /// The lines or options that have a product do so.
    func lines(for product: RealProduct) -> [String] {
        let names = self.versions.joined(separator: " ")
        return switch product {
        case .nginx:
            ["ssl_protocols \(names);"]
                + [
                    self.suites.map { "ssl_ciphers \($0);" },
                    self.newSuites.map { "ssl_conf_command Ciphersuites \($0);" },
                    self.groups.map { "ssl_ecdh_curve \($0);" },
                ].compactMap(\.self)
        case .apache:
            ["SSLProtocol -all " + self.versions.map { "+\($0)" }.joined(separator: " ")]
                + [
                    self.suites.map { "SSLCipherSuite \($0)" }, self.newSuites.map { "SSLCipherSuite TLSv1.3 \($0)" },
                    self.groups.map { "SSLOpenSSLConfCmd Groups \($0)" },
                ].compactMap(\.self)
        default:
            [("ssl-min-ver", self.versions.first), ("ssl-max-ver", self.versions.last)].map { name, version in
                "\(name) \(version == "TLSv1" ? "TLSv1.0" : version ?? "")"
            }
                + [
                    self.suites.map { "ciphers \($0)" }, self.newSuites.map { "ciphersuites \($0)" },
                    self.groups.map { "curves \($0)" },
                ].compactMap(\.self)
        }
    }
}

/// What is wrong with a server, and what is to be changed, in the order of the work.
private struct MendedFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var settings = Settings()
    var leaf = RealAuthority.Leaf()
    let advice: [ServerAdvice.Kind]
    /// How often advice is followed: twice where the first change shows what could not be seen before.
    var rounds = 1
    /// Whether the authority has revoked the certificate.
    var isRevoked = false

    /// Whether the old key serves no longer.
    var needsNewKey: Bool { self.isRevoked || ![RealAuthority.p256, RealAuthority.rsa2048].contains(self.leaf.key) }
}

private let oldSuites = "ALL:@SECLEVEL=0"

private let faults = [
    MendedFault(
        testDescription: "TLS 1.1 only", settings: Settings(versions: ["TLSv1.1"], suites: oldSuites),
        advice: [.version]),
    MendedFault(
        testDescription: "TLS 1.0 only", settings: Settings(versions: ["TLSv1"], suites: oldSuites), advice: [.version]),
    MendedFault(
        testDescription: "Camellia only", settings: Settings(versions: ["TLSv1.2"], suites: "CAMELLIA256-SHA"),
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa2048), advice: [.cipherSuites]),
    MendedFault(
        testDescription: "no forward secrecy", settings: Settings(versions: ["TLSv1.2"], suites: "AES128-GCM-SHA256"),
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa2048), advice: [.cipherSuites]),
    MendedFault(
        testDescription: "finite-field Diffie-Hellman",
        settings: Settings(versions: ["TLSv1.2"], suites: "DHE-RSA-AES128-GCM-SHA256"),
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa2048), advice: [.cipherSuites]),
    MendedFault(
        testDescription: "an RSA key of 1,024 bits", settings: Settings(suites: oldSuites),
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa1024), advice: [.key]),
    MendedFault(
        testDescription: "a key on P-521", leaf: RealAuthority.Leaf(key: RealAuthority.curve("P-521")),
        advice: [.keyKind]),
    MendedFault(
        testDescription: "a key on P-224", settings: Settings(suites: oldSuites),
        leaf: RealAuthority.Leaf(key: RealAuthority.curve("P-224")), advice: [.keyKind]),
    MendedFault(
        testDescription: "an Ed25519 key", leaf: RealAuthority.Leaf(key: RealAuthority.ed25519), advice: [.keyKind]),
    MendedFault(
        testDescription: "a signature over SHA-1", settings: Settings(suites: oldSuites),
        leaf: RealAuthority.Leaf(digest: "sha1"), advice: [.digest]),
    MendedFault(
        testDescription: "a lifetime that is too long", leaf: RealAuthority.Leaf(days: 900), advice: [.certificate]),
    MendedFault(
        testDescription: "no extended key usage",
        leaf: RealAuthority.Leaf(extensions: "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\n"),
        advice: [.certificate]),
    MendedFault(
        testDescription: "a key usage without signatures",
        leaf: RealAuthority.Leaf(
            key: RealAuthority.rsa2048,
            extensions: "basicConstraints=CA:FALSE\nkeyUsage=keyEncipherment\nextendedKeyUsage=serverAuth\n"),
        advice: [.certificate]),
    MendedFault(
        testDescription: "no usage at all", leaf: RealAuthority.Leaf(extensions: "basicConstraints=CA:FALSE\n"),
        advice: [.certificate]),
    MendedFault(
        testDescription: "no usage at all, and a lifetime that is too long",
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa2048, days: 900, extensions: "basicConstraints=CA:FALSE\n"),
        advice: [.certificate]),
    MendedFault(
        testDescription: "a key usage without keyEncipherment for static RSA",
        settings: Settings(versions: ["TLSv1.2"], suites: "AES128-GCM-SHA256"),
        leaf: RealAuthority.Leaf(
            key: RealAuthority.rsa2048,
            extensions: "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=serverAuth\n"),
        advice: [.cipherSuites]),
    MendedFault(
        testDescription: "a path length in a server's certificate",
        leaf: RealAuthority.Leaf(
            extensions: "basicConstraints=CA:TRUE,pathlen:0\nkeyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n"),
        advice: [.certificate]),
    MendedFault(testDescription: "a revoked certificate", advice: [.certificate], isRevoked: true),
    MendedFault(
        testDescription: "a revoked certificate on an RSA key without serverAuth",
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa2048, extensions: "basicConstraints=CA:FALSE\n"),
        advice: [.certificate], isRevoked: true),
    MendedFault(
        testDescription: "another name", leaf: RealAuthority.Leaf(name: "DNS:b.test"), advice: [.name]),
    MendedFault(
        testDescription: "no intermediate", leaf: RealAuthority.Leaf(isWhole: false), advice: [.chain, .authority]),
    MendedFault(
        testDescription: "TLS 1.3 with CCM only",
        settings: Settings(versions: ["TLSv1.3"], newSuites: "TLS_AES_128_CCM_SHA256"), advice: [.newSuites]),
    MendedFault(
        testDescription: "X448 only", settings: Settings(groups: "X448"), advice: [.groups]),
    MendedFault(
        testDescription: "an Ed25519 key, X448 and another name at once", settings: Settings(groups: "X448"),
        leaf: RealAuthority.Leaf(key: RealAuthority.ed25519, name: "DNS:b.test"),
        advice: [.keyKind, .groups, .name]),
    MendedFault(
        testDescription: "a key on P-521 that X448 and CCM hide",
        settings: Settings(versions: ["TLSv1.3"], newSuites: "TLS_AES_128_CCM_SHA256", groups: "X448"),
        leaf: RealAuthority.Leaf(key: RealAuthority.curve("P-521")), advice: [.newSuites, .groups], rounds: 2),
    MendedFault(
        testDescription: "TLS 1.1, a small key and another name at once",
        settings: Settings(versions: ["TLSv1.1"], suites: oldSuites),
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa1024, name: "DNS:b.test"), advice: [.key, .version, .name]),
    MendedFault(
        testDescription: "no forward secrecy, SHA-1 and a long lifetime at once",
        settings: Settings(versions: ["TLSv1.2"], suites: "AES128-SHA:@SECLEVEL=0"),
        leaf: RealAuthority.Leaf(key: RealAuthority.rsa2048, days: 900, digest: "sha1"),
        advice: [.cipherSuites, .digest, .certificate]),
]

/// HAProxy has no setting for the one half of its advice before version 2.8.
private let uselessKey = MendedFault(
    testDescription: "a key on another curve, which OpenSSL cannot use in TLS 1.3",
    settings: Settings(versions: ["TLSv1.3"]),
    leaf: RealAuthority.Leaf(key: RealAuthority.curve("brainpoolP256r1")), advice: [.keyKind, .signatures])

/// Servers with faults are diagnosed, changed as the diagnosis says in the words that it has for them, and diagnosed again.
@Suite("Advice that is followed mends a server", .serialized, .limitedConcurrency, .timeLimit(.minutes(10)))
struct FollowedAdviceTests {
    @Test(
        .enabled(if: RealProduct.nginx.isInstalled, "nginx is not installed: apt install nginx"),
        arguments: faults + [uselessKey])
    fileprivate func nginx(fault: MendedFault) async throws { try await Self.check(fault, .nginx) }

    @Test(
        .enabled(if: RealProduct.apache.isInstalled, "Apache is not installed: apt install apache2"), arguments: faults)
    fileprivate func apache(fault: MendedFault) async throws { try await Self.check(fault, .apache) }

    @Test(
        .enabled(if: RealProduct.haproxy.isInstalled, "HAProxy is not installed: apt install haproxy"),
        arguments: faults)
    fileprivate func haproxy(fault: MendedFault) async throws { try await Self.check(fault, .haproxy) }

    private static func check(_ fault: MendedFault, _ product: RealProduct) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(fault.leaf, as: "site")
            let lists = fault.isRevoked ? [try await authority.revoke("site")] : []
            let oldKey = try authority.text("site.key")
            var server = RealServer(product: product, settings: fault.settings.lines(for: product))
            var diagnosed = try await Self.diagnosed(server, lists, in: folder)
            #expect(diagnosed.verdict == .failed)
            let kinds = Set(diagnosed.advice.flatMap { [$0.kind] + $0.others })
            #expect(kinds == Set(fault.advice), "\(diagnosed.advice.map(\.reason))")
            for _ in 0..<fault.rounds {
                for advice in diagnosed.advice { server.settings = try await advice.followed(by: server, authority) }
                diagnosed = try await Self.diagnosed(server, lists, in: folder)
            }
            #expect(
                diagnosed.verdicts.allSatisfy { $0.outcome == .passed },
                "\(server.settings) \(diagnosed.reasons.map(\.message)) \(diagnosed.advice.map(\.kind))")
            #expect((try authority.text("site.key") != oldKey) == fault.needsNewKey)
        }
    }

    private static func diagnosed(
        _ server: RealServer, _ lists: [CertificateList], in folder: TemporaryFolder
    ) async throws -> DiagnosedServer {
        let anchors = TrustAnchors.store(try TrustStore(contentsOf: folder.path("root.pem")))
        var configuration = ServerDiagnoser.Configuration()
        configuration.followsRedirects = false
        var trust = TrustConfiguration(anchors: anchors)
        trust.revocation.lists = lists
        let diagnoser = ServerDiagnoser(trust: trust, configuration: configuration)
        var diagnosed: DiagnosedServer?
        try await server.run(in: folder) { port in
            diagnosed = try await diagnoser.diagnose("a.test:\(port)", connectAddress: "127.0.0.1")
        }
        return try #require(diagnosed)
    }
}

extension ServerAdvice {
    /// The settings of a server whose administrator does what the advice says: runs the commands of the request and of an
    /// authority of one's own, and writes each setting in place of the one of its name.
    fileprivate func followed(by server: RealServer, _ authority: RealAuthority) async throws -> [String] {
        let product = try #require(ServerProduct(rawValue: server.product.rawValue))
        let lines = self.snippet(for: product).split(separator: "\n").map(String.init)
        let commands = lines.filter { $0.hasPrefix("# openssl ") }.map { String($0.dropFirst(2)) }
        try await authority.follow(commands: commands, as: "site")
        let settings = lines.filter { !$0.hasPrefix("#") }.flatMap { Self.settings(in: $0, of: server.product) }
        // The files are those that are there.
        let isOfFile = { (name: String) in ["ssl_cert", "SSLCert", "crt"].contains { name.hasPrefix($0) } }
        if settings.contains(where: { isOfFile($0) }) { try authority.assemble("site", isWhole: true) }
        let new = settings.filter { !isOfFile($0) }
        let names = new.map { Self.name(of: $0) }
        return server.settings.filter { !names.contains(Self.name(of: $0)) } + new
    }

    /// The settings in a line, which for HAProxy are pairs of words.
    private static func settings(in line: String, of product: RealProduct) -> [String] {
        guard product == .haproxy else { return [line] }
        let words = line.split(separator: " ")
        return stride(from: 0, to: words.count - 1, by: 2).map { "\(words[$0]) \(words[$0 + 1])" }
    }

    /// The name of a setting, in as many words as it has.
    private static func name(of setting: String) -> String {
        let words = setting.split(separator: " ").map(String.init)
        let isLong =
            ["ssl_conf_command", "SSLOpenSSLConfCmd"].contains(words[0])
            || words.starts(with: ["SSLCipherSuite", "TLSv1.3"])
        return words.prefix(isLong ? 2 : 1).joined(separator: " ")
    }
}
