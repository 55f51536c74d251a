//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import TestSupport
import Testing

@testable import ServerReports

/// A real server, what every command answers about it, and what a client with Apple's offer comes to.
private struct RealAnswer: Sendable {
    let title: String
    let server: RealServer
    let answer: ATSOutcome
    /// Whether a client that offers what App Transport Security offers completes a handshake.
    var isAgreedOn: Bool
    /// Words of the reason, where there is one.
    var reason: String?

    init(
        _ title: String, _ product: RealProduct, key: String = "p256", and second: String? = nil,
        settings: [String] = [], is answer: ATSOutcome, agreed: Bool? = nil, reason: String? = nil
    ) {
        self.title = title
        self.server = RealServer(
            product: product, certificate: key, secondCertificate: second, settings: settings)
        self.answer = answer
        self.isAgreedOn = agreed ?? (answer == .passed)
        self.reason = reason
    }
}

/// The keys of the servers, by the names of their files.
private let keys: [(name: String, leaf: RealAuthority.Leaf)] = [
    ("p256", RealAuthority.Leaf()), ("p384", RealAuthority.Leaf(key: RealAuthority.curve("P-384"))),
    ("p521", RealAuthority.Leaf(key: RealAuthority.curve("P-521"))),
    ("p224", RealAuthority.Leaf(key: RealAuthority.curve("P-224"))),
    ("brainpool", RealAuthority.Leaf(key: RealAuthority.curve("brainpoolP256r1"))),
    ("rsa", RealAuthority.Leaf(key: RealAuthority.rsa2048)), ("small", RealAuthority.Leaf(key: RealAuthority.rsa1024)),
    ("pss", RealAuthority.Leaf(key: ["RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"])),
    ("ed25519", RealAuthority.Leaf(key: RealAuthority.ed25519)), ("ed448", RealAuthority.Leaf(key: ["ED448"])),
    ("sha1", RealAuthority.Leaf(digest: "sha1")),
]

private let wrongKey = "Use a key of RSA, or on P-256 or P-384"
private let noSuite = "takes none that App Transport Security allows"

private let openSSLAnswers: [RealAnswer] = [
    RealAnswer("OpenSSL as it is", .openssl, is: .passed),
    RealAnswer("P-384", .openssl, key: "p384", is: .passed),
    RealAnswer("P-521 in TLS 1.3", .openssl, key: "p521", settings: ["-tls1_3"], is: .failed, reason: wrongKey),
    RealAnswer("P-521 in TLS 1.2", .openssl, key: "p521", settings: ["-tls1_2"], is: .passed),
    RealAnswer("P-224", .openssl, key: "p224", is: .failed, reason: wrongKey),
    RealAnswer("RSA beside P-224 in TLS 1.2", .openssl, key: "p224", and: "rsa", settings: ["-tls1_2"], is: .passed),
    RealAnswer(
        "RSA beside Ed25519 in TLS 1.2", .openssl, key: "ed25519", and: "rsa", settings: ["-tls1_2"], is: .passed),
    RealAnswer("brainpoolP256r1", .openssl, key: "brainpool", is: .failed, reason: wrongKey),
    RealAnswer("Ed25519", .openssl, key: "ed25519", is: .failed, reason: "Ed25519"),
    RealAnswer("RSA-PSS", .openssl, key: "pss", is: .failed, reason: wrongKey),
    RealAnswer("RSA of 1,024 bits", .openssl, key: "small", is: .failed, agreed: true, reason: "too small"),
    RealAnswer("SHA-1", .openssl, key: "sha1", is: .failed, agreed: true, reason: "SHA-1"),
    RealAnswer(
        "a client certificate", .openssl, key: "p256", settings: ["-Verify", "1", "-verify_return_error"], is: .passed),
    RealAnswer(
        "ChaCha20 only in TLS 1.3", .openssl, key: "p256",
        settings: ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
        is: .passed),
    RealAnswer(
        "CCM only in TLS 1.3", .openssl, key: "p256", settings: ["-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256"],
        is: .failed,
        reason: noSuite),
    RealAnswer(
        "CCM only in TLS 1.2", .openssl, key: "p256", settings: ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-CCM"],
        is: .failed,
        reason: noSuite),
    RealAnswer(
        "finite-field Diffie-Hellman only", .openssl, key: "rsa",
        settings: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
        is: .failed, reason: noSuite),
    RealAnswer(
        "X448 only", .openssl, key: "p256", settings: ["-groups", "X448"], is: .failed, reason: "keys in x448 only"),
    RealAnswer(
        "X448 only beside static RSA", .openssl, key: "rsa", settings: ["-tls1_2", "-groups", "X448"], is: .failed,
        reason: "keys in x448 only"),
    RealAnswer("Ed448 in TLS 1.3", .openssl, key: "ed448", settings: ["-tls1_3"], is: .failed, reason: wrongKey),
    RealAnswer(
        "RSA with PKCS #1 only in TLS 1.3", .openssl, key: "rsa", settings: ["-tls1_3", "-sigalgs", "RSA+SHA256"],
        is: .failed, reason: "it can sign no handshake"),
    RealAnswer("HTTP/2 only", .openssl, key: "p256", settings: ["-alpn", "h2"], is: .passed),
    RealAnswer("P-521 for keys only", .openssl, key: "p256", settings: ["-groups", "P-521"], is: .passed),
    RealAnswer(
        "RSA over SHA-512 only", .openssl, key: "rsa", settings: ["-sigalgs", "RSA+SHA512"], is: .failed,
        reason: "signatures"),
    RealAnswer(
        "TLS 1.1 only", .openssl, key: "p256", settings: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], is: .failed,
        reason: "TLS 1.1"),
]

private let otherAnswers: [RealAnswer] = [
    RealAnswer("nginx as it is", .nginx, key: "rsa", is: .passed),
    RealAnswer(
        "nginx without forward secrecy", .nginx, key: "rsa",
        settings: [
            "ssl_protocols TLSv1.2;", "ssl_ciphers AES128-GCM-SHA256;",
        ], is: .failed, reason: noSuite),
    RealAnswer(
        "nginx with TLS 1.0", .nginx, key: "rsa", settings: ["ssl_protocols TLSv1;"], is: .failed, reason: "TLS 1.0"),
    RealAnswer(
        "nginx with a client certificate", .nginx, key: "rsa", settings: ["ssl_verify_client optional_no_ca;"],
        is: .passed),
    RealAnswer("Apache as it is", .apache, key: "rsa", is: .passed),
    RealAnswer(
        "Apache with X448", .apache, key: "rsa", settings: ["SSLOpenSSLConfCmd Groups X448", "SSLCipherSuite ECDHE"],
        is: .failed,
        reason: "x448"),
    RealAnswer("Apache with P-521", .apache, key: "p521", is: .failed, reason: wrongKey),
    RealAnswer("HAProxy as it is", .haproxy, key: "rsa", is: .passed),
    RealAnswer(
        "HAProxy with CBC", .haproxy, key: "rsa", settings: ["ssl-max-ver TLSv1.2", "ciphers ECDHE-RSA-AES128-SHA"],
        is: .passed),
    RealAnswer(
        "HAProxy with Camellia", .haproxy, key: "rsa", settings: ["ssl-max-ver TLSv1.2", "ciphers CAMELLIA128-SHA"],
        is: .failed,
        reason: noSuite),
    RealAnswer("GnuTLS as it is", .gnutls, key: "rsa", is: .passed),
    RealAnswer(
        "GnuTLS with TLS 1.2 and CCM", .gnutls, key: "p256",
        settings: ["--priority", "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-CCM"], is: .failed, reason: noSuite
    ),
    RealAnswer(
        "GnuTLS with finite-field groups", .gnutls, key: "rsa",
        settings: ["--priority", "NORMAL:-VERS-ALL:+VERS-TLS1.3:-GROUP-ALL:+GROUP-FFDHE2048"], is: .failed,
        reason: "ffdhe2048"),
    RealAnswer("Node as it is", .node, is: .passed),
    RealAnswer(
        "Node with X25519MLKEM768 only", .node, key: "p256",
        settings: ["minVersion: 'TLSv1.3'", "ecdhCurve: 'X25519MLKEM768'"],
        is: .passed),
    RealAnswer(
        "Node with MLKEM768 only", .node, key: "p256", settings: ["minVersion: 'TLSv1.3'", "ecdhCurve: 'MLKEM768'"],
        is: .failed,
        reason: "MLKEM768 only"),
]

/// Every command gives one answer about real servers, which is that of a client with Apple's offer.
@Suite("Answers about real servers", .serialized, .limitedConcurrency, .timeLimit(.minutes(10)))
struct RealServerAnswerTests {
    @Test(
        "Every command answers as a client with Apple's offer does",
        .enabled(if: RealProduct.openssl.isInstalled, "openssl is not installed"),
        // Without any server there is no command: a machine may have none of a table's products.
        arguments: [openSSLAnswers, otherAnswers].map { $0.filter(\.server.product.isInstalled) }.filter { !$0.isEmpty }
    )
    private func answers(rows: [RealAnswer]) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            for key in keys { try await authority.issue(key.leaf, as: key.name) }
            let servers = rows.map(\.server)
            try await servers.run(in: folder) { ports in
                for (row, port) in zip(rows, ports) {
                    let isAgreedOn = try await AppleClient.completes(row.server.product, port, folder)
                    #expect(isAgreedOn == row.isAgreedOn, "\(row.title)")
                }
                let root = try String(contentsOfFile: folder.path("root.pem"), encoding: .utf8)
                let targets = ports.map { DoorTarget(host: "a.test", port: $0) }
                try await DoorScene.with(root, targets) { scene in
                    for door in [Door.checkATS, .suggest, .diagnose, .confirm, .scan] {
                        let answers = try await door.ask(scene)
                        #expect(answers.count == rows.count)
                        for (row, evidence) in zip(rows, answers) {
                            let answer = DoorAnswer(try #require(evidence[.connect]))
                            #expect(answer.verdict == .init(row.answer), "\(door) about \(row.title)")
                        }
                    }
                }
                for (row, port) in zip(rows, ports) { try await Self.checkReason(of: row, port, folder) }
            }
        }
    }

    @Test("There are rows enough", arguments: [openSSLAnswers.count + otherAnswers.count])
    func count(rows: Int) { #expect(rows >= 25) }

    /// The reason stands in the answers of the commands for people, and check and pin fail with the same exit code.
    private static func checkReason(of row: RealAnswer, _ port: Int, _ folder: TemporaryFolder) async throws {
        guard let reason = row.reason else { return }
        let options = [
            "a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", folder.path("root.pem"), "--timeout", "60",
        ]
        for command in [["check"], ["pin"], ["diagnose", "--no-redirects"], ["diagnose", "--plan", "ats"]] {
            let finished = try await CommandLineTool.servertrust(command + options + ["--anchors-only"])
            // Without --ats, check and pin do not ask for forward secrecy, nor for how the server signs.
            let isPlain = ["check", "pin"].contains(command[0])
            if isPlain, finished.status == 0 { continue }
            #expect(finished.status == 1, "\(command) about \(row.title): \(finished.output)")
            guard command[0] == "diagnose" else { continue }
            // The plan ats asks too little to tell some causes apart, and is then to name no wrong one.
            let isThorough = !command.contains("ats") || [wrongKey, noSuite].contains(reason)
            if isThorough {
                #expect(finished.output.contains(reason), "\(command) about \(row.title): \(finished.output)")
            }
            #expect(reason == noSuite || !finished.output.contains(noSuite), "\(command) about \(row.title)")
            #expect(
                reason.hasPrefix("TLS") || !finished.output.contains("every version"), "\(command) about \(row.title)")
        }
    }
}

/// Clients of other projects that offer what App Transport Security does.
private enum AppleClient {
    /// Whether a handshake completes; `openssl s_client` does it, and Node with a server of Node, which has groups that OpenSSL
    /// has since version 3.5 only.
    static func completes(_ product: RealProduct, _ port: Int, _ folder: TemporaryFolder) async throws -> Bool {
        let environment = ["OPENSSL_CONF": try folder.file("client.cnf", "")]
        if product == .node {
            let path = try #require(CommandLineTool.installed("node"))
            return try await CommandLineTool.run(path, ["-e", Self.script(port)], environment: environment).status == 0
        }
        let path = try #require(CommandLineTool.installed("openssl"))
        let arguments = [
            "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "a.test", "-groups", "X25519:P-256:P-384:P-521",
            "-sigalgs", Self.signatures, "-cipher", "\(Self.suites):@SECLEVEL=0", "-ciphersuites", Self.newSuites,
            "-min_protocol", "TLSv1.2",
        ]
        let finished = try await CommandLineTool.run(path, arguments, environment: environment)
        return finished.output.contains("-----BEGIN CERTIFICATE-----") && !finished.output.contains("Cipher is (NONE)")
    }

    private static let signatures =
        "ECDSA+SHA256:RSA-PSS+SHA256:RSA+SHA256:ECDSA+SHA384:RSA-PSS+SHA384:RSA+SHA384:RSA-PSS+SHA512:RSA+SHA512:"
        + "RSA+SHA1"
    private static let suites =
        "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305:"
        + "ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES256-SHA:ECDHE-RSA-AES128-SHA"
    private static let newSuites = "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256"

    private static func script(_ port: Int) -> String {
        """
        const socket = require('tls').connect({
          host: '127.0.0.1', port: \(port), servername: 'a.test', rejectUnauthorized: false, minVersion: 'TLSv1.2',
          ecdhCurve: 'X25519MLKEM768:X25519:P-256:P-384:P-521', ciphers: '\(Self.newSuites):\(Self.suites)'
        }, () => process.exit(0));
        socket.on('error', () => process.exit(1));
        """
    }
}
