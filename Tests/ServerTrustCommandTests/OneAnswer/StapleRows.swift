//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrustTesting
import TestSupport
import Testing
import X509

/// Servers that staple each kind of OCSP response.
enum StapleRows {
    private static let serial = 4_711

    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        // A server that the callback lets through has no answer that could say it.
        let article = try RepositoryText.text("Sources/ServerTrustNIO/Documentation.docc/GatingConnections.md")
        #expect(article.contains("A callback sees no stapled responses and no timestamps"))
        let comment = try RepositoryText.text("Sources/ServerTrustNIO/Gate/ServerTrustGate+Callback.swift")
        #expect(comment.contains("no stapled OCSP responses, and no timestamps"))
        let authority = try TestAuthority()
        let leaf = try authority.issue(Self.leaf)
        let day = 86_400.0
        let stranger = try TestAuthority(root: .root(commonName: "Stranger Root")).root
        // A response that does not count changes nothing: by default an unknown status refuses no server.
        let staples: [(String, OCSP?, DoorAnswer)] = [
            ("no stapled response", nil, .trusted),
            ("a stapled response that is good", OCSP(authority.root, TestStatus()), .trusted),
            ("a stapled response that revokes", OCSP(authority.root, TestStatus(isRevoked: true)), .refused("revoked")),
            (
                "a stapled response that ended",
                OCSP(authority.root, TestStatus(end: Date.now.addingTimeInterval(-day))), .trusted
            ),
            ("a stapled response of a stranger", OCSP(stranger, TestStatus(isRevoked: true)), .trusted),
        ]
        try await withTemporaryFolder { folder in
            try await Self.serve(staples[...], [leaf, authority.root], folder, rows: []) {
                try await body(authority.root, $0)
            }
        }
    }

    /// A response, by its signer.
    private struct OCSP {
        let signer: TestCertificate
        let status: TestStatus

        init(_ signer: TestCertificate, _ status: TestStatus) { (self.signer, self.status) = (signer, status) }
    }

    private static var leaf: CertificateDescription {
        var leaf = CertificateDescription.leaf(dnsNames: ["a.test"])
        leaf.serialNumber = X509.Certificate.SerialNumber(Self.serial)
        return leaf
    }

    /// Starts a server for each response.
    private static func serve(
        _ staples: ArraySlice<(String, OCSP?, DoorAnswer)>, _ chain: [TestCertificate], _ folder: TemporaryFolder,
        rows: [DoorRow], _ body: ([DoorRow]) async throws -> Void
    ) async throws {
        guard let (name, response, answer) = staples.first else { return try await body(rows) }
        var options = ["-www"]
        if let response {
            let octets = try response.signer.response(about: Self.serial, response.status).bytes
            options += ["-status_file", try folder.file("\(rows.count).ocsp", contents: octets)]
        }
        try await OpenSSLServer.with(options, chain) { port in
            let target = DoorTarget(host: "a.test", port: port, chain: chain.map(\.der))
            let row = DoorRow(name, target, answer, words: "was revoked on").ofHandshakes
            // NIOSSL shows a callback the certificates alone.
            let seen = answer == .trusted ? row : row.unseenByCallback(.trusted)
            try await Self.serve(staples.dropFirst(), chain, folder, rows: rows + [seen], body)
        }
    }
}
