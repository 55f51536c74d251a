//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import Testing

@Suite("The table of rules")
struct TrustRuleTests {
    @Test("Every rule has a name of its own, a sentence and a section with a link")
    func rows() {
        #expect(Set(TrustRule.all.map(\.id)).count == TrustRule.all.count)
        for rule in TrustRule.all {
            #expect(rule.requirement.hasSuffix("."))
            #expect(rule.section.isEmpty == false)
            #expect(rule.link.hasPrefix("https://") || rule.link == "SECURITY.md")
            #expect(TrustRule.rule(rule.id)?.id == rule.id)
        }
        #expect(TrustRule.rule("no such rule") == nil)
    }

    @Test("Every rule on the form of certificates stands in the table, and tells the profiles that ask for it")
    func forms() {
        for bit in 0..<24 {
            let rules = CertificateRules(rawValue: 1 << UInt32(bit))
            #expect(rules.names.count == 1)
            #expect(TrustRule.rule("certificate-rule/\(rules.names.first ?? "")") != nil)
        }
        #expect(CertificateRules(rawValue: 1 << 24).names.isEmpty)
        let readers = ValidationProfile.standard.map(\.name).filter { $0 != "apple" }
        #expect(TrustRule.rule("certificate-rule/distinct-policies")?.profiles == readers)
        #expect(TrustRule.rule("key-identifier-mismatch")?.profiles == ["apple", "webpki", "rfc5280-strict"])
        #expect(TrustRule.rule("expired")?.profiles == ValidationProfile.standard.map(\.name))
    }

    @Test("Every rule says what to do, the first remedy in general and each circumstance once")
    func remedies() {
        for rule in TrustRule.all {
            #expect(!rule.remedies.isEmpty, "\(rule.id)")
            #expect(Set(rule.remedies.map(\.circumstance)).count == rule.remedies.count, "\(rule.id)")
            for remedy in rule.remedies {
                #expect(!remedy.actions.isEmpty && remedy.advice.hasSuffix("."), "\(rule.id): \(remedy)")
                #expect(!remedy.advice.contains("--"), "\(rule.id) names an option: \(remedy)")
            }
        }
    }
}
