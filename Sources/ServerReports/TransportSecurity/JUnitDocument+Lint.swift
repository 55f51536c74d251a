//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

extension JUnitDocument {
    /// The answer of `servertrust ats lint --format junit`.
    ///
    /// A file is a suite. What was found is a test of it that failed, or passed with a word to say when `--fail-on` lets it
    /// pass; a file in which nothing was found has one test that passed.
    init(_ report: LintReport) {
        self.init("Lint of Info.plists", report.files.map { Suite(name: $0.path, cases: Self.cases($0, report)) })
    }

    private static func cases(_ file: LintReport.File, _ report: LintReport) -> [Case] {
        if let error = file.error {
            let details = "\(LintText.place(file.path, error.position)): \(error.message)"
            return [
                Case(name: "not read", outcome: .error(message: error.message, type: "not-read", details: details))
            ]
        }
        guard !file.findings.isEmpty else { return [Case(name: "nothing found", outcome: .passed(details: nil))] }
        // Readers take tests of one name for the same one, and a binary file has no lines to tell them apart by.
        var names: [String: Int] = [:]
        return file.findings.map { finding in
            let name = Self.name(of: finding)
            names[name, default: 0] += 1
            let number = names[name].map { $0 > 1 ? " (\($0))" : "" } ?? ""
            return Case(
                name: name + number, outcome: Self.outcome(of: finding, in: file.path, fails: report.fails(finding)))
        }
    }

    private static func name(of finding: ATSFinding) -> String {
        let place = finding.position.map { " at \($0.line):\($0.column)" } ?? ""
        return "\(finding.rule.rawValue)\(place): \(finding.path.joined(separator: " > "))"
    }

    private static func outcome(of finding: ATSFinding, in path: String, fails: Bool) -> Outcome {
        let details =
            "\(LintText.place(path, finding.position)): \(finding.severity.rawValue): \(finding.message)\n"
            + finding.remedy
        guard fails else { return .passed(details: details) }
        return .failed(message: finding.message, type: finding.rule.rawValue, details: details)
    }
}
