//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

@testable import ServerTrust

/// A found value never looks like the required one. Where it has it, the text says why it does not count.
@Suite("Evidence does not contradict itself")
struct EvidenceTests {
    private static let reference = "www.example.com"

    /// Names that have the host that is asked for, each with something that keeps it from counting.
    private static func lookalikes(_ generator: inout SeededGenerator) -> [TestName] {
        let host = Self.reference
        let names: [TestName] = [
            .dns("\(host)."), .dns("https://\(host)"), .dns("\(host):443"), .dns(" \(host)"), .dns("\(host) "),
            .dns("*.\(host)"), .dns("*.*.example.com"), .dns("w*.example.com"), .dns(".\(host)"), .dns("\(host)/"),
            .dnsOctets(Array(host.utf8) + [0]), .dnsOctets([0xFC] + Array(host.utf8)), .dns("ｗｗｗ.example.com"),
            .uri("https://\(host)"), .email("a@\(host)"), .directory([[.cn(host)]]), .ip([192, 0, 2]), .otherName,
            .dns("example.com"), .dns("a.\(host)"), .dns(""), .dns("other.example.com"),
        ]
        let count = Int.random(in: 0...4, using: &generator)
        return (0..<count).compactMap { _ in names.randomElement(using: &generator) }
    }

    @Test("A name that is not matched is told with the reason", arguments: 0..<400)
    func names(seed: Int) throws {
        var generator = SeededGenerator(state: UInt64(seed))
        var names = Self.lookalikes(&generator)
        // The right name is void beside a name that is not UTF-8.
        if Bool.random(using: &generator) { names += [.dns(Self.reference), .dnsOctets([0xFC])] }
        let leaf = try TestChain.root.leaf { leaf in
            leaf.set(.alternativeNames(names))
            leaf.subject = TestDER.name([[.cn(Bool.random(using: &generator) ? Self.reference : "other")]])
        }
        let identity = ServerIdentity(
            host: Self.reference, publicSuffixes: PublicSuffixList(parsing: Array("com\n".utf8)))
        guard case .mismatch(let presented) = identity.match(leaf) else { return }
        let reason = RejectionReason.nameMismatch(reference: Self.reference, presented: presented, invalid: nil)
        try Self.hold(reason, leaf)
    }

    @Test("Lifetimes differ in the unit that is shown", arguments: 0..<200)
    func lifetimes(seed: Int) throws {
        var generator = SeededGenerator(state: UInt64(seed))
        let maximum = Int64([398, 825, 200, 1].randomElement(using: &generator) ?? 1) * 86_400
        let more = Int64([1, 59, 60, 3_599, 3_600, 86_399, 86_400, 90_061].randomElement(using: &generator) ?? 1)
        let limit = LifetimeLimit(
            issuedFrom: Timestamp(secondsSinceEpoch: 0), maximumSeconds: maximum, anchorClasses: [.user], source: "test"
        )
        try Self.hold(.lifetimeTooLong(seconds: maximum + more, limit: limit), TestChain.root.leaf())
    }

    @Test("A name outside of constraints is told with what makes it so", arguments: 0..<200)
    func constraints(seed: Int) throws {
        var generator = SeededGenerator(state: UInt64(seed))
        let spellings = [
            "*.example.com", ".www.example.com", "*.www.example.com", "example.org", "..example.com", "com.",
        ]
        let (first, second) = (spellings.randomElement(using: &generator), spellings.randomElement(using: &generator))
        let names = [first, second].compactMap(\.self).map(TestName.dns)
        let issuer = try TestChain.root.authority(TestChain.first) { $0.set(.nameConstraints(permitted: names)) }
        let leaf = try TestChain.first.leaf { $0.set(.alternativeNames([.dns(Self.reference)])) }
        let root = try TestChain.root.authority()
        let verdict = judgment(leaf, [issuer], anchors: .certificates(root))
        for rejection in verdict.rejections where rejection.certificateIndex == 0 {
            guard case .nameConstraints = rejection.reason else { continue }
            try Self.hold(rejection.reason, leaf)
        }
    }

    @Test("Numbers and their nouns agree", arguments: [0, 1, 2, 11])
    func counts(count: Int) throws {
        let leaf = try TestChain.root.leaf()
        for reason in [
            RejectionReason.pathLengthExceeded(limit: count, actual: count + 1),
            .tooManyIntermediates(limit: count, actual: count + 1),
        ] {
            let account = RuleBreach(reason: reason, certificate: Certificate(leaf), role: .leaf).account
            for text in [account.message, account.found, account.required] {
                #expect(!text.contains(/\b1 [a-z]+s\b/) || text.contains("1 this"), "\(text)")
            }
        }
    }

    /// The text has what was found and what is required, and the two differ by something that is said.
    private static func hold(_ reason: RejectionReason, _ view: CertificateView) throws {
        let account = RuleBreach(reason: reason, certificate: Certificate(view), role: .leaf).account
        #expect(account.found != account.required, "\(reason)")
        let required = account.required.split(separator: " (").first.map(String.init) ?? account.required
        let entries = account.found.split(separator: ", ").map(String.init)
        // An entry that is the required one to the letter says why it does not count, or another voids it.
        let isBare = entries.contains(required) && !account.found.contains("void")
        #expect(!isBare, "\(account.found) | \(account.required)")
        #expect(!account.message.contains("for \(required), not for \(required)"), "\(account.message)")
    }
}
