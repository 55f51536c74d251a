//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if YAML

import ConfigurationDocuments
import Yams

/// Translates libyaml's lines into those an editor shows.
///
/// libyaml ends lines, as YAML 1.1 did, at U+0085, U+2028 and U+2029, too. Only texts that have one of them need more than
/// a copy.
struct YAMLPositions {
    /// Where libyaml's lines begin for an editor; empty if they are the same.
    private let lineStarts: [TextPosition]

    init(_ bytes: [UInt8]) {
        self.lineStarts = Self.hasUnicodeBreaks(bytes) ? Self.lineStarts(of: bytes) : []
    }

    func position(of mark: Mark?) -> TextPosition? {
        guard let mark, mark.line > 0, mark.column > 0 else { return nil }
        guard mark.line <= self.lineStarts.count else { return TextPosition(line: mark.line, column: mark.column) }
        let start = self.lineStarts[mark.line - 1]
        // A line of libyaml's never goes beyond the end of an editor's.
        return TextPosition(line: start.line, column: start.column + mark.column - 1)
    }

    private static func hasUnicodeBreaks(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { Self.lengthOfUnicodeBreak(at: $0, bytes) != nil }
    }

    private static func lineStarts(of bytes: [UInt8]) -> [TextPosition] {
        var cursor = TextCursor(bytes)
        var starts = [TextPosition(line: 1, column: 1)]
        for index in bytes.indices {
            if let length = Self.lengthOfUnicodeBreak(at: index, bytes) {
                starts.append(cursor.advance(to: index + length))
            } else if bytes[index] == 0x0A || bytes[index] == 0x0D && !bytes[(index + 1)...].starts(with: [0x0A]) {
                starts.append(cursor.advance(to: index + 1))
            }
        }
        return starts
    }

    private static func lengthOfUnicodeBreak(at index: Int, _ bytes: [UInt8]) -> Int? {
        guard bytes[index] == 0xC2 || bytes[index] == 0xE2 else { return nil }
        return Self.unicodeBreaks.first { bytes[index...].starts(with: $0) }?.count
    }

    private static let unicodeBreaks: [[UInt8]] = [[0xC2, 0x85], [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9]]
}

#endif
