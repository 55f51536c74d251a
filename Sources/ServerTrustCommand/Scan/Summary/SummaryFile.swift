//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The summary in a file.
enum SummaryFile {
    static func write(_ summary: ScanSummary, to path: String) throws {
        let text = try JSONText.text(SummaryDocument(summary))
        do {
            let file = try Descriptor.writing(path, keeping: false)
            defer { file.close() }
            try file.write(Array(text.utf8))
        } catch {
            throw CommandError("\(path): cannot be written: \(error)")
        }
    }
}
