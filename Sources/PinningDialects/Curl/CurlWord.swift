//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A word of a line, by the quoting rules of a shell and of curl's configuration files.
struct CurlWord {
    var text: String
    let position: TextPosition

    /// Returns the words of each line that has any. A backslash at the end of a line continues it on the next one.
    static func lines(of text: [UInt8], _ log: inout DiagnosticLog) -> [[CurlWord]] {
        var lines: [[CurlWord]] = []
        var goesOn = false
        var cursor = TextCursor(text)
        for line in TextLine.lines(of: text) {
            var scanner = CurlWordScanner(line, cursor)
            let words = scanner.words(&log)
            if goesOn, !lines.isEmpty { lines[lines.count - 1] += words } else { lines.append(words) }
            (goesOn, cursor) = (scanner.goesOn, scanner.cursor)
        }
        return lines.filter { !$0.isEmpty }
    }
}

/// Splits one line into words.
private struct CurlWordScanner {
    private(set) var cursor: TextCursor
    private var rest: ArraySlice<UInt8>
    /// `true` if the line ends in a backslash.
    private(set) var goesOn = false

    init(_ line: TextLine, _ cursor: TextCursor) {
        self.cursor = cursor
        self.rest = line.octets
    }

    mutating func words(_ log: inout DiagnosticLog) -> [CurlWord] {
        var words: [CurlWord] = []
        while true {
            self.rest = self.rest.drop { $0.isBlank }
            guard let first = self.rest.first else { return words }
            let position = self.cursor.advance(to: self.rest.startIndex)
            if first == UInt8(ascii: "#") {
                log.checkComment(self.rest, at: position)
                return words
            }
            guard let text = self.word(position, &log) else { return words }
            words.append(CurlWord(text: text, position: position))
        }
    }

    /// Returns the next word without its quotation marks, or `nil` if only the backslash at the end of the line is left.
    private mutating func word(_ position: TextPosition, _ log: inout DiagnosticLog) -> String? {
        var text: [UInt8] = []
        var isEmpty = true
        while let byte = self.rest.first, !byte.isBlank {
            self.rest.removeFirst()
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                text += self.quoted(byte, position, into: &log)
            } else if byte == UInt8(ascii: "\\") {
                guard let next = self.rest.popFirst() else {
                    self.goesOn = true
                    break
                }
                text.append(next)
            } else {
                text.append(byte)
            }
            isEmpty = false
        }
        return isEmpty ? nil : text.text
    }

    private mutating func quoted(_ quote: UInt8, _ position: TextPosition, into log: inout DiagnosticLog) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = self.rest.popFirst() {
            if byte == quote { return text }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let next = self.rest.popFirst() {
                text.append(next)
            } else {
                text.append(byte)
            }
        }
        log.add(
            .malformedDocument, "A quotation mark has no other on its line.", remedy: "Copy the line again, whole.",
            at: position)
        return text
    }
}
