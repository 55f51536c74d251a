//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A report that can be written as text for people and as one document for programs.
package protocol DocumentReport: Report {
    associatedtype Document: Encodable

    /// The report as a document.
    var document: Document { get }

    /// Returns the report as text.
    func text(_ style: TextStyle) -> String
}

extension DocumentReport {
    package static var formats: Set<ReportFormat> { [.text, .json] }

    package func text(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: self.text(style)
        case .json: try JSONText.text(self.document)
        case .nscurl, .junit, .sarif, .html, .csv, .plist: throw UnsupportedFormat(format: format)
        }
    }
}
