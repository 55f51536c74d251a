//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// Notes on what changed in 2026, of chains below public roots.
@Suite("What changed in 2026")
struct Changes2026NoteTests {
    private static let (root, issuer) = (CraftedAuthority("Root", .p256(1)), CraftedAuthority("Issuer", .p256(12)))

    /// A server's certificate below a public root, with timestamps of logs.
    private static func result(
        from start: String, to end: String, at moment: String? = nil, isPublic: Bool = true,
        logs: [(number: UInt16, isStatic: Bool, operator: String)] = [], signers: [UInt16] = []
    ) throws -> TrustResult {
        var leaf = Self.issuer.leafTemplate {
            $0.notBefore = DER.utcTime(start)
            $0.notAfter = DER.utcTime(end)
        }
        if !signers.isEmpty {
            let entry = TestTimestamp.entry(leaf, issuer: Self.issuer.key)
            leaf.set(.timestamps(try TestTimestamp.list(signers.map { TestTimestamp($0) }, entry)))
        }
        let anchor = Certificate(
            try Self.root.authority {
                $0.notAfter = DER.utcTime("460101000000Z")
            })
        let intermediate = Certificate(
            try Self.root.authority(Self.issuer) { $0.notAfter = DER.utcTime("450101000000Z") })
        let anchors: TrustAnchors = isPublic ? .store(try TrustStore([anchor], anchorClass: .system)) : .only([anchor])
        var configuration = TrustConfiguration(anchors: anchors)
        configuration.transparency =
            logs.isEmpty
            ? nil
            : TransparencyRequest(
                logs: TransparencyLogs(
                    try logs.map { number, isStatic, operatorName in
                        var log = try TransparencyLog(
                            subjectPublicKeyInfo: TestKey.p256(number).info, name: "\(number)",
                            operatorName: operatorName)
                        log.isStatic = isStatic
                        return log
                    }))
        var trust = try Trust(
            certificates: [Certificate(try leaf.view()), intermediate], policy: .tlsServer(hostname: "www.example.com"),
            configuration: configuration)
        trust.verifyDate = Date(Timestamp(moment ?? "") ?? testTime)
        return trust.evaluate()
    }

    @Test(
        "Lifetimes that public authorities may not issue any more are a note, by the date of issuance, and no refusal",
        arguments: [
            // A validity has both of its ends, so that 200 days and a second are one second too many.
            ("260314235959Z", "270301000000Z", nil), ("260315000000Z", "261001000000Z", 200),
            ("260315000000Z", "260930235959Z", nil), ("270314235959Z", "270901000000Z", nil),
            ("270315000000Z", "270623000000Z", 100), ("270315000000Z", "270622235959Z", nil),
            ("290315000000Z", "290501000000Z", 47), ("290315000000Z", "290430235959Z", nil),
        ] as [(String, String, Int?)])
    func lifetimes(start: String, end: String, days: Int?) throws {
        let year = "20" + start.prefix(2)
        let result = try Self.result(from: start, to: end, at: "\(year)-04-01T00:00:00Z")
        #expect(result.isTrusted, "\(result.allReasons.map(\.message))")
        let notes = result.notes.filter { $0.kind == .publicLifetime }
        #expect(notes.count == (days == nil ? 0 : 1), "\(notes)")
        if let days {
            #expect(notes[0].message.contains("at most \(days) days since \(year)-03-15"), "\(notes[0].message)")
        }
    }

    @Test("Below a root of one's own a public authority's limits are not told")
    func privateRoot() throws {
        let result = try Self.result(
            from: "260315000000Z", to: "270301000000Z", at: "2026-04-01T00:00:00Z", isPublic: false)
        #expect(result.isTrusted && result.notes.allSatisfy { $0.kind != .publicLifetime })
    }

    @Test(
        "Timestamps that the engine accepts and Apple's page does not are told",
        arguments: [
            // Two logs of the static-ct-api alone.
            ([(901, true, "A"), (902, true, "B")], "static-ct-api alone"),
            // Two logs of one operator, of which one counts.
            ([(901, false, "A"), (902, false, "A")], "at most 1 of each operator count, so that 1 of the 2"),
            ([(901, false, "A"), (902, true, "B")], nil),
        ] as [([(UInt16, Bool, String)], String?)])
    func transparency(logs: [(UInt16, Bool, String)], words: String?) throws {
        let result = try Self.result(
            from: "260501000000Z", to: "260801000000Z", logs: logs.map { (number: $0, isStatic: $1, operator: $2) },
            signers: logs.map(\.0))
        #expect(result.isTrusted, "\(result.allReasons.map(\.message))")
        let note = result.notes.first { $0.kind == .applesPageOnTimestamps }
        #expect((note == nil) == (words == nil))
        if let words { #expect(note?.message.contains(words) == true, "\(note?.message ?? "")") }
    }

    @Test("The built-in logs know which of them are of the static-ct-api")
    func builtInLogs() {
        let logs = AppleTrustData.builtIn.logList.logs
        #expect(logs.count { $0.isStatic } > 10 && logs.count { !$0.isStatic } > 10)
        #expect(logs.filter { $0.name.contains("Sycamore") || $0.name.contains("sycamore") }.allSatisfy { $0.isStatic })
        #expect(logs.filter { $0.name.contains("Argon") || $0.name.contains("Nimbus") }.allSatisfy { !$0.isStatic })
    }

    @Test(
        "ML-DSA and Ed448 are named, as keys and as signatures",
        arguments: [
            ("2.16.840.1.101.3.4.3.17", "ML-DSA-44"), ("2.16.840.1.101.3.4.3.18", "ML-DSA-65"),
            ("2.16.840.1.101.3.4.3.19", "ML-DSA-87"), ("1.3.101.113", "Ed448"),
        ])
    func names(identifier: String, name: String) throws {
        let algorithm = DER.sequence(DER.oid(identifier))
        let info = DER.sequence(algorithm, DER.element(0x03, [0] + [UInt8](repeating: 7, count: 57)))
        var leaf = Self.issuer.leafTemplate { $0.key = info }
        #expect("\(Certificate(try leaf.view()).publicKey)".contains(name))
        leaf = Self.issuer.leafTemplate { _ in }
        (leaf.innerAlgorithm, leaf.outerAlgorithm) = (algorithm, algorithm)
        #expect("\(Certificate(try leaf.view()).signatureAlgorithm)" == name)
    }
}
