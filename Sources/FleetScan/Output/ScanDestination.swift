//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// Where results come from and go to.
package struct ScanDestination: Sendable {
    /// How results are written; `nil` for lines of JSON, and for text where changes go to a terminal.
    package var format: ScanFormat?
    /// The file that results are written to; `nil` for standard output.
    package var file: String?
    /// Results whose hosts are not asked again.
    package var earlier: String?
    /// Files of results in place of asking; empty where hosts are asked.
    package var sources: [String]
    /// Results to compare with.
    package var compared: String?
    /// The file that the summary is written to.
    package var summaryFile: String?
    /// What decides the verdict.
    package var criterion: ScanCriterion
    /// Colors, weights and the width of text on standard output; `nil` for those of a terminal that wraps by itself.
    package var style: TextStyle?

    /// A destination; by default lines of JSON on standard output.
    package init(
        format: ScanFormat? = nil, file: String? = nil, earlier: String? = nil, sources: [String] = [],
        compared: String? = nil, summaryFile: String? = nil, criterion: ScanCriterion = .ats, style: TextStyle? = nil
    ) {
        self.format = format
        self.file = file
        self.earlier = earlier
        self.sources = sources
        self.compared = compared
        self.summaryFile = summaryFile
        self.criterion = criterion
        self.style = style
    }

    /// The format, with lines of JSON as the default.
    package var resolvedFormat: ScanFormat { self.format ?? .ndjson }
}

/// The formats of results.
package enum ScanFormat: String, CaseIterable, Sendable {
    case ndjson
    case text
    case csv
    case html
}
