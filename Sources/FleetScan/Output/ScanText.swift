//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// A formatter that writes each result as a line of text.
struct ScanText {
    private let style: TextStyle

    init(_ style: TextStyle) {
        self.style = style
    }

    /// Returns the line of a host: the outcome by the criterion, the host, and the first finding.
    func line(_ record: ScanRecord, _ criterion: ScanCriterion) -> String {
        let outcome = record.outcome(criterion) ?? record.outcome.ats
        let word = self.word(outcome)
        let days = record.presentedCertificates.map(\.certificate.daysLeft).min()
        let outcomes = [
            ("certificate", criterion == .expiry ? days.map { "ends in \($0) days" } : nil),
            ("ATS", record.outcome.ats), ("FCP", record.outcome.fcp), ("trust", record.outcome.trust),
            ("Info.plist", record.outcome.plist), ("pins", record.outcome.pins),
        ]
        let answers =
            outcomes.compactMap { name, outcome in outcome.map { "\(name) \(DisplayText.text($0))" } }
        let finding = record.error ?? record.findings.first
        let more = record.findings.count > 1 ? " (and \(record.findings.count - 1) more)" : ""
        let reason = finding.map { "  \(DisplayText.text($0.message))\(more)" } ?? ""
        guard record.error == nil else {
            return self.style.wrapped("\(word)  line \(record.line): \(record.name)\(reason)")
        }
        return self.style.wrapped(
            "\(word)  \(self.style.bold(record.name))  \(self.style.dim(answers.joined(separator: ", ")))\(reason)"
                + (record.notes ?? []).map { "\n         \(DisplayText.text($0))" }.joined())
    }

    static let words = ["PASS   ", "FAIL   ", "UNKNOWN"]

    private func word(_ outcome: String) -> String {
        switch outcome {
        case "passed": self.style.coloured(Self.words[0], .trusted)
        case "failed": self.style.coloured(Self.words[1], .notTrusted)
        default: self.style.coloured(Self.words[2], .notEvaluated)
        }
    }
}
