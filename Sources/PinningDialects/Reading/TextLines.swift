//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A line of a text, without its end.
struct TextLine {
    /// The bytes of the line, at the same indices as in the text.
    let octets: ArraySlice<UInt8>

    /// Splits a text into lines. LF, CRLF and a single CR end a line.
    static func lines(of bytes: [UInt8]) -> [TextLine] {
        var lines: [TextLine] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            lines.append(TextLine(octets: line))
            rest = rest.dropFirst(line.count)
            let isPair = rest.starts(with: [0x0D, 0x0A])
            rest = rest.dropFirst(isPair ? 2 : 1)
        }
        return lines
    }
}

extension Collection<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension UInt8 {
    /// `true` for a space or a tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// `true` for a blank or an end of line.
    var isSpace: Bool { self.isBlank || self == 0x0A || self == 0x0D }
}
