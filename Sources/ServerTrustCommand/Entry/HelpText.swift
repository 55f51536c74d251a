//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The overview of a help text, wrapped so that each command line in it stays in one piece.
///
/// ArgumentParser wraps examples like prose. A command line that is broken in two is two commands when it is pasted.
struct HelpText {
    private static let indentOfExamples = 2
    private static let leastRemarkWidth = 20
    private static let usage = "\nUSAGE: "
    private static let endless = 1 << 16

    private let width: Int

    /// Creates a text for a terminal of this width.
    init(width: Int) {
        self.width = width
    }

    /// Returns a help text with this type's overview. Other texts remain unchanged.
    ///
    /// - Parameter message: A function that returns ArgumentParser's text for a number of columns.
    func text(_ message: (_ columns: Int) -> String) -> String {
        let (wrapped, unwrapped) = (message(self.width), message(Self.endless))
        guard let end = unwrapped.firstRange(of: Self.usage), let rest = wrapped.firstRange(of: Self.usage) else {
            return wrapped
        }
        return self.overview(String(unwrapped[..<end.lowerBound])) + wrapped[rest.lowerBound...]
    }

    private func overview(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(self.lines(of:)).joined(separator: "\n")
    }

    /// Wraps a line. An example, or an exit code, stays whole up to its remark, and the remark stays in its column.
    private func lines(of line: Substring) -> String {
        let indent = line.prefix { $0 == " " }
        let text = line[indent.endIndex...]
        guard indent.count == Self.indentOfExamples else {
            return self.filled(indent.isEmpty ? "" : self.indentation(indent.count), text)
        }
        guard let gap = text.firstRange(of: "  ") else { return String(line) }
        let remark = text[gap.upperBound...].drop { $0 == " " }
        let column = line.distance(from: line.startIndex, to: remark.startIndex)
        let hanging = self.indentation(column)
        guard hanging.count == column else {
            return "\(line[..<gap.lowerBound])\n" + self.filled(hanging, remark)
        }
        return String(line[..<remark.startIndex] + self.filled(hanging, remark).dropFirst(column))
    }

    /// Returns the blanks before a remark, which are few where its column leaves no room for words.
    private func indentation(_ column: Int) -> String {
        let hasRoom = self.width - column >= Self.leastRemarkWidth
        return String(repeating: " ", count: hasRoom ? column : 3 * Self.indentOfExamples)
    }

    /// Returns words in lines that are all indented alike. Like those of ArgumentParser, they leave the last column free.
    private func filled(_ indentation: String, _ text: Substring) -> String {
        var lines = [indentation]
        var isBegun = false
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if isBegun, line.count + 1 + word.count >= self.width {
                lines.append(indentation + word)
            } else {
                lines[lines.count - 1] += (isBegun ? " " : "") + word
            }
            isBegun = true
        }
        return lines.joined(separator: "\n")
    }
}
