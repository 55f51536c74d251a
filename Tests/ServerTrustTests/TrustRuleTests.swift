//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import Testing

@Suite("The table of rules")
struct TrustRuleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

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

    /// Run with UPDATE_RULES=1 to write the table anew.
    @Test("The document of rules is the table")
    func document() throws {
        let file = Self.root.appending(path: "docs/rules.md")
        let rows = TrustRule.all.map { rule in
            let profiles =
                rule.profiles.count == ValidationProfile.standard.count
                ? "all" : rule.profiles.map { "`\($0)`" }.joined(separator: ", ")
            let link = rule.link == "SECURITY.md" ? "../SECURITY.md" : rule.link
            return "| `\(rule.id)` | \(rule.requirement) | [\(rule.section)](\(link)) | `\(rule.check.rawValue)` | "
                + "\(rule.severity.rawValue) | \(profiles.isEmpty ? "on request" : profiles) |"
        }
        let table = (["<!-- rules -->"] + Self.heading + rows + ["<!-- end of rules -->"]).joined(separator: "\n")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "<!-- rules -->"))
        let end = try #require(text.range(of: "<!-- end of rules -->"))
        if ProcessInfo.processInfo.environment["UPDATE_RULES"] == "1" {
            try text.replacingCharacters(in: start.lowerBound..<end.upperBound, with: table)
                .write(to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[start.lowerBound..<end.upperBound] == table, "Run this test with UPDATE_RULES=1")
    }

    private static let heading = [
        "| rule | what must hold | stated in | Apple's check | severity | profiles |", "|---|---|---|---|---|---|",
    ]
}
