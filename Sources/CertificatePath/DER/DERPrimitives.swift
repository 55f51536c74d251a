//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DERReader {
    /// Reads `BOOLEAN DEFAULT FALSE`. An absent value is false.
    @inline(__always)
    mutating func booleanDefaultFalse(in bytes: Span<UInt8>) throws(DERError) -> Bool {
        guard let element = try self.optional(.boolean, in: bytes) else { return false }
        guard element.content.count == 1 else { throw DERError(.invalidBoolean, at: element.whole.lowerBound) }
        switch bytes[element.content.lowerBound] {
        case 0xFF: return true
        // Apple's parser and every deployed one read an encoded FALSE. X.690 §11.5 forbids only writing it.
        case 0x00: return false
        default: throw DERError(.invalidBoolean, at: element.whole.lowerBound)
        }
    }

    @inline(__always)
    mutating func objectIdentifier(in bytes: Span<UInt8>) throws(DERError) -> ByteRange {
        try self.identifier(in: bytes).range
    }

    @inline(__always)
    mutating func packedIdentifier(in bytes: Span<UInt8>) throws(DERError) -> PackedOID {
        try self.identifier(in: bytes).packed
    }

    /// Reads an OBJECT IDENTIFIER, checks it and packs it.
    @inline(__always)
    mutating func identifier(in bytes: Span<UInt8>) throws(DERError) -> (range: ByteRange, packed: PackedOID) {
        let element = try self.next(.objectIdentifier, in: bytes)
        let packed = PackedOID(element.content, in: bytes)
        guard packed.isSurelyValid || Self.isIdentifier(element.content, in: bytes) else {
            throw DERError(.invalidObjectIdentifier, at: element.whole.lowerBound)
        }
        return (element.content, packed)
    }

    /// Returns `true` if no component begins with padding and the last one is complete (X.690 §8.19.2).
    private static func isIdentifier(_ content: ByteRange, in bytes: Span<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for index in content.lowerBound..<content.upperBound {
            let octet = bytes[index]
            guard octet != 0x80 || previous >= 0x80 else { return false }
            previous = octet
        }
        return !content.isEmpty && previous < 0x80
    }

    @inline(__always)
    mutating func bitString(in bytes: Span<UInt8>) throws(DERError) -> (bits: ByteRange, unused: UInt8) {
        let element = try self.next(.bitString, in: bytes)
        return try Self.bitStringContent(element.content, in: bytes)
    }

    /// Reads a BIT STRING, and allows set padding bits.
    mutating func bitStringWithPadding(in bytes: Span<UInt8>) throws(DERError) -> (bits: ByteRange, unused: UInt8) {
        let content = try self.next(.bitString, in: bytes).content
        guard !content.isEmpty, bytes[content.lowerBound] < 8 else {
            throw DERError(.invalidBitString, at: content.lowerBound)
        }
        let bits = ByteRange(content.lowerBound &+ 1, content.upperBound)
        let unused = bytes[content.lowerBound]
        guard !bits.isEmpty || unused == 0 else { throw DERError(.invalidBitString, at: content.lowerBound) }
        return (bits, unused)
    }

    /// Reads the content of a BIT STRING: at most seven unused bits, all zero, and none in an empty string (X.690 §11.2).
    @inline(__always)
    static func bitStringContent(
        _ content: ByteRange,
        in bytes: Span<UInt8>
    ) throws(DERError) -> (bits: ByteRange, unused: UInt8) {
        guard !content.isEmpty else { throw DERError(.invalidBitString, at: content.lowerBound) }
        let unused = bytes[content.lowerBound]
        let bits = ByteRange(content.lowerBound &+ 1, content.upperBound)
        guard unused < 8, !(bits.isEmpty && unused != 0) else {
            throw DERError(.invalidBitString, at: content.lowerBound)
        }
        if !bits.isEmpty, bytes[bits.upperBound &- 1] & (1 << unused &- 1) != 0 {
            throw DERError(.invalidBitString, at: content.lowerBound)
        }
        return (bits, unused)
    }

    /// Reads an INTEGER of any size and returns its content octets, which must be the fewest possible (X.690 §8.3.2).
    @inline(__always)
    mutating func integer(_ tag: DERTag = .integer, in bytes: Span<UInt8>) throws(DERError) -> ByteRange {
        let element = try self.next(tag, in: bytes)
        try Self.checkInteger(element.content, in: bytes)
        return element.content
    }

    @inline(__always)
    static func checkInteger(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        guard !content.isEmpty else { throw DERError(.invalidInteger, at: content.lowerBound) }
        guard content.count > 1 else { return }
        let first = bytes[content.lowerBound]
        let second = bytes[content.lowerBound &+ 1]
        let padded = (first == 0x00 && second < 0x80) || (first == 0xFF && second >= 0x80)
        if padded { throw DERError(.invalidInteger, at: content.lowerBound) }
    }

    /// Reads an INTEGER (0..MAX) that fits 32 bits. RFC 5280 uses it for counts of certificates and for versions.
    @inline(__always)
    mutating func unsigned32(_ tag: DERTag = .integer, in bytes: Span<UInt8>) throws(DERError) -> UInt32 {
        let content = try self.integer(tag, in: bytes)
        guard bytes[content.lowerBound] < 0x80, content.count <= 5 else {
            throw DERError(.invalidInteger, at: content.lowerBound)
        }
        var value: UInt64 = 0
        for index in content.lowerBound..<content.upperBound {
            value = value << 8 | UInt64(bytes[index])
        }
        guard let small = UInt32(exactly: value) else { throw DERError(.invalidInteger, at: content.lowerBound) }
        return small
    }
}
