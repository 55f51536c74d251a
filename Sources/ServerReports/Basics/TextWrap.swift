//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TextStyle {
    /// Breaks the lines of a text at spaces, so that they fit the width of the terminal. Returns the text unchanged if the style
    /// has no width.
    ///
    /// Continuation lines are indented like the first line, or up to the value after a label. A word that is longer than the
    /// width, such as a pin or a URL, stays whole so that it can be copied.
    package func wrapped(_ text: String) -> String {
        guard let width else { return text }
        let limit = max(Self.leastWidth, width)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.wrapped($0, to: limit) }.joined(separator: "\n")
    }

    /// The least width in columns. Narrower terminals break the lines themselves.
    private static let leastWidth = 20

    private static func wrapped(_ line: Substring, to width: Int) -> String {
        guard Self.columns(of: line) > width else { return String(line) }
        let indent = Self.indentation(of: line, width)
        var text = ""
        var (column, gap) = (0, 0)
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { gap += 1 }
            guard !word.isEmpty else { continue }
            let columns = Self.columns(of: word)
            if column > indent, column + gap + columns > width {
                text += "\n" + String(repeating: " ", count: indent)
                (column, gap) = (indent, 0)
            }
            text += String(repeating: " ", count: gap) + word
            (column, gap) = (column + gap + columns, 0)
        }
        return text
    }

    /// Returns the indentation of continuation lines: the column after the label if it leaves enough room, or else the
    /// indentation of the line.
    private static func indentation(of line: Substring, _ width: Int) -> Int {
        let plain = Self.plain(line)
        let start = plain.prefix { $0 == " " }.count
        var spaces = 0
        for (column, character) in plain.enumerated().dropFirst(start) {
            guard column <= min(width / 2, start + Self.widestLabel) else { break }
            if character != " ", spaces > 1 { return column }
            spaces = character == " " ? spaces + 1 : 0
        }
        return min(start, width / 2)
    }

    private static let widestLabel = 20

    private static func columns(of text: Substring) -> Int { Self.plain(text).count }

    private static func plain(_ text: Substring) -> Substring {
        guard text.utf8.contains(0x1B) else { return text }
        var plain: Substring = ""
        var isSequence = false
        for character in text {
            if character == "\u{1B}" {
                isSequence = true
            } else if !isSequence {
                plain.append(character)
            } else if character == "m" {
                isSequence = false
            }
        }
        return plain
    }
}
