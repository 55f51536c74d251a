//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import SystemPackage

/// The summary in a file, which is opened before anything is asked: a path that cannot be written is found out at once.
package struct SummaryFile {
    private let path: String
    private let file: Descriptor

    /// - Throws: ``FleetError`` when the file cannot be written, or is something else as well.
    package init(_ path: String, _ files: ScanFiles) throws {
        self.path = path
        self.file = try files.open(path, as: .summary)
        try ReplaceableFile.requireReplaceable(self.file, path, kinds: [.summary])
    }

    /// Writes the summary in place of what is in the file.
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
    /// The summary of a scan: its keys in alphabetical order begin with the answers about App Transport Security.
    static let summary = ReplaceableFile(name: "a summary of a scan") { bytes in
        String(decoding: bytes.prefix(64), as: UTF8.self).filter { !$0.isWhitespace }
            .hasPrefix(SummaryDocument.beginning)
    }
}
