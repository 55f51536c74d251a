//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

/// What an explanation has to say: five elements, each a point.
struct FaultChecklist: Sendable {
    /// Which certificate: its place and its subject.
    let certificate: String
    /// Which rule: the section that states it.
    let rule: String
    /// The evidence: what was found, and what is required.
    let found: String
    let required: String
    /// Apple's code.
    let code: String
    /// A remedy that is true, by a phrase of it.
    let remedy: String
    /// What would not be true.
    var wrong: [String] = []

    /// What is missing in a text, in words.
    func missing(in text: String) -> [String] {
        let elements: [(String, Bool)] = [
            ("certificate: \(self.certificate)", text.contains("about     certificate \(self.certificate)")),
            ("rule: \(self.rule)", text.contains("rule      \(self.rule): ")),
            (
                "evidence: \(self.found) | \(self.required)",
                Self.line("found", in: text, has: self.found) && Self.line("required", in: text, has: self.required)
            ),
            ("code: \(self.code)", text.contains(self.code)),
            ("remedy: \(self.remedy)", text.contains(self.remedy) && !self.wrong.contains(where: text.contains)),
        ]
        return elements.filter { !$0.1 }.map(\.0)
    }

    private static func line(_ label: String, in text: String, has value: String) -> Bool {
        text.split(separator: "\n").contains { line in
            line.drop { $0 == " " }.hasPrefix(label + " ") && line.contains(value)
        }
    }
}

@Suite("What the command says of faulty chains", .limitedConcurrency)
struct FaultExplanationTests {
    @Test(
        "Each fault is told with its certificate, its rule, its evidence, Apple's code, and a remedy that is true",
        arguments: Fault.all)
    func elements(fault: Fault) async throws {
        let finished = try await fault.scene().judged()
        #expect(finished.status == 1, "\(fault.name): \(finished.output)\(finished.errors)")
        let missing = fault.checklist.missing(in: finished.output)
        #expect(missing.isEmpty, "\(fault.name): \(missing)\n\(finished.output)")
    }

    @Test("There are sixty of them, each another")
    func count() {
        #expect(Set(Fault.all.map(\.name)).count == Fault.all.count)
        #expect(Fault.all.count >= 60)
    }
}
