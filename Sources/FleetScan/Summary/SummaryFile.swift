//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import SystemPackage

/// The file for the summary. It is opened before the scan, so that a path that cannot be written fails at once.
package struct SummaryFile {
    private let path: String
    private let file: Descriptor

    /// Opens the file.
    ///
    /// - Throws: ``FleetError`` if the file cannot be written or has another role.
    package init(_ path: String, _ files: ScanFiles) throws {
        self.path = path
        self.file = try files.open(path, as: .summary)
        try ReplaceableFile.requireReplaceable(self.file, path, kinds: [.summary])
    }

    package func write(_ summary: ScanSummary) throws {
        let text = try JSONText.text(SummaryDocument(summary))
        do {
            defer { try? self.file.close() }
            try self.file.empty()
            try self.file.write(Array(text.utf8))
        } catch {
            throw FleetError("\(self.path): cannot be written: \(error)")
        }
    }
}

extension ReplaceableFile {
    /// The summary of a scan. Its keys are in alphabetical order, so that it begins with the outcomes of App Transport Security.
    static let summary = ReplaceableFile(name: "a summary of a scan") { bytes in
        String(decoding: bytes.prefix(64), as: UTF8.self).filter { !$0.isWhitespace }
            .hasPrefix(SummaryDocument.beginning)
    }
}
