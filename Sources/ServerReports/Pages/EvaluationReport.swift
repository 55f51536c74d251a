//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A report on the evaluation of a chain, as text, as a document or as a page.
package struct EvaluationReport: Report {
    package static let formats: Set<ReportFormat> = [.text, .json, .html]

    private let judgment: Judgment
    private let remarks: ReportRemarks

    package init(_ judgment: Judgment, remarks: ReportRemarks) {
        self.judgment = judgment
        self.remarks = remarks
    }

    package var verdict: ReportVerdict { self.judgment.verdict }

    package func text(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: ReportText(style).text(of: self.judgment) + self.remarks.text(style)
        case .json: try JSONText.text(EvaluateDocument(self.judgment, self.remarks.storeIssues))
        case .html:
            ChainPage(self.judgment, remarks: self.remarks.sentences(savedTo: nil, spelling: style.spelling)).text
        case .nscurl, .junit, .sarif, .csv, .plist: throw UnsupportedFormat(format: format)
        }
    }
}
