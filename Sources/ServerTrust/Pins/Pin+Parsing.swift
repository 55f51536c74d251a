//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Pin {
    /// Parses a pin in any of the usual formats.
    ///
    /// | text | used by |
    /// |---|---|
    /// | `sha256/` and 44 characters of Base64 | OkHttp, this package |
    /// | `sha256//` and Base64 | curl |
    /// | `pin-sha256="…"` | RFC 7469 |
    /// | Base64 alone | Apple, Android, TrustKit |
    /// | 64 hexadecimal digits, with or without colons, after `sha256/` or alone | OpenSSL |
    /// | `certificate-sha256/` and either | this package, for whole certificates |
    ///
    /// - Parameter text: The pin.
    /// - Throws: ``PinError``, which says how to correct the text.
    public init(_ text: String) throws(PinError) {
        // The longest pin is that of a certificate in hexadecimal with colons.
        guard text.utf8.count <= 256 else { throw PinError(.notADigest, text: text) }
        var rest = text.utf8.trimmed
        if rest.starts(with: "pin-sha256=\"".utf8), rest.last == UInt8(ascii: "\"") {
            rest = "sha256/".utf8 + rest.dropFirst(12).dropLast()
        }
        let (kind, digits) = try Self.split(rest, text)
        if let octets = Self.hexadecimal(digits) {
            guard octets.count == Self.digestLength else {
                throw PinError(.wrongLength(octets: octets.count), text: text)
            }
            self.init(kind, checked: octets)
            return
        }
        self.init(kind, checked: try Self.base64(digits, text))
    }

    /// Parses a list of pins separated by semicolons, the format of curl's `--pinnedpubkey`.
    ///
    /// - Parameter list: `sha256//…;sha256//…`.
    /// - Throws: ``PinError`` for the first text that is not a pin.
    public static func pins(inList list: String) throws(PinError) -> [Pin] {
        var pins: [Pin] = []
        for part in list.split(separator: ";", omittingEmptySubsequences: false) { pins.append(try Pin(String(part))) }
        return pins
    }

    /// Splits the text into the kind of pin and the digest.
    private static func split(_ text: [UInt8], _ whole: String) throws(PinError) -> (Kind, [UInt8]) {
        guard !text.isEmpty else { throw PinError(.empty, text: whole) }
        for kind in Kind.allCases {
            let prefix = Array((kind.rawValue + "/").utf8)
            guard text.lowercasedASCII.starts(with: prefix) else { continue }
            let rest = text.dropFirst(prefix.count)
            return (kind, Array(Self.hasCurlSlash(rest) ? rest.dropFirst() : rest))
        }
        // Base64 has slashes, too. Only the name of an algorithm is a prefix.
        let word = String(decoding: text.lowercasedASCII.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        if word == "sha1" || word == "md5" { throw PinError(.weakDigest(word), text: whole) }
        if ["sha224", "sha384", "sha512", "sha-256"].contains(word) {
            throw PinError(.unknownDigest(word), text: whole)
        }
        return (.publicKey, text)
    }

    /// Returns `true` if the leading slash is the second one of curl's prefix. One digest in 64 begins with a slash itself.
    private static func hasCurlSlash(_ text: ArraySlice<UInt8>) -> Bool {
        let isWhole = text.count == Self.base64Length && text.last == UInt8(ascii: "=")
        return text.first == UInt8(ascii: "/") && !isWhole
    }

    private static let base64Length = 44

    /// Decodes hexadecimal digits, with colons between all octets or without colons. Returns `nil` for other text.
    private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
        var digits = text
        if text.contains(UInt8(ascii: ":")) {
            let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard parts.allSatisfy({ $0.count == 2 }) else { return nil }
            digits = parts.flatMap { $0 }
        } else if digits.count != 2 * Self.digestLength {
            // 40 or 128 digits are also Base64, and have a wrong length in both forms.
            return nil
        }
        return [UInt8](hexadecimal: digits)
    }

    private static func base64(_ text: [UInt8], _ whole: String) throws(PinError) -> [UInt8] {
        guard !text.isEmpty else { throw PinError(.empty, text: whole) }
        if Self.isPlaceholder(text), Self.decode(text)?.count != Self.digestLength {
            throw PinError(.placeholder, text: whole)
        }
        guard let octets = Self.decode(text) else {
            let standard = text.map { Self.urlSafe[$0] ?? $0 }
            if standard != text, Self.decode(standard) != nil { throw PinError(.urlSafeBase64, text: whole) }
            let isCutOff = Self.decode(text + [UInt8(ascii: "=")])?.count == Self.digestLength
            throw PinError(isCutOff ? .missingPadding : .notADigest, text: whole)
        }
        guard octets.count == Self.digestLength else { throw PinError(.wrongLength(octets: octets.count), text: whole) }
        return octets
    }

    /// Returns `true` for text that people put in place of a pin: `BACKUP_HASH_HERE`, `<your pin>`.
    private static func isPlaceholder(_ text: [UInt8]) -> Bool {
        let upper = String(decoding: text, as: UTF8.self).uppercased()
        return [
            "HERE", "PLACEHOLDER", "YOUR", "TODO", "BACKUP", "REPLACE", "CHANGE_ME", "CHANGEME", "PIN_", "_PIN", "HASH",
        ]
        .contains { upper.contains($0) }
    }

    /// The characters of the URL-safe alphabet (RFC 4648 §5) with their standard equivalents.
    private static let urlSafe = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]

    private static func decode(_ text: [UInt8]) -> [UInt8]? {
        var decoder = Base64Decoder(capacity: Self.digestLength)
        guard !text.contains(0x20), !text.contains(0x09), decoder.append(text[...]), decoder.finish() else {
            return nil
        }
        return decoder.output
    }
}

extension String.UTF8View {
    fileprivate var trimmed: [UInt8] {
        var octets = Array(self)[...]
        while let last = octets.last, last <= 0x20 { octets.removeLast() }
        return Array(octets.drop { $0 <= 0x20 })
    }
}

extension [UInt8] {
    fileprivate var lowercasedASCII: [UInt8] { self.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }
}
