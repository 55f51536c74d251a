//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import TLSWire

/// The files of `Registries/`, and the tables that are generated from them.
private let tables: [(file: String, table: [(UInt16, String)])] = [
    ("cipher-suites", CipherSuite.registered), ("cipher-suites-unregistered", CipherSuite.unregistered),
    ("supported-groups", NamedGroup.registered),
    ("signature-schemes", SignatureScheme.registered), ("signature-schemes-tls12", SignatureScheme.pairs),
]

@Suite("The registries of TLS")
struct RegistryTests {
    private func rows(_ file: String) throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Registries/\(file).csv"), encoding: .utf8)
        return text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    }

    @Test("The tables in Swift are those of the files", arguments: tables.map(\.file))
    func generated(file: String) throws {
        let rows = try self.rows(file)
        #expect(rows.first == ["Value", "Name", "Reference"])
        #expect(rows.allSatisfy { $0.count == 3 })
        let table = try #require(tables.first { $0.file == file }).table
        #expect(rows.dropFirst().map { $0[0] } == table.map { "0x" + String(format: "%04X", $0.0) })
        #expect(rows.dropFirst().map { $0[1] } == table.map(\.1))
    }

    @Test("Numbers ascend, and no number and no name comes twice", arguments: tables.map(\.file))
    func order(file: String) throws {
        let table = try #require(tables.first { $0.file == file }).table
        #expect(zip(table, table.dropFirst()).allSatisfy { $0.0 < $1.0 })
        #expect(Set(table.map(\.1)).count == table.count)
    }

    @Test("What IANA did not register does not collide with what it did")
    func distinct() {
        for (all, more) in [
            (CipherSuite.registered, CipherSuite.unregistered), (SignatureScheme.registered, SignatureScheme.pairs),
        ] {
            #expect(Set(all.map(\.0)).isDisjoint(with: more.map(\.0)))
            #expect(Set(all.map(\.1)).isDisjoint(with: more.map(\.1)))
        }
        #expect(CipherSuite.registered.count == 352)
        #expect(CipherSuite.known.count == 374)
        #expect(NamedGroup.known.count == 57)
        #expect(SignatureScheme.known.count == 49)
    }

    @Test("Names and numbers lead to each other")
    func names() {
        for suite in CipherSuite.known {
            #expect(CipherSuite(name: suite.description) == suite)
            #expect(CipherSuite(name: suite.hexadecimal) == suite)
        }
        for group in NamedGroup.known {
            #expect(NamedGroup(name: group.description) == group && NamedGroup(name: group.hexadecimal) == group)
            #expect(NamedGroup(name: group.description.uppercased()) == group)
        }
        for scheme in SignatureScheme.known {
            #expect(SignatureScheme(name: scheme.description) == scheme)
            #expect(SignatureScheme(name: scheme.hexadecimal) == scheme)
        }
        for text in ["", "0x", "0x12345", "0x+123", "TLS_", "secp", "ß"] {
            #expect(CipherSuite(name: text) == nil && NamedGroup(name: text) == nil)
            #expect(SignatureScheme(name: text) == nil)
        }
        #expect(CipherSuite(rawValue: 0x00AB).hexadecimal == "0x00ab")
        #expect("\(CipherSuite(rawValue: 0x1399))" == "0x1399")
    }

    @Test("The sixteen numbers of RFC 8701 are known as such, and their neighbours are not")
    func grease() {
        let all = (0...UInt16.max).filter { CipherSuite(rawValue: $0).isGREASE }
        #expect(all.count == 16 && all.first == 0x0A0A && all.last == 0xFAFA)
        #expect(all.allSatisfy { NamedGroup(rawValue: $0).isGREASE && NamedGroup(rawValue: $0).kind == nil })
        #expect(!CipherSuite(rawValue: 0x0A1A).isGREASE)
    }
}
