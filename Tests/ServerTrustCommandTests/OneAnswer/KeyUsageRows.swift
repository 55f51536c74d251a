//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import TestSupport
import X509

/// Certificates with key usages that TLS refuses.
enum KeyUsageRows {
    private struct Server {
        let name: String
        let options: [String]
        var key = TestKeyKind.p256
        let usage: KeyUsage
        let answer: DoorAnswer
        /// The answer of App Transport Security, which offers no suite without forward secrecy.
        var connect: DoorAnswer?
        var words = "its key usage lacks digitalSignature"

        func naming(_ row: DoorRow) -> DoorRow {
            // No handshake completes that App Transport Security offers, and only some doors judge the chain of another.
            guard self.connect == nil else {
                return row.naming("alert", [.getATS, .suggest], because: "no chain is shown to their offer")
                    .naming("cipher-suite", [.scan], for: [.connect], because: "a scan counts the causes of failures")
            }
            guard self.answer == .refused("alert") else { return row }
            return row.naming("key-kind", [.scan], because: "a scan counts the causes of failures")
        }
    }

    private static let servers = [
        Server(
            name: "keyEncipherment alone in TLS 1.3", options: ["-tls1_3"], usage: KeyUsage(keyEncipherment: true),
            answer: .refused("key-usage")),
        Server(
            name: "keyEncipherment alone in TLS 1.2", options: ["-tls1_2"], usage: KeyUsage(keyEncipherment: true),
            // OpenSSL has no suite for such a key then: it shows no certificate.
            answer: .refused("alert")),
        Server(
            name: "keyEncipherment alone, RSA in TLS 1.3", options: ["-tls1_3"], key: .rsa2048,
            usage: KeyUsage(keyEncipherment: true), answer: .refused("key-usage")),
        Server(
            name: "keyAgreement alone in TLS 1.3", options: ["-tls1_3"], usage: KeyUsage(keyAgreement: true),
            answer: .refused("key-usage")),
        Server(
            name: "digitalSignature alone, RSA without forward secrecy",
            options: ["-tls1_2", "-cipher", "AES128-GCM-SHA256"], key: .rsa2048,
            usage: KeyUsage(digitalSignature: true),
            answer: .refused("key-usage"), connect: .refused("key-usage"), words: "its key usage lacks keyEncipherment"),
        Server(
            name: "digitalSignature alone, RSA with ECDHE, as is advised",
            options: ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"], key: .rsa2048,
            usage: KeyUsage(digitalSignature: true), answer: .trusted),
        Server(
            name: "digitalSignature and keyEncipherment", options: [], key: .rsa2048,
            usage: KeyUsage(digitalSignature: true, keyEncipherment: true), answer: .trusted),
    ]

    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let authority = try TestAuthority()
        try await Self.serve(Self.servers[...], authority, rows: []) { try await body(authority.root, $0) }
    }

    /// Starts each server.
    private static func serve(
        _ servers: ArraySlice<Server>, _ authority: TestAuthority, rows: [DoorRow],
        _ body: ([DoorRow]) async throws -> Void
    ) async throws {
        guard let server = servers.first else { return try await body(rows) }
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        (description.keyKind, description.keyUsage) = (server.key, server.usage)
        let chain = [try authority.issue(description), authority.root]
        try await OpenSSLServer.with(["-www"] + server.options, chain) { port in
            let target = DoorTarget(host: "a.test", port: port, chain: chain.map(\.der))
            let row = DoorRow(server.name, target, server.answer, connect: server.connect, words: server.words)
                // SecTrust leaves that to TLS: a file is judged without a handshake.
                .ofHandshakes
            try await Self.serve(servers.dropFirst(), authority, rows: rows + [server.naming(row)], body)
        }
    }
}
