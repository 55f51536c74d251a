//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import ServerTrust
import Testing

@testable import ServerReports

@Suite("What logged lines mean")
struct LoggedMeaningTests {
    @Test(
        "A failed check is explained by the rules that fail it",
        arguments: TrustRule.all.filter { !$0.id.contains("/") }.map(\.id))
    func checks(id: String) throws {
        let rule = try #require(TrustRule.rule(id))
        let line = "Trust evaluate failure: [leaf \(rule.check.rawValue)]"
        let explanation = TextExplanation(line, in: CodeIndex.all)
        #expect(explanation.codes.contains { $0.id == id }, "\(line): \(explanation.codes.map(\.id))")
        #expect(explanation.meanings.map(\.meaning.code) == ["trust-evaluate-failure"])
        #expect(explanation.meanings[0].meaning.sentence.contains(rule.check.rawValue))
    }

    @Test("Of several checks the worst decides what to do")
    func worst() throws {
        let explanation = TextExplanation(
            "Trust evaluate failure: [leaf SSLHostname TemporalValidity] [root AnchorTrusted]", in: CodeIndex.all)
        let meaning = try #require(explanation.meanings.first?.meaning)
        #expect(meaning.remedy == TrustRule.rule("untrusted-root")?.remedies.first?.advice)
        #expect(meaning.related.contains("name-mismatch") && meaning.related.contains("untrusted-root"))
    }

    @Test("Every message of other programs leads to a code that there is")
    func messages() {
        for (message, id) in TextExplanation.allMessages {
            #expect(CodeIndex.all.contains { $0.id == id }, "\(id)")
            #expect(message == message.lowercased())
            #expect(!TextExplanation("x: \(message), y", in: CodeIndex.all).codes.isEmpty, "\(message)")
        }
    }
}
