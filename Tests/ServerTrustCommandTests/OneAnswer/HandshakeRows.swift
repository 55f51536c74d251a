//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrustTesting
import TestSupport
import Testing

/// Servers that differ in groups, signatures, suites and client certificates.
enum HandshakeRows {
    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let authority = try TestAuthority()
        try await Self.serve(AnsweredServer.all[...], authority, rows: []) { try await body(authority.root, $0) }
    }

    /// Starts each server.
    private static func serve(
        _ servers: ArraySlice<AnsweredServer>, _ authority: TestAuthority, rows: [DoorRow],
        _ body: ([DoorRow]) async throws -> Void
    ) async throws {
        guard let server = servers.first else { return try await body(rows) }
        let chain = try server.chain(of: authority)
        try await OpenSSLServer.with(server.options + ["-www"], chain) { port in
            let target = DoorTarget(host: "a.test", port: port, chain: chain.map(\.der))
            let answer = server.answer == .passed ? DoorAnswer.trusted : .refused("alert")
            let row = server.cells(
                of: DoorRow(
                    server.testDescription, target, server.isTrusted ? .trusted : answer, connect: answer
                ).ofHandshakes)
            try await Self.serve(servers.dropFirst(), authority, rows: rows + [row], body)
        }
    }
}

/// A server of OpenSSL's, and the answer about it.
struct AnsweredServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var key = TestKeyKind.p256
    let options: [String]
    let answer: ATSOutcome
    /// Whether the chain may be trusted although no Apple system connects.
    var isTrusted = false
    /// Words of the reason, where there is one to give.
    var reason: String?
    /// The code of the cause, by which a scan counts what is to be changed.
    var cause: String?

    /// The chain that the server sends.
    func chain(of authority: TestAuthority) throws -> [TestCertificate] {
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = self.key
        // Without forward secrecy the key enciphers.
        if self.isTrusted { description.keyUsage = nil }
        let intermediate = try authority.issue(.intermediate())
        return [try authority.issue(description, by: intermediate), intermediate]
    }
    /// Sets the doors that need more than a server that is trusted, or have no such input.
    fileprivate func cells(of row: DoorRow) -> DoorRow {
        let row = self.naming(row)
        if self.options.contains("foo") {
            return row.notAsking([.gate, .callback, .stream, .bootstrap], "the program offers no application protocol")
        }
        guard self.options.contains("-Verify") else { return row }
        let isOld = self.options.contains("-tls1_2")
        // In TLS 1.3 the handshake of a client is over before the server has its certificate (RFC 8446 §4.4.2).
        let doors: [Door] = [.get, .getATS, .proxy, .session] + (isOld ? [.gate, .callback, .stream, .bootstrap] : [])
        return row.needing("a certificate of the client", doors, .undecided("client-certificate-requested"))
    }

    private func naming(_ row: DoorRow) -> DoorRow {
        let row = self.cause.map { row.naming($0, [.scan], because: "a scan counts the causes of failures") } ?? row
        switch self.key {
        case .p521:
            return row.naming(
                "apple-handshake-refused", [.check, .pin], because: "a wider offer shows them the chain, and the key")
        case .ed25519:
            return row.naming(
                "key-kind", [.check, .checkATS, .diagnose, .confirm, .pin],
                because: "they see the chain, and judge its key")
        default: return row
        }
    }

    static let all: [AnsweredServer] = [
        AnsweredServer(
            testDescription: "no forward secrecy", key: .rsa2048, options: ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
            answer: .failed, isTrusted: true, reason: "none that App Transport Security allows", cause: "cipher-suite"),
        AnsweredServer(testDescription: "TLS 1.3", options: ["-tls1_3"], answer: .passed),
        AnsweredServer(testDescription: "TLS 1.2", options: ["-tls1_2"], answer: .passed),
        AnsweredServer(
            testDescription: "a key on P-521 in TLS 1.3", key: .p521, options: ["-tls1_3"], answer: .failed,
            reason: "the signatures do not", cause: "key-kind"),
        AnsweredServer(
            testDescription: "a key on P-521 in TLS 1.2", key: .p521, options: ["-tls1_2"], answer: .passed),
        AnsweredServer(
            testDescription: "an Ed25519 key", key: .ed25519, options: [], answer: .failed,
            reason: "the signatures do not", cause: "key-kind"),
        AnsweredServer(
            testDescription: "a client certificate in TLS 1.2",
            options: ["-tls1_2", "-Verify", "1", "-verify_return_error"], answer: .passed,
            reason: "The server asks for a client certificate."),
        AnsweredServer(
            testDescription: "a client certificate in TLS 1.3",
            options: ["-tls1_3", "-Verify", "1", "-verify_return_error"], answer: .passed,
            reason: "The server asks for a client certificate."),
        AnsweredServer(
            testDescription: "x448 only", options: ["-groups", "x448"], answer: .failed, reason: "keys in x448 only",
            cause: "groups"),
        AnsweredServer(testDescription: "P-521 for keys", options: ["-groups", "secp521r1"], answer: .passed),
        AnsweredServer(
            testDescription: "AES-128-CCM only", options: ["-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256"],
            answer: .failed, reason: "none that App Transport Security allows", cause: "tls-1.3-suites"),
        AnsweredServer(
            testDescription: "RSA over SHA-512 with PKCS #1 only", key: .rsa2048, options: ["-sigalgs", "RSA+SHA512"],
            answer: .failed, reason: "the signatures do not", cause: "groups"),
        AnsweredServer(
            testDescription: "RSA over SHA-512 with PKCS #1 in TLS 1.2", key: .rsa2048,
            options: ["-tls1_2", "-sigalgs", "RSA+SHA512"], answer: .passed),
        AnsweredServer(
            testDescription: "an unknown protocol only", options: ["-alpn", "foo"], answer: .failed,
            reason: "none of the application protocols", cause: "application-protocols"),
        AnsweredServer(
            testDescription: "finite-field Diffie-Hellman only", key: .rsa2048,
            options: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"], answer: .failed, reason: "none that",
            cause: "cipher-suite"),
    ]
}
