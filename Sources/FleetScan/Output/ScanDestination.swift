//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// The files and options for the results of a scan.
package struct ScanDestination: Sendable {
    /// The format of results. `nil` stands for lines of JSON, and for text if changes are written to a terminal.
    package var format: ScanFormat?
    /// The file for the results, or `nil` for standard output.
    package var file: String?
    /// The results of an earlier run. The hosts in it are skipped.
    package var earlier: String?
    /// Files of results to read instead of a scan. Empty if hosts are scanned.
    package var sources: [String]
    package var compared: String?
    package var summaryFile: String?
    package var criterion: ScanCriterion
    /// Colors, weights and width of text on standard output. `nil` stands for the style of the terminal.
    package var style: TextStyle?

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

    /// The format, or lines of JSON if it is `nil`.
    package var resolvedFormat: ScanFormat { self.format ?? .ndjson }
}

/// The format of results.
package enum ScanFormat: String, CaseIterable, Sendable {
    case ndjson
    case text
    case csv
    case html
}
