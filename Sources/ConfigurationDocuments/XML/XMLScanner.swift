//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of the tokens of XML: white space, names, quoted texts and references.
struct XMLScanner {
    /// The maximum length of a name in bytes. libxml2 refuses longer names as well.
    private static let maximumName = 50_000

    private let bytes: [UInt8]
    private(set) var offset = 0
    private var cursor: TextCursor

    init(_ bytes: [UInt8]) throws(DocumentError) {
        self.bytes = bytes
        self.cursor = TextCursor(bytes)
        if let illegal = Self.firstIllegalCharacter(in: bytes) {
            throw DocumentError(
                .malformed("a character is not allowed in XML"), TextCursor.position(of: illegal, in: bytes))
        }
    }

    /// Returns the offset of a control character, U+FFFE or U+FFFF (XML 1.0 §2.2). UTF-8 has no surrogates.
    private static func firstIllegalCharacter(in bytes: [UInt8]) -> Int? {
        for (index, byte) in bytes.enumerated() {
            if byte < 0x20, !byte.isWhitespace { return index }
            guard byte == 0xBE || byte == 0xBF, index >= 2 else { continue }
            if bytes[index - 2] == 0xEF, bytes[index - 1] == 0xBF { return index - 2 }
        }
        return nil
    }

    var next: UInt8? { self.offset < self.bytes.count ? self.bytes[self.offset] : nil }

    var isASCII: Bool { self.bytes.allSatisfy { $0 < 0x80 } }

    func bytes(of range: Range<Int>) -> ArraySlice<UInt8> { self.bytes[range] }

    func text(of range: Range<Int>) -> String { String(decoding: self.bytes[range], as: UTF8.self) }

    mutating func position() -> TextPosition { self.cursor.advance(to: self.offset) }

    mutating func malformed(_ detail: String) -> DocumentError {
        DocumentError(.malformed(detail), self.position())
    }

    func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { self.bytes[self.offset...].starts(with: $0) }
    }

    mutating func take(_ text: StaticString) -> Bool {
        guard self.isNext(text) else { return false }
        self.offset += text.utf8CodeUnitCount
        return true
    }

    /// Skips white space and returns `true` if there was any.
    @discardableResult
    mutating func skipWhitespace() -> Bool {
        let start = self.offset
        while let next, next.isWhitespace { self.offset += 1 }
        return self.offset > start
    }

    /// Skips the bytes up to the first that satisfies a condition, or to the end.
    mutating func skip(until isEnd: (UInt8) -> Bool) -> Range<Int> {
        let start = self.offset
        while let next, !isEnd(next) { self.offset += 1 }
        return start..<self.offset
    }

    /// Skips past the next occurrence of a text. Returns the range before it, or `nil` if the text does not occur.
    mutating func skip(through end: StaticString) -> Range<Int>? {
        let start = self.offset
        while self.offset < self.bytes.count {
            let found = self.offset
            if self.take(end) { return start..<found }
            self.offset += 1
        }
        return nil
    }
}

// MARK: Words

extension XMLScanner {
    /// Reads a name and returns its range, or `nil` if no name begins here (XML 1.0 §2.3).
    mutating func name() throws(DocumentError) -> Range<Int>? {
        let start = self.offset
        while let scalar = self.nextScalar(), start == self.offset ? scalar.beginsXMLName : scalar.continuesXMLName {
            self.offset += scalar.utf8.count
        }
        guard self.offset - start <= Self.maximumName else {
            throw self.malformed("a name has more than \(Self.maximumName) bytes")
        }
        return self.offset > start ? start..<self.offset : nil
    }

    private func nextScalar() -> Unicode.Scalar? {
        guard let next else { return nil }
        guard next >= 0x80 else { return Unicode.Scalar(next) }
        return String(decoding: self.bytes[self.offset...].prefix(4), as: UTF8.self).unicodeScalars.first
    }

    /// Reads any text in quotation marks and returns its range without the marks.
    mutating func quoted(_ what: String) throws(DocumentError) -> Range<Int> {
        for mark in ["\"", "'"] as [StaticString] where self.take(mark) {
            let start = self.position()
            guard let range = self.skip(through: mark) else {
                throw DocumentError(.malformed("\(what) has no closing quotation mark"), start)
            }
            return range
        }
        throw self.malformed("\(what) is not in quotation marks")
    }

    /// Skips the `=` between a name and its value.
    mutating func skipEqualsSign(after what: String) throws(DocumentError) {
        self.skipWhitespace()
        guard self.take("=") else { throw self.malformed("\(what) has no value") }
        self.skipWhitespace()
    }
}

// MARK: References

extension XMLScanner {
    /// Reads a reference and returns its character (XML 1.0 §4.1 and §4.6).
    mutating func reference() throws(DocumentError) -> Unicode.Scalar {
        let position = self.position()
        self.offset += 1
        if self.take("#") { return try self.characterReference(position) }
        guard let name = try self.name() else {
            throw DocumentError(.malformed("a \"&\" does not begin a reference. Write &amp;"), position)
        }
        guard self.take(";") else {
            throw DocumentError(.malformed("a reference has no \";\", or a \"&\" should be &amp;"), position)
        }
        guard let scalar = Self.entities[self.text(of: name)] else {
            throw DocumentError(
                .malformed("an entity is not declared (XML itself knows &lt; &gt; &amp; &quot; and &apos;)"), position)
        }
        return scalar
    }

    private static let entities: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    private mutating func characterReference(_ position: TextPosition) throws(DocumentError) -> Unicode.Scalar {
        let radix: UInt32 = self.take("x") ? 16 : 10
        let digits = self.skip { $0.hexadecimalDigit.map { $0 >= radix } ?? true }
        guard !digits.isEmpty, self.take(";") else {
            throw DocumentError(.malformed("a reference to a character is not a number with a \";\""), position)
        }
        var value: UInt32 = 0
        for byte in self.bytes[digits] where value <= 0x10FFFF {
            value = value * radix + UInt32(byte.hexadecimalDigit ?? 0)
        }
        guard let scalar = Unicode.Scalar(value), scalar.isXMLCharacter else {
            throw DocumentError(.malformed("a reference is to a character that is not allowed in XML"), position)
        }
        return scalar
    }
}
