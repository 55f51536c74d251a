//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

/// The output of `servertrust ats lint --format json`.
struct LintDocument: Encodable {
    private let format = "servertrust.ats-lint/1"
    private let verdict: String
    private let system: String
    private let strictness: String
    private let failOn: String
    private let files: [JSONLintedFile]

    init(_ report: LintReport) {
        self.verdict = report.verdictName
        self.system = "\(report.linter.system)"
        self.strictness = report.linter.strictness.rawValue
        self.failOn = report.failOn.rawValue
        self.files = report.files.map(JSONLintedFile.init)
    }
}

/// A linted file, in JSON.
struct JSONLintedFile: Encodable {
    private let file: String
    private let findings: [JSONLintFinding]
    private let error: JSONLintError?
    private let note: String?

    init(_ file: LintReport.File) {
        self.file = DisplayText.text(file.path)
        self.findings = file.findings.map(JSONLintFinding.init)
        self.error = file.error.map(JSONLintError.init)
        self.note = file.note.map(DisplayText.text)
    }
}

/// A finding of the linter, in JSON.
struct JSONLintFinding: Encodable {
    private let rule: String
    private let severity: String
    private let message: String
    private let remedy: String
    private let replacement: String?
    private let path: [String]
    private let line: Int?
    private let column: Int?

    init(_ finding: ATSFinding) {
        self.rule = finding.rule.rawValue
        self.severity = finding.severity.rawValue
        self.message = DisplayText.text(finding.message)
        self.remedy = DisplayText.text(finding.remedy)
        self.replacement = finding.replacement.map(DisplayText.text)
        self.path = finding.path.map(DisplayText.text)
        self.line = finding.position?.line
        self.column = finding.position?.column
    }
}

/// The reason why a file could not be read, in JSON.
struct JSONLintError: Encodable {
    private let message: String
    private let line: Int?
    private let column: Int?

    init(_ error: InfoPropertyListError) {
        self.message = DisplayText.text(error.message)
        self.line = error.position?.line
        self.column = error.position?.column
    }
}
