//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

extension JUnitDocument {
    /// Creates the output of `servertrust ats lint --format junit`.
    ///
    /// Each file is a suite. Each finding is a test that fails, or that passes with details if `--fail-on` permits the finding. A
    /// file without findings has one test that passes.
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
        // Readers identify tests by name, and a binary file has no lines to distinguish them.
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
