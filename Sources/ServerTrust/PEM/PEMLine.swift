//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The kind of one line of a PEM text, outside of the Base64 of a block.
enum PEMLine {
    /// The two keywords of boundaries in RFC 7468 §3.
    enum Keyword: Sendable {
        case begin
        case end
    }

    /// An exact boundary: five dashes, the keyword, a label, five dashes, and nothing else.
    case boundary(Keyword, label: ArraySlice<UInt8>)
    /// A line meant as a boundary, but not in the form of RFC 7468.
    case malformedBoundary(Keyword)
    /// The first line of a certificate or list in Base64.
    case base64
    /// A line with octets that do not occur in text: DER, UTF-16, or another file after the text.
    case binary
    /// Anything else.
    case text

    /// Classifies a line without its end.
    init(_ line: ArraySlice<UInt8>) {
        if let (keyword, label) = Self.boundary(line) {
            self = .boundary(keyword, label: label)
        } else if let keyword = Self.resembledKeyword(in: line) {
            self = .malformedBoundary(keyword)
        } else if line.contains(where: Self.isControl) {
            self = .binary
        } else {
            self = Self.looksLikeDERInBase64(line) ? .base64 : .text
        }
    }

    // MARK: Boundaries

    private static let dashes = Array("-----".utf8)
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)

    private static func boundary(_ line: ArraySlice<UInt8>) -> (Keyword, label: ArraySlice<UInt8>)? {
        guard line.first == Self.dash else { return nil }
        let keyword: Keyword
        var label: ArraySlice<UInt8>
        if line.starts(with: Self.begin) {
            (keyword, label) = (.begin, line.dropFirst(Self.begin.count))
        } else if line.starts(with: Self.end) {
            (keyword, label) = (.end, line.dropFirst(Self.end.count))
        } else {
            return nil
        }
        guard label.suffix(Self.dashes.count) == Self.dashes[...] else { return nil }
        label = label.dropLast(Self.dashes.count)
        return Self.isLabel(label) ? (keyword, label) : nil
    }

    /// Returns `true` for printable characters with single blanks or dashes between them (RFC 7468 §3).
    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        var previous = UInt8(ascii: " ")
        for byte in label {
            guard byte >= 0x20, byte < 0x7F else { return false }
            let isSeparator = byte == UInt8(ascii: " ") || byte == Self.dash
            guard !isSeparator || (previous != UInt8(ascii: " ") && previous != Self.dash) else { return false }
            previous = byte
        }
        return previous != UInt8(ascii: " ") && previous != Self.dash
    }

    // MARK: What was meant as a boundary

    /// Finds a keyword in a line that was meant as a boundary. The keyword may have any case and must begin a word. Either dashes
    /// directly precede it, or only signs precede it and the name of a certificate or list follows. “Trend”, “-- the end --” and
    /// “Front End Certificate Authority” are text.
    private static func resembledKeyword(in line: ArraySlice<UInt8>) -> Keyword? {
        var isFirstWord = true
        var index = line.startIndex
        while index < line.endIndex {
            guard Self.isAlphanumeric(line[index]) else {
                index += 1
                continue
            }
            if let (keyword, length) = Self.keyword(at: line[index...]),
                Self.endsWithDashes(line[..<index])
                    || (isFirstWord && Self.namesCertificateOrList(line[(index + length)...]))
            {
                return keyword
            }
            isFirstWord = false
            while index < line.endIndex, Self.isAlphanumeric(line[index]) { index += 1 }
        }
        return nil
    }

    private static func keyword(at text: ArraySlice<UInt8>) -> (Keyword, length: Int)? {
        if Self.hasPrefix("begin", text) { return (.begin, 5) }
        return Self.hasPrefix("end", text) ? (.end, 3) : nil
    }

    /// Returns `true` if the text ends with at least two dashes, or with a dash that a word processor made of them (U+2010 to
    /// U+2015, U+2212, U+FE58, U+FE63, U+FF0D, U+00AD).
    private static func endsWithDashes(_ text: ArraySlice<UInt8>) -> Bool {
        guard let last = text.last, last >= 0x80 else { return text.suffix(2) == Self.dashes[..<2] }
        guard text.suffix(2) != [0xC2, 0xAD] else { return true }
        return text.suffix(3).starts(with: [0xE2, 0x80])
            ? (0x90...0x95).contains(last)
            : Self.otherDashes.contains(Array(text.suffix(3)))
    }

    private static let otherDashes: [[UInt8]] = [
        [0xE2, 0x88, 0x92], [0xEF, 0xB9, 0x98], [0xEF, 0xB9, 0xA3], [0xEF, 0xBC, 0x8D],
    ]

    private static func namesCertificateOrList(_ text: ArraySlice<UInt8>) -> Bool {
        let label = text.drop { !Self.isAlphanumeric($0) }
        return Self.namesOfCertificatesAndLists.contains { name in
            Self.hasPrefix(name, label) && !label.dropFirst(name.utf8.count).prefix(1).contains(where: Self.isLetter)
        }
    }

    private static let namesOfCertificatesAndLists = [
        "certificate", "x509", "x.509", "x 509", "crl", "revocation", "trusted", "pkcs7", "pkcs",
    ]

    /// Returns `true` if the text begins with the word, regardless of the text's case. The word must be in lower case.
    private static func hasPrefix(_ word: String, _ text: ArraySlice<UInt8>) -> Bool {
        text.count >= word.utf8.count
            && zip(text, word.utf8).allSatisfy { Self.isLetter($0) ? $0 | 0x20 == $1 : $0 == $1 }
    }

    // MARK: Other lines

    /// Returns `true` if the line has a run of Base64 longer than any word. Fingerprints are as long, but hexadecimal. File paths
    /// do not mix digits and letters of both cases. A run that begins like every certificate and list may be shorter.
    private static func looksLikeDERInBase64(_ line: ArraySlice<UInt8>) -> Bool {
        var run = Base64Run()
        var start = line.startIndex
        for index in line.indices {
            let byte = line[index]
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
            if isSign || Self.isAlphanumeric(byte) {
                run.add(byte)
            } else {
                run = Base64Run()
                start = index + 1
            }
            if run.length >= Self.base64Length, run.isBase64 { return true }
            if run.length == Self.shortBase64Length, run.isMixed, Self.beginsAsDER(line[start...]) { return true }
        }
        return false
    }

    /// Returns `true` for the Base64 of a SEQUENCE of 128 octets or more, as no certificate or list is shorter.
    private static func beginsAsDER(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.starts(with: "MI".utf8), let third = text.dropFirst(2).first else { return false }
        return (UInt8(ascii: "G")...UInt8(ascii: "T")).contains(third)
    }

    /// The kinds of characters in a run of Base64.
    private struct Base64Run {
        private(set) var length = 0
        private var (hasDigit, hasUpperCase, hasLowerCase, isHexadecimal) = (false, false, false, true)

        var isBase64: Bool { self.hasDigit && self.hasUpperCase && self.hasLowerCase && !self.isHexadecimal }

        /// `true` if the run is not a word in one case.
        var isMixed: Bool { self.hasUpperCase && (self.hasLowerCase || self.hasDigit) }

        mutating func add(_ byte: UInt8) {
            self.length += 1
            switch byte {
            case 0x30...0x39: self.hasDigit = true
            case 0x41...0x5A: self.hasUpperCase = true
            case 0x61...0x7A: self.hasLowerCase = true
            default: self.isHexadecimal = false
            }
            if PEMLine.isLetter(byte), byte | 0x20 > UInt8(ascii: "f") { self.isHexadecimal = false }
        }
    }

    /// A length above that of words, and below that of a line of Base64.
    private static let base64Length = 40
    /// The number of columns of the narrowest Base64.
    private static let shortBase64Length = 20

    /// Returns `true` for control characters. Tabs and the separators of old texts (vertical tab, form feed) do not count.
    private static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09 && byte != 0x0B && byte != 0x0C) || byte == 0x7F
    }

    private static let dash = UInt8(ascii: "-")

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { Self.isLetter(byte) || (0x30...0x39).contains(byte) }
}
