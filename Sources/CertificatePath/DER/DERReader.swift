//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An ASN.1 identifier octet with a tag number below 31 (X.690 §8.1.2).
struct DERTag: Sendable, Hashable {
    let octet: UInt8

    static let boolean = DERTag(octet: 0x01)
    static let integer = DERTag(octet: 0x02)
    static let bitString = DERTag(octet: 0x03)
    static let octetString = DERTag(octet: 0x04)
    static let null = DERTag(octet: 0x05)
    static let objectIdentifier = DERTag(octet: 0x06)
    static let enumerated = DERTag(octet: 0x0A)
    static let utf8String = DERTag(octet: 0x0C)
    static let numericString = DERTag(octet: 0x12)
    static let printableString = DERTag(octet: 0x13)
    static let teletexString = DERTag(octet: 0x14)
    static let ia5String = DERTag(octet: 0x16)
    static let utcTime = DERTag(octet: 0x17)
    static let generalizedTime = DERTag(octet: 0x18)
    static let visibleString = DERTag(octet: 0x1A)
    static let universalString = DERTag(octet: 0x1C)
    static let bmpString = DERTag(octet: 0x1E)
    static let sequence = DERTag(octet: 0x30)
    static let set = DERTag(octet: 0x31)

    /// `[number]` holding another element, or an IMPLICIT constructed type.
    static func constructed(_ number: UInt8) -> DERTag { DERTag(octet: 0xA0 | number) }
    /// `[number]` IMPLICIT over a primitive type.
    static func primitive(_ number: UInt8) -> DERTag { DERTag(octet: 0x80 | number) }

    /// The number of a context-specific tag; `nil` for another class.
    var contextNumber: UInt8? { self.octet & 0xC0 == 0x80 ? self.octet & 0x1F : nil }
}

/// One tag-length-value inside a buffer.
struct DERElement: Sendable {
    let tag: DERTag
    /// Tag and length included.
    let whole: ByteRange
    let content: ByteRange
}

/// A position inside one constructed value, moving forwards over its elements.
///
/// The buffer is passed to every call instead of being held: a reader is two integers, so that reading allocates
/// nothing and keeps nothing alive. Every offset is compared with `end` before it is used, which is what makes the
/// wrapping arithmetic below safe.
struct DERReader {
    private(set) var position: Int
    let end: Int

    /// A reader over a range; a range that does not belong to the buffer reads as empty.
    @inline(__always)
    init(_ range: ByteRange, in bytes: Span<UInt8>) {
        let fits = range.upperBound <= bytes.count
        self.position = fits ? range.lowerBound : 0
        self.end = fits ? range.upperBound : 0
    }

    /// A reader over the whole of a buffer.
    @inline(__always)
    init(all bytes: Span<UInt8>) {
        self.position = 0
        self.end = bytes.count
    }

    var isAtEnd: Bool { self.position >= self.end }

    /// Fails unless every byte was read.
    @inline(__always)
    func finish() throws(DERError) {
        if self.position != self.end { throw DERError(.trailingBytes, at: self.position) }
    }

    /// The tag of the next element; `nil` at the end.
    @inline(__always)
    func peekTag(in bytes: Span<UInt8>) -> DERTag? {
        self.position < self.end ? DERTag(octet: bytes[self.position]) : nil
    }

    /// Reads one element of any tag.
    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) throws(DERError) -> DERElement {
        let start = self.position
        guard start < self.end else { throw DERError(.truncated, at: start) }
        let octet = bytes[start]
        guard octet & 0x1F != 0x1F else { throw DERError(.highTagNumber, at: start) }
        let contentStart = try self.skip(in: bytes)
        return DERElement(
            tag: DERTag(octet: octet),
            whole: ByteRange(start, self.position),
            content: ByteRange(contentStart, self.position)
        )
    }

    /// Moves behind the next element, whose tag has been looked at; gives where its content begins.
    @inline(__always)
    private mutating func skip(in bytes: Span<UInt8>) throws(DERError) -> Int {
        let start = self.position
        guard self.end &- start >= 2 else { throw DERError(.truncated, at: start) }
        var contentStart = start &+ 2
        var length = Int(bytes[start &+ 1])
        if length >= 0x80 {
            (length, contentStart) = try self.longLength(in: bytes, at: start)
        }
        guard length <= self.end &- contentStart else { throw DERError(.truncated, at: start) }
        self.position = contentStart &+ length
        return contentStart
    }

    /// X.690 §10.1: the definite form, in the fewest octets. Four octets of length are more than any input has.
    private func longLength(in bytes: Span<UInt8>, at start: Int) throws(DERError) -> (length: Int, contentStart: Int) {
        let octets = Int(bytes[start &+ 1] & 0x7F)
        // Certificates and what is large in them: two octets, the first of which is not zero.
        if octets == 2, self.end &- start >= 4, bytes[start &+ 2] != 0 {
            return (Int(bytes[start &+ 2]) &<< 8 | Int(bytes[start &+ 3]), start &+ 4)
        }
        guard octets != 0 else { throw DERError(.indefiniteLength, at: start) }
        guard octets <= 4, self.end &- start &- 2 >= octets else { throw DERError(.truncated, at: start) }
        var length = 0
        for index in 0..<octets {
            length = length << 8 | Int(bytes[start &+ 2 &+ index])
        }
        guard length >= 0x80, length >> ((octets &- 1) &* 8) != 0 else {
            throw DERError(.nonMinimalLength, at: start)
        }
        return (length, start &+ 2 &+ octets)
    }

    /// Reads one element that must have the given tag.
    @inline(__always)
    mutating func next(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> DERElement {
        let start = self.position
        guard start < self.end else { throw DERError(.truncated, at: start) }
        guard bytes[start] == tag.octet else { throw DERError(.unexpectedTag, at: start) }
        let contentStart = try self.skip(in: bytes)
        return DERElement(
            tag: tag, whole: ByteRange(start, self.position), content: ByteRange(contentStart, self.position))
    }

    /// Reads the next element if it has the given tag; leaves the position alone otherwise.
    @inline(__always)
    mutating func optional(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> DERElement? {
        guard self.position < self.end, bytes[self.position] == tag.octet else { return nil }
        return try self.next(in: bytes)
    }

    /// Reads one element of the given tag and gives a reader over its content.
    @inline(__always)
    mutating func nested(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> DERReader {
        let start = self.position
        guard start < self.end else { throw DERError(.truncated, at: start) }
        guard bytes[start] == tag.octet else { throw DERError(.unexpectedTag, at: start) }
        let contentStart = try self.skip(in: bytes)
        return DERReader(position: contentStart, end: self.position)
    }

    /// A reader over what another one has found inside itself.
    @inline(__always)
    private init(position: Int, end: Int) {
        self.position = position
        self.end = end
    }

    /// Reads a single element of the given tag that must fill a range, and gives a reader over its content.
    @inline(__always)
    static func sole(_ tag: DERTag, of range: ByteRange, in bytes: Span<UInt8>) throws(DERError) -> DERReader {
        var outer = DERReader(range, in: bytes)
        let inner = try outer.nested(tag, in: bytes)
        try outer.finish()
        return inner
    }
}
