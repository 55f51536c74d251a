//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of the tokens of a JSON text (RFC 8259 §2).
struct JSONScanner {
    /// The maximum length of a number, larger than any in use. The cost of reading a number grows faster than its length.
    private static let maximumNumber = 1_024

    private let bytes: [UInt8]
    private var offset = 0
    private var cursor: TextCursor

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.cursor = TextCursor(bytes)
    }

    var next: UInt8? { self.offset < self.bytes.count ? self.bytes[self.offset] : nil }

    mutating func position() -> TextPosition { self.cursor.advance(to: self.offset) }

    mutating func skip() {
        if self.offset < self.bytes.count { self.offset += 1 }
    }

    mutating func skipWhitespace() {
        while let next, next.isWhitespace { self.offset += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard self.next == byte else { return false }
        self.offset += 1
        return true
    }

    mutating func requireEnd() throws(DocumentError) {
        self.skipWhitespace()
        guard self.next == nil else { throw self.malformed("there is something after the value") }
    }

    mutating func malformed(_ detail: String) -> DocumentError {
        DocumentError(.malformed(self.next == nil ? "the JSON ends too soon" : detail), self.position())
    }

    /// Reads a value that is not a collection (§3).
    mutating func scalar() throws(DocumentError) -> DocumentNode.Value {
        switch self.next {
        case UInt8(ascii: "\""): return .string(try self.string())
        case let next? where next == UInt8(ascii: "-") || next.isDigit: return try self.number()
        default: break
        }
        for (word, value) in Self.words where self.bytes[self.offset...].starts(with: word) {
            self.offset += word.count
            return value
        }
        throw self.malformed("this is not a value of JSON")
    }

    private static let words: [([UInt8], DocumentNode.Value)] = [
        (Array("true".utf8), .boolean(true)), (Array("false".utf8), .boolean(false)), (Array("null".utf8), .null),
    ]
}

// MARK: Numbers

extension JSONScanner {
    /// Reads a number (§6).
    private mutating func number() throws(DocumentError) -> DocumentNode.Value {
        let start = self.offset
        _ = self.take(UInt8(ascii: "-"))
        if !self.take(UInt8(ascii: "0")) { try self.skipDigits() }
        let endOfInteger = self.offset
        if self.take(UInt8(ascii: ".")) { try self.skipDigits() }
        if self.take(UInt8(ascii: "e")) || self.take(UInt8(ascii: "E")) {
            _ = self.take(UInt8(ascii: "+")) || self.take(UInt8(ascii: "-"))
            try self.skipDigits()
        }
        guard self.offset - start <= Self.maximumNumber else {
            throw DocumentError(
                .unsupported("a number has more than \(Self.maximumNumber) characters. Write a shorter one"),
                self.cursor.advance(to: start))
        }
        let text = String(decoding: self.bytes[start..<self.offset], as: UTF8.self)
        if endOfInteger == self.offset, let integer = Int(text) { return .integer(integer) }
        guard let real = Double(text) else { throw self.malformed("this is not a number of JSON") }
        return .real(real)
    }

    private mutating func skipDigits() throws(DocumentError) {
        let start = self.offset
        while let next, next.isDigit { self.offset += 1 }
        guard self.offset > start else { throw self.malformed("a number lacks a digit here") }
    }
}

// MARK: Strings

extension JSONScanner {
    /// Reads the string that begins here (§7).
    mutating func string() throws(DocumentError) -> String {
        self.skip()
        var text: [UInt8] = []
        while true {
            text += self.plainCharacters()
            if self.take(UInt8(ascii: "\"")) { return String(decoding: text, as: UTF8.self) }
            guard self.next == UInt8(ascii: "\\") else {
                throw self.malformed("a text has a control character or the end of a line in it. Write an escape")
            }
            text += String(Character(try self.escaped())).utf8
        }
    }

    /// Reads up to the next quote, backslash or control character.
    private mutating func plainCharacters() -> ArraySlice<UInt8> {
        let start = self.offset
        while let next, next >= 0x20, next != UInt8(ascii: "\""), next != UInt8(ascii: "\\") { self.offset += 1 }
        return self.bytes[start..<self.offset]
    }

    private mutating func escaped() throws(DocumentError) -> Unicode.Scalar {
        let start = self.offset
        self.skip()
        guard let letter = self.next, let scalar = Self.escapes[letter] else {
            guard self.take(UInt8(ascii: "u")) else { throw self.malformed("this is not an escape of JSON") }
            return try self.scalar(escapedAt: start)
        }
        self.skip()
        return scalar
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    /// Reads the digits of an escape. Two escapes form one character above U+FFFF.
    private mutating func scalar(escapedAt start: Int) throws(DocumentError) -> Unicode.Scalar {
        let unit = try self.codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if UTF16.isLeadSurrogate(unit), self.take(UInt8(ascii: "\\")), self.take(UInt8(ascii: "u")) {
            let second = try self.codeUnit()
            let value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(second & 0x3FF))
            if UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(value) { return scalar }
        }
        throw DocumentError(.malformed("an escape is half of a surrogate pair"), self.cursor.advance(to: start))
    }

    private mutating func codeUnit() throws(DocumentError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = self.next?.hexadecimalDigit else {
                throw self.malformed("an escape has fewer than four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            self.offset += 1
        }
        return unit
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
