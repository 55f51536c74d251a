//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

/// The linter's findings for people and their editors, with positions in the notation of compilers.
package struct LintText {
    private let style: TextStyle

    package init(_ style: TextStyle) {
        self.style = style
    }

    func text(of report: LintReport) -> String {
        let files = report.files.filter { $0.error != nil || !$0.findings.isEmpty || $0.note != nil }
        let text = files.map(self.paragraph).joined(separator: "\n")
        return self.style.wrapped(text + (files.isEmpty ? "" : "\n") + self.summary(report))
    }

    private func paragraph(_ file: LintReport.File) -> String {
        if let error = file.error {
            let place = Self.place(file.path, error.position)
            return "\(self.style.bold(place)): "
                + "\(self.style.coloured("not read:", .notEvaluated)) \(DisplayText.text(error.message))\n"
        }
        let note = file.note.map { "\(self.style.bold(DisplayText.text(file.path))): \(DisplayText.text($0))\n" } ?? ""
        return note + file.findings.map { self.finding($0, in: file) }.joined()
    }

    private func finding(_ finding: ATSFinding, in file: LintReport.File) -> String {
        let place = Self.place(file.path, finding.position)
        return "\(self.style.bold(place)): \(self.severity(finding.severity)) \(DisplayText.text(finding.message)) "
            + "\(self.style.dim("[\(finding.rule.rawValue)]"))\n    \(DisplayText.text(finding.remedy))\n"
    }

    /// Returns a position such as `Info.plist:12:9`, or the path alone if the file has no lines.
    static func place(_ path: String, _ position: TextPosition?) -> String {
        DisplayText.text(path) + (position.map { ":\($0.line):\($0.column)" } ?? "")
    }

    private func severity(_ severity: ATSFinding.Severity) -> String {
        let text = "\(severity.rawValue):"
        return switch severity {
        case .error: self.style.coloured(text, .notTrusted)
        case .warning: self.style.coloured(text, .notEvaluated)
        case .note: self.style.dim(text)
        }
    }

    private func summary(_ report: LintReport) -> String {
        let unread = report.files.count { $0.error != nil }
        let counts = ATSFinding.Severity.allCases.reversed().map { (report.count($0), $0.rawValue) }
        let found = counts.filter { $0.0 > 0 }.map { Self.count($0.0, $0.1) }
        let files = Self.count(report.files.count, "file")
        let verdict =
            switch report.verdict {
            case .trusted: self.style.coloured("PASSED", .trusted)
            case .notTrusted: self.style.coloured("FAILED", .notTrusted)
            case .notEvaluated: self.style.coloured("NOT EVALUATED", .notEvaluated)
            }
        var text = "\(verdict)  \(files) for \(report.linter.system): "
        text += found.isEmpty ? "nothing found" : found.joined(separator: ", ")
        if unread > 0 { text += ", \(Self.count(unread, "file")) not read" }
        if report.verdict == .trusted, !found.isEmpty {
            text += ", none at or above \(report.failOn.rawValue)"
        }
        if report.files.contains(where: { $0.findings.count >= ATSLinter.maximumFindings }) {
            text += ", no more than \(ATSLinter.maximumFindings) of a file are shown"
        }
        return text + "\n"
    }

    private static func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }

    package func rules() -> String {
        let width = ATSRule.allCases.map(\.rawValue.count).max() ?? 0
        return ATSRule.allCases.map { rule in
            let gap = String(repeating: " ", count: width - rule.rawValue.count)
            let severity = rule.severity.rawValue
            return "\(self.style.bold(rule.rawValue))\(gap)  "
                + "\(severity)\(String(repeating: " ", count: 7 - severity.count))  \(rule.title)\n"
        }.joined()
    }
}
