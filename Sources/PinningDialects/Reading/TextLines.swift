//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A line of a text, without its end.
struct TextLine {
    /// What is in it, at the same indices as in the text.
    let octets: ArraySlice<UInt8>

    /// The lines of a text: LF, CRLF and CR alone end one.
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
    /// The octets as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension UInt8 {
    /// Whether it is a space or a tabulator.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// Whether it is a blank or the end of a line.
    var isSpace: Bool { self.isBlank || self == 0x0A || self == 0x0D }
}
