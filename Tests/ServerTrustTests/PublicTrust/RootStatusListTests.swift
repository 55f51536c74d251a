//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import ServerTrust

@Suite("The status of roots by the Common CA Database")
struct RootStatusListTests {
    private static let (first, second) = (String(repeating: "A1", count: 32), String(repeating: "b2", count: 32))

    private static func read(_ text: String) throws -> RootStatusList { try RootStatusList(contents: Array(text.utf8)) }

    @Test(
        "Columns are found by their headers, in any order and spelling",
        arguments: [
            "SHA-256 Fingerprint,Apple Status,Certificate Name\n\(first),Blocked,\"A, B\"\n\(second),Included,C\n",
            "\u{FEFF}\"Certificate Name\",\"Apple Status\",\"SHA-256 Fingerprint\"\r\n"
                + "\"A, B\",\"Blocked\",\"\(first)\"\r\n\"C\",\"Included\",\"\(second)\"",
            "x,apple_status_2026-08-22,name,sha256\n\"a\nb \"\"c\"\"\",blocked,\"A, B\",\(first)\n,included,C,\(second)\n\n",
        ])
    func headers(text: String) throws {
        let list = try Self.read(text)
        #expect(list.entries.count == 2)
        let first = try #require(Fingerprint.octets(Self.first).flatMap { list.entries[$0] })
        #expect(first.status == .blocked && first.name == "A, B" && first.servesServers)
        #expect(list.fingerprints(.included) == Set([Fingerprint.octets(Self.second)].compactMap(\.self)))
    }

    @Test("Of several rows about one root the strictest counts, in any order")
    func strictest() throws {
        let rows = ["Included", "Removed", "Blocked", "Not Included"].map { "\(Self.first),\($0)" }
        for order in [rows, rows.reversed()] {
            let list = try Self.read("sha256,Apple Status\n" + order.joined(separator: "\n"))
            #expect(list.entries.values.map(\.status) == [.blocked])
        }
    }

    @Test("Intermediates, and roots without a status at Apple, have no entry")
    func leftOut() throws {
        let list = try Self.read(
            """
            Certificate Record Type,SHA-256 Fingerprint,Apple Status,TLS Capable
            Intermediate Certificate,\(Self.first),Provided by CA,
            Root Certificate,\(Self.first),,True
            Root Certificate,\(Self.second),Included,False
            """)
        #expect(list.entries.values.map(\.servesServers) == [false])
    }

    @Test(
        "A table that is not whole is an error, which says where",
        arguments: [
            ("", "has no columns"), ("sha256,name\n", "has no columns"), ("sha256,Apple Status\n", "has no root"),
            ("sha256,Apple Status\n\(first)\n", "line 2 has 1 columns, and the header 2"),
            ("sha256,Apple Status\n\(first),Pending\n", "line 2 has the unknown status Pending"),
            ("sha256,Apple Status\n12,Blocked\n", "line 2 has no SHA-256 fingerprint"),
            ("sha256,Apple Status\n\(first),\"Blocked", "quote of line 2 is not closed"),
            ("sha256,Apple Status\n\(first),Blo\"cked\n", "stray quote"),
            ("sha256,Apple Status\n\(first),\"Blocked\"x\n", "line 2 is malformed"),
            ("sha256,SHA-256 Fingerprint,Apple Status\n", "column sha256 twice"),
            ("sha256,Apple Status" + String(repeating: ",", count: 1_000), "more than 1000 columns"),
        ])
    func malformed(text: String, reason: String) {
        let error = #expect(throws: RootStatusError.self) { try Self.read(text) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }
}
