//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import SwiftASN1
import TestSupport
import X509

/// Chains in each state of sending.
enum ChainRows {
    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let upper = try authority.issue(.upper)
        let lower = try authority.issue(.intermediate(commonName: "Lower CA"), by: upper)
        let stranger = try TestAuthority(root: .root(commonName: "Stranger Root"))
        let strange = try stranger.issue(.intermediate(commonName: "Stranger CA"))
        try await Self.withFile(lower.der) { port in
            let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]), by: lower)
            var found = CertificateDescription.leaf(dnsNames: ["a.test"])
            found.extraExtensions = [.issuer(at: "http://127.0.0.1:\(port)/lower.der")]
            let named = try authority.issue(found, by: lower)
            let missing = DoorAnswer.refused("unknown-issuer")
            let sent: [(String, TestCertificate, [TestCertificate], DoorAnswer)] = [
                ("complete", leaf, [lower, upper], .trusted),
                ("complete, with the root", leaf, [lower, upper, authority.root], .trusted),
                ("in the wrong order", leaf, [authority.root, upper, lower], .trusted),
                ("with a stranger", leaf, [strange, lower, stranger.root, upper], .trusted),
                ("with a certificate twice", leaf, [lower, lower, upper, upper], .trusted),
                ("without the issuer", leaf, [upper], missing),
                ("without the upper issuer", leaf, [lower], missing),
                ("with a stranger in place of the issuer", leaf, [strange, upper], missing),
                ("without the issuer, which the leaf names", named, [upper], .trusted),
            ]
            try await Self.serve(sent[...], rows: []) { try await body(authority.root, $0) }
        }
    }

    /// Starts a server for each chain.
    private static func serve(
        _ sent: ArraySlice<(String, TestCertificate, [TestCertificate], DoorAnswer)>, rows: [DoorRow],
        _ body: ([DoorRow]) async throws -> Void
    ) async throws {
        guard let (name, leaf, others, answer) = sent.first else { return try await body(rows) }
        let configuration = TestTLSServer.Configuration(leaf, sending: others)
        try await withTestServer(configuration) { server in
            let target = DoorTarget(host: "a.test", port: server.port, chain: configuration.certificates)
            let row = DoorRow(name, target, answer, words: "was not sent and is not a trusted root")
            let isFetched = answer == .trusted && !others.contains { $0.certificate.subject == leaf.certificate.issuer }
            // A callback sees certificates and nothing else: it has no time to fetch.
            let seen =
                isFetched
                ? row.unseenByCallback(.refused("unknown-issuer"), saying: "callback")
                    .notAsking([.trust], "an evaluation at once fetches nothing")
                : row
            try await Self.serve(sent.dropFirst(), rows: rows + [seen], body)
        }
    }

    /// Serves a file by HTTP.
    private static func withFile(_ octets: [UInt8], _ body: (Int) async throws -> Void) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/pkix-cert\r\nContent-Length: \(octets.count)\r\n\r\n"
        try await RawServer.with(.answerAndClose(Array(head.utf8) + octets)) { try await body($0.port) }
    }
}

extension CertificateDescription {
    /// An authority that may issue for another authority.
    fileprivate static var upper: CertificateDescription {
        var description = Self.intermediate(commonName: "Upper CA")
        description.pathLength = 1
        return description
    }
}

extension X509.Certificate.Extension {
    /// Authority information access with the place of the issuer's certificate (RFC 5280 §4.2.2.1).
    fileprivate static func issuer(at url: String) -> Self {
        let place = DER.element(0x86, Array(url.utf8))
        let access = DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.2"), place))
        return Self(oid: [1, 3, 6, 1, 5, 5, 7, 1, 1], critical: false, value: access[...])
    }
}
