//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A table with aligned columns. The last column is wrapped to the width of the terminal.
package struct TextTable {
    /// A table cell, as plain text and as styled text.
    package struct Cell {
        let text: String
        let styled: String

        package init(_ text: String, styled: String? = nil) {
            self.text = text
            self.styled = styled ?? text
        }
    }

    private let header: [Cell]
    private let rows: [[Cell]]
    private let width: Int

    private static let gap = 2
    private static let narrowestColumn = 32

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - header: The first line.
    ///   - rows: The other lines, each with as many cells as the header.
    ///   - width: The columns of the terminal.
    package init(header: [Cell], rows: [[Cell]], width: Int) {
        self.header = header
        self.rows = rows
        self.width = width
    }

    package var text: String {
        ([self.header] + self.rows).flatMap(self.lines).map { $0 + "\n" }.joined()
    }

    private var widths: [Int] {
        self.header.indices.map { column in
            ([self.header] + self.rows).map { $0[column].text.count }.max() ?? 0
        }
    }

    private func lines(of row: [Cell]) -> [String] {
        guard let last = row.last else { return [] }
        let widths = self.widths.dropLast()
        let start = widths.reduce(0) { $0 + $1 + Self.gap }
        let front = zip(row, widths).map { cell, width in
            cell.styled + String(repeating: " ", count: width - cell.text.count + Self.gap)
        }.joined()
        let wrapped = Self.wrap(last.text, to: max(Self.narrowestColumn, self.width - start))
        guard wrapped.count > 1 else { return [front + last.styled] }
        let indent = String(repeating: " ", count: start)
        return wrapped.enumerated().map { ($0 == 0 ? front : indent) + $1 }
    }

    /// Breaks a text at spaces. A word that is wider than the limit has a line of its own.
    package static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if line.count + 1 + word.count <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return lines + [line]
    }
}
