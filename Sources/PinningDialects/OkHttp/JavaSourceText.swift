//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A source as the lexer of its language sees it, with the position of each byte in the file.
struct SourceText {
    /// The bytes for the lexer.
    private(set) var bytes: [UInt8]
    let file: [UInt8]
    /// The offset of each byte in the file. Empty if the file is lexed as it is written.
    private var offsets: [Int] = []
    /// The offset of the first Unicode escape that Java refuses.
    private(set) var malformedEscape: Int?
    /// The offset of the first translated Unicode escape.
    private(set) var firstEscape: Int?

    /// Creates a source without translation, as Kotlin's lexer sees it.
    init(_ file: [UInt8]) {
        self.bytes = file
        self.file = file
    }

    /// Creates a source as Java's lexer sees it: Unicode escapes are translated before the lexer recognizes comments and
    /// literals, so an escape can end either (JLS §3.3).
    init(translatingEscapesOf file: [UInt8]) {
        self.bytes = []
        self.file = file
        var index = 0
        while index < file.count {
            guard file[index] == UInt8(ascii: "\\") else {
                self.append([file[index]], from: index)
                index += 1
                continue
            }
            let end = file[index...].firstIndex { $0 != UInt8(ascii: "\\") } ?? file.count
            // In a run of backslashes, only one preceded by an even number of them begins an escape: the last of an odd number.
            let isEscape = (end - index) % 2 == 1 && end < file.count && file[end] == UInt8(ascii: "u")
            for backslash in index..<(isEscape ? end - 1 : end) { self.append([UInt8(ascii: "\\")], from: backslash) }
            index = isEscape ? self.translateEscapes(at: end - 1) : end
        }
    }

    /// Returns the offset in the file of a byte of the source.
    func offset(of index: Int) -> Int {
        guard !self.offsets.isEmpty else { return index }
        return index < self.offsets.count ? self.offsets[index] : self.file.count
    }

    private mutating func append(_ octets: some Sequence<UInt8>, from offset: Int) {
        for octet in octets {
            self.bytes.append(octet)
            self.offsets.append(offset)
        }
    }

    /// Translates an escape, together with the next one if the two are a surrogate pair, and returns the offset after them.
    private mutating func translateEscapes(at start: Int) -> Int {
        guard let (unit, end) = self.escape(at: start) else {
            self.malformedEscape = self.malformedEscape ?? start
            self.append([self.file[start]], from: start)
            return start + 1
        }
        self.firstEscape = self.firstEscape ?? start
        if UTF16.isLeadSurrogate(unit), let (second, secondEnd) = self.escape(at: end), UTF16.isTrailSurrogate(second) {
            self.append(String(decoding: [unit, second], as: UTF16.self).utf8, from: start)
            return secondEnd
        }
        self.append(String(decoding: [unit], as: UTF16.self).utf8, from: start)
        return end
    }

    /// Parses a backslash, one or more `u` and four hexadecimal digits into a UTF-16 code unit.
    private func escape(at start: Int) -> (unit: UInt16, end: Int)? {
        guard start < self.file.count, self.file[start] == UInt8(ascii: "\\") else { return nil }
        let digits = self.file[(start + 1)...].drop { $0 == UInt8(ascii: "u") }
        guard digits.startIndex > start + 1, digits.count >= 4 else { return nil }
        // The initializer of integers would also accept a sign.
        guard digits.prefix(4).allSatisfy({ Self.isHexadecimal($0) }) else { return nil }
        let unit = UInt16(String(decoding: digits.prefix(4), as: UTF8.self), radix: 16)
        return unit.map { ($0, digits.startIndex + 4) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
