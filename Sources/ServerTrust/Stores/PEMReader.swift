//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Walks over the certificates, or the revocation lists, of a PEM text (RFC 7468), leaving everything else alone.
///
/// Reads the bytes once, line by line; what a block holds is decoded, not yet parsed.
struct PEMReader {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 0

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    /// RFC 7468 §5.1's label and the two it mentions as seen in practice that mean the same bytes.
    static let certificateLabels = ["CERTIFICATE-----", "X509 CERTIFICATE-----", "X.509 CERTIFICATE-----"]
        .map { Array($0.utf8) }
    /// RFC 7468 §6.
    static let revocationListLabels = ["X509 CRL-----", "CRL-----"].map { Array($0.utf8) }

    /// RFC 7468 §13.
    static let publicKeyLabels = [Array("PUBLIC KEY-----".utf8)]

    private let labels: [[UInt8]]

    init(_ bytes: [UInt8], labels: [[UInt8]] = Self.certificateLabels) {
        self.bytes = bytes
        self.labels = labels
    }

    /// Whether a file is meant as PEM: DER begins with a SEQUENCE, PEM has a BEGIN line.
    static func looksLikePEM(_ bytes: [UInt8]) -> Bool {
        guard bytes.first != 0x30 || bytes.dropFirst().first.map({ $0 < 0x7F && $0 >= 0x20 }) == true else {
            return false
        }
        var reader = PEMReader(bytes)
        while let line = reader.nextLine() {
            if bytes[line].starts(with: Self.begin) { return true }
        }
        return false
    }

    /// The DER bytes of the next block; `nil` when there is none left.
    mutating func nextBlock() throws(CertificateError) -> [UInt8]? {
        while let line = self.nextLine() {
            guard self.bytes[line].starts(with: Self.begin) else { continue }
            let label = self.bytes[line].dropFirst(Self.begin.count)
            guard self.isLabel(label) else { continue }
            return try self.body()
        }
        return nil
    }

    private func isLabel(_ text: ArraySlice<UInt8>) -> Bool {
        self.labels.contains { text.elementsEqual($0) }
    }

    private mutating func body() throws(CertificateError) -> [UInt8] {
        let firstLine = self.line
        var decoder = Base64Decoder(capacity: 2_048)
        while true {
            let (start, number) = (self.position, self.line)
            guard let line = self.nextLine() else { break }
            let content = self.bytes[line]
            if content.starts(with: Self.end) {
                // Two files put together without a newline between them: what follows must not vanish.
                guard self.isLabel(content.dropFirst(Self.end.count)) else {
                    throw CertificateError(.malformedEnd(line: self.line))
                }
                guard decoder.finish() else { throw CertificateError(.invalidBase64(line: self.line)) }
                return decoder.output
            }
            guard !content.starts(with: Self.begin) else {
                // The block that begins here may be whole: it is read again.
                (self.position, self.line) = (start, number)
                throw CertificateError(.unterminatedPEM(line: firstLine))
            }
            guard decoder.append(content) else { throw CertificateError(.invalidBase64(line: self.line)) }
            guard decoder.output.count <= 64 << 20 else { throw CertificateError(.unterminatedPEM(line: firstLine)) }
        }
        throw CertificateError(.unterminatedPEM(line: firstLine))
    }

    /// The range of the next line without its end and trailing white space.
    private mutating func nextLine() -> Range<Int>? {
        guard self.position < self.bytes.count else { return nil }
        let start = self.position
        let newline = self.bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? self.bytes.count
        self.position = newline + 1
        self.line += 1
        if newline + 1 < self.bytes.count, self.bytes[newline] == 0x0D, self.bytes[newline + 1] == 0x0A {
            self.position += 1
        }
        var end = newline
        while end > start, self.bytes[end - 1] == 0x20 || self.bytes[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }
}

/// Standard Base64 (RFC 4648 §4), fed line by line; white space at the ends of lines is all it forgives.
struct Base64Decoder {
    private(set) var output: [UInt8] = []
    private var buffer: UInt32 = 0
    private var bufferedBits = 0
    private var padding = 0

    init(capacity: Int) {
        self.output.reserveCapacity(capacity)
    }

    /// Decodes some characters; `false` when one of them does not belong.
    mutating func append(_ characters: ArraySlice<UInt8>) -> Bool {
        let whole = self.bufferedBits == 0 && self.padding == 0 ? self.appendQuartets(of: characters) : 0
        return self.appendSingly(characters.dropFirst(whole))
    }

    /// Decodes four characters at a time as far as they are all of the alphabet; returns how many were.
    private mutating func appendQuartets(of characters: ArraySlice<UInt8>) -> Int {
        let values = Self.values
        var index = characters.startIndex
        while characters.endIndex - index >= 4 {
            let first = values[Int(characters[index])]
            let second = values[Int(characters[index + 1])]
            let third = values[Int(characters[index + 2])]
            let fourth = values[Int(characters[index + 3])]
            guard first | second | third | fourth < 64 else { break }
            self.output.append(first << 2 | second >> 4)
            self.output.append(second << 4 | third >> 2)
            self.output.append(third << 6 | fourth)
            index += 4
        }
        return index - characters.startIndex
    }

    private mutating func appendSingly(_ characters: ArraySlice<UInt8>) -> Bool {
        for character in characters {
            let value = Self.values[Int(character)]
            if value < 64 {
                guard self.padding == 0 else { return false }
                self.buffer = self.buffer << 6 | UInt32(value)
                self.bufferedBits += 6
                guard self.bufferedBits >= 8 else { continue }
                self.bufferedBits -= 8
                self.output.append(UInt8(truncatingIfNeeded: self.buffer >> UInt32(self.bufferedBits)))
            } else if character == UInt8(ascii: "=") {
                self.padding += 1
            } else if character != 0x20, character != 0x09 {
                return false
            }
        }
        return true
    }

    /// Whether what was fed is complete: the right padding, and no bits left over that are not zero.
    mutating func finish() -> Bool {
        let leftover = self.buffer & (1 << UInt32(self.bufferedBits) - 1)
        let expectedPadding = self.bufferedBits == 0 ? 0 : self.bufferedBits / 2
        return self.bufferedBits < 6 && leftover == 0 && self.padding == expectedPadding
    }

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
