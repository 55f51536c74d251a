//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// A value that is found and a value that is required must differ in words, or the text says why the first does not count.
@Suite("No reason contradicts itself")
struct EvidenceContradictionTests {
    @Test(
        "What was found is never what is required, whatever the numbers, dates and names",
        arguments: GivenReason.all)
    func given(reason: GivenReason) throws {
        var chance = SeededGenerator(state: 42)
        for _ in 0..<100 {
            let role = try #require(CertificateRole.allCases.randomElement(using: &chance))
            let breach = RuleBreach(
                reason: reason.make(&chance), certificate: TestCertificates.root, role: role,
                issuer: TestCertificates.other)
            let account = breach.account
            #expect(
                Self.contradiction(account.found, account.required, account.message) == nil,
                "\(account.found) | \(account.required) | \(account.message)")
        }
    }

    @Test("What was found is never what is required, however certificates are changed", arguments: 0..<16)
    func judged(seed: UInt64) throws {
        for reason in try Self.reasons(seed: seed) {
            let (comparison, message) = (reason.comparison, reason.message)
            #expect(
                Self.contradiction(comparison.found, comparison.required, message) == nil,
                "\(comparison.found) | \(comparison.required) | \(message)")
        }
    }

    @Test("Every rule is broken by one of these")
    func coverage() throws {
        var chance = SeededGenerator(state: 1)
        var broken = Set(GivenReason.all.flatMap { $0.make(&chance).rules.map(\.id) })
        for seed in 0..<16 as Range<UInt64> {
            broken.formUnion(try Self.reasons(seed: seed).flatMap { $0.rules.map(\.id) })
        }
        let missing = Set(TrustRule.all.map(\.id)).subtracting(broken)
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    /// The reasons against chains in which one to three things are changed, by every profile.
    private static func reasons(seed: UInt64) throws -> [TrustFailureReason] {
        var chance = SeededGenerator(state: seed)
        return try (0..<40).flatMap { _ in
            var trust = try ChangedChain.trust(&chance)
            trust.configuration.certificatePolicies = ChangedChain.policies(&chance)
            return ([Self.everyRule] + ValidationProfile.standard).flatMap { profile in
                trust.profile = profile
                return trust.evaluate().failure?.reasons ?? []
            }
        }
    }

    private static let everyRule: ValidationProfile = {
        var profile = ValidationProfile.webPKI
        profile.certificateRules = CertificateRules(rawValue: 0xFF_FFFF)
        return profile
    }()

    /// The contradiction in a reason, or `nil` if there is none.
    private static func contradiction(_ found: String, _ required: String, _ message: String) -> String? {
        if found.isEmpty || required.isEmpty { return "a side is empty" }
        if found.lowercased() == required.lowercased() { return "both sides are equal" }
        if let match = message.firstMatch(of: /(?:for|than|valid for) (.+), (?:not for|more than) (.+?)\.?$/),
            match.1 == match.2
        {
            return "the sentence says the same twice"
        }
        // A name that counts stands between other signs than a name has.
        for range in found.ranges(of: required) where Self.isWhole(range, in: found) {
            let rest = found[range.upperBound...]
            let isExplained = rest.hasPrefix(" (") || rest.hasPrefix("” (") || found.contains(", which")
            if !isExplained { return "what is required was found" }
        }
        return nil
    }

    private static func isWhole(_ range: Range<String.Index>, in text: String) -> Bool {
        func isOfName(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || "-.*@:/".contains($0) } ?? false
        }
        return !isOfName(text[..<range.lowerBound].last) && !isOfName(text[range.upperBound...].first)
    }
}
