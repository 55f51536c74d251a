//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport

/// Pages that name a place over plain HTTP, each with a status from 300 to 308 (RFC 9110 §15.4).
enum RedirectRows {
    private static let redirects: Set<Int> = [300, 301, 302, 303, 307, 308]

    /// The doors that go where a page leads to.
    private static let following: Set<Door> = [.checkATS, .suggest, .diagnose, .confirm, .get, .getATS, .session]

    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        try await withTemporaryFolder { folder in
            for status in 300...308 {
                let head = "HTTP/1.0 \(status) X\r\nContent-Length: 0\r\nLocation: http://b.test/\r\n\r\n"
                _ = try folder.file("\(status)", head)
            }
            try await OpenSSLServer.with(["-HTTP"], serving: folder.url.path, [leaf, authority.root]) { port in
                try await body(authority.root, (300...308).map { Self.row($0, port) })
            }
        }
    }

    private static func row(_ status: Int, _ port: Int) -> DoorRow {
        let answer: DoorAnswer = Self.redirects.contains(status) ? .refused("insecure-load") : .trusted
        let target = DoorTarget(host: "a.test", port: port, path: "/\(status)")
        return DoorRow("status \(status)", target, .trusted, connect: answer, words: "plain HTTP")
            .needing(
                "a page over TLS", [.get, .getATS, .session], answer == .trusted ? answer : .refused("insecure-load")
            )
            .notAsking(Door.allCases.filter { !Self.following.contains($0) }, "the door asks for no page")
    }
}
