//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A report on the evaluations of servers, as text, as a document or as a page.
package struct CheckReport: GradualReport {
    package static let formats: Set<ReportFormat> = [.text, .json, .html]

    package var servers: [ServerReport] = []
    private let remarks: ReportRemarks

    package init(remarks: ReportRemarks) {
        self.remarks = remarks
    }

    package var verdict: ReportVerdict { .worst(of: self.servers.map(\.verdict)) }

    package func part(
        _ server: ServerReport, as format: ReportFormat, isFirst: Bool, style: TextStyle
    ) -> String {
        format == .text ? (isFirst ? "" : "\n") + ReportText(style).text(of: server) : ""
    }

    package func end(as format: ReportFormat, style: TextStyle) throws -> String {
        let file = self.servers.first?.savedTo
        switch format {
        case .text: return self.summary(style) + self.remarks.text(style, savedTo: file)
        case .json: return try JSONText.text(CheckDocument(self.servers, self.remarks.storeIssues))
        case .html:
            return ChainPage(self.servers, remarks: self.remarks.sentences(savedTo: file, spelling: style.spelling))
                .text
        case .nscurl, .junit, .sarif, .csv, .plist: throw UnsupportedFormat(format: format)
        }
    }

    private func summary(_ style: TextStyle) -> String {
        self.servers.count > 1 ? "\n" + ReportText(style).summary(of: self.servers.map(\.verdict)) : ""
    }
}
