//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The characters of an attribute value, prepared for comparison by RFC 5280 §7.1.
///
/// Each string type is decoded. Letters become lower case, leading and trailing white space is removed, and inner
/// white space becomes one space. The type is an iterator instead of a string, so comparing names allocates nothing.
/// Case folding uses the simple mapping of each scalar. Composed and decomposed accents stay different, which can only
/// make names unequal.
struct FoldedCharacters: ~Copyable {
    private let encoding: Encoding
    private let end: Int
    private var position: Int
    private var pendingScalar: UInt32?

    private enum Encoding { case utf8, latin1, utf16, utf32 }

    /// Prepares a value. `nil` if the tag is not a string type. The caller then compares octet by octet.
    init?(tag: DERTag, content: ByteRange, in bytes: Span<UInt8>) {
        switch tag {
        case .utf8String, .printableString, .ia5String, .numericString, .visibleString: self.encoding = .utf8
        case .teletexString: self.encoding = .latin1
        case .bmpString: self.encoding = .utf16
        case .universalString: self.encoding = .utf32
        default: return nil
        }
        self.position = content.lowerBound
        self.end = min(content.upperBound, bytes.count)
        self.pendingScalar = nil
        self.skipWhitespace(in: bytes)
    }

    /// Returns the next character, or `nil` at the end.
    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) -> UInt32? {
        if let pending = self.pendingScalar {
            self.pendingScalar = nil
            return pending
        }
        guard let scalar = self.scalar(in: bytes) else { return nil }
        guard Self.isWhitespace(scalar) else { return LowercaseMapping.lowercased(scalar) }
        self.skipWhitespace(in: bytes)
        return self.pendingScalar == nil ? nil : 0x20
    }

    private mutating func skipWhitespace(in bytes: Span<UInt8>) {
        while let scalar = self.scalar(in: bytes) {
            guard Self.isWhitespace(scalar) else {
                self.pendingScalar = LowercaseMapping.lowercased(scalar)
                return
            }
        }
    }

    private static func isWhitespace(_ scalar: UInt32) -> Bool {
        scalar == 0x20 || (0x09...0x0D).contains(scalar) || scalar == 0xA0 || scalar == 0x3000
    }

    /// Reads one scalar. Octets that are not valid in their encoding become values above all scalars, so that they
    /// equal only themselves.
    @inline(__always)
    private mutating func scalar(in bytes: Span<UInt8>) -> UInt32? {
        guard self.position < self.end else { return nil }
        let octet = bytes[self.position]
        if self.encoding == .latin1 || (self.encoding == .utf8 && octet < 0x80) {
            self.position &+= 1
            return UInt32(octet)
        }
        switch self.encoding {
        case .utf8, .latin1: return self.multibyteUTF8(first: octet, in: bytes)
        case .utf16: return self.fixedWidth(2, in: bytes)
        case .utf32: return self.fixedWidth(4, in: bytes)
        }
    }

    private mutating func fixedWidth(_ width: Int, in bytes: Span<UInt8>) -> UInt32 {
        guard self.end &- self.position >= width else { return self.invalidOctet(in: bytes) }
        var value: UInt32 = 0
        for index in 0..<width { value = value << 8 | UInt32(bytes[self.position &+ index]) }
        // The values beyond Unicode's last code point stand for invalid octets.
        guard value <= 0x10_FFFF else { return self.invalidOctet(in: bytes) }
        self.position &+= width
        return value
    }

    private mutating func multibyteUTF8(first: UInt8, in bytes: Span<UInt8>) -> UInt32 {
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5, self.end &- self.position >= count else {
            return self.invalidOctet(in: bytes)
        }
        var value = UInt32(first) & (0x7F >> UInt32(count))
        for index in 1..<count {
            let octet = bytes[self.position &+ index]
            guard octet & 0xC0 == 0x80 else { return self.invalidOctet(in: bytes) }
            value = value << 6 | UInt32(octet & 0x3F)
        }
        let smallest: UInt32 = count == 4 ? 0x1_0000 : count == 3 ? 0x800 : 0x80
        guard value >= smallest, Unicode.Scalar(value) != nil else { return self.invalidOctet(in: bytes) }
        self.position &+= count
        return value
    }

    private mutating func invalidOctet(in bytes: Span<UInt8>) -> UInt32 {
        defer { self.position &+= 1 }
        return 0x8000_0000 | UInt32(bytes[self.position])
    }

    /// The scalars of UTF-8 text with the octets of each, not folded. Each invalid octet is an element of its own.
    struct Scalars: ~Copyable {
        private var characters: FoldedCharacters

        init(_ count: Int) {
            self.characters = FoldedCharacters(unfolded: count)
        }

        mutating func next(in bytes: Span<UInt8>) -> (scalar: UInt32, range: Range<Int>)? {
            let start = self.characters.position
            guard let scalar = self.characters.scalar(in: bytes) else { return nil }
            return (scalar, start..<self.characters.position)
        }
    }

    private init(unfolded count: Int) {
        self.encoding = .utf8
        self.position = 0
        self.end = count
        self.pendingScalar = nil
    }
}
