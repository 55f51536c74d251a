//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

extension SARIFDocument {
    /// Creates the output of `servertrust ats lint --format sarif`.
    init(_ report: LintReport) {
        self.init(
            Run(
                rules: ATSRule.allCases.map { rule in
                    Rule(
                        id: rule.rawValue, title: rule.title, help: rule.help, level: rule.severity.rawValue,
                        helpURI: ReportTool.transportSecurityHelp)
                }, report.verdict,
                notifications: report.files.compactMap { file in
                    file.error.map { Notification($0.message, at: Location(file.path, $0.position, logical: nil)) }
                }, results: report.files.flatMap { file in file.findings.map { Result($0, in: file.path) } }))
    }
}

extension SARIFDocument.Result {
    fileprivate init(_ finding: ATSFinding, in path: String) {
        self.init(
            ruleID: finding.rule.rawValue, ruleIndex: ATSRule.allCases.firstIndex(of: finding.rule),
            level: finding.severity.rawValue, message: "\(finding.message) \(finding.remedy)",
            at: SARIFDocument.Location(path, finding.position, logical: finding.path),
            properties: finding.replacement.map { ["replacement": DisplayText.text($0)] })
    }
}

extension SARIFDocument.Location {
    fileprivate init(_ path: String, _ position: TextPosition?, logical: [String]?) {
        self.init(
            uri: FileReference.uri(of: path),
            region: position.map { SARIFDocument.Region(startLine: $0.line, startColumn: $0.column) }, logical: logical)
    }
}
