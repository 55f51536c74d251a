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

    /// Returns the tag `[number]` of an explicit or IMPLICIT constructed type.
    static func constructed(_ number: UInt8) -> DERTag { DERTag(octet: 0xA0 | number) }
    /// Returns the tag `[number]` of an IMPLICIT primitive type.
    static func primitive(_ number: UInt8) -> DERTag { DERTag(octet: 0x80 | number) }

    /// The number of a context-specific tag, or `nil` for another class.
    var contextNumber: UInt8? { self.octet & 0xC0 == 0x80 ? self.octet & 0x1F : nil }
}

/// One tag-length-value inside a buffer.
struct DERElement: Sendable {
    let tag: DERTag
    /// The range of the element with its tag and length.
    let whole: ByteRange
    let content: ByteRange
}

/// A position inside one constructed value that moves forwards over its elements.
///
/// The buffer is passed to every call instead of being held. A reader is two integers, so reading allocates nothing
/// and keeps no buffer alive. Every offset is compared with the end before it is used, which makes the wrapping
/// arithmetic below safe. Offsets are unsigned, and the buffer is cut to the end first. The comparison with the end is
/// therefore also the bounds check of the buffer, and the compiler makes it once.
struct DERReader {
    private var offset: UInt
    private let limit: UInt

    var position: Int { Int(bitPattern: self.offset) }
    var end: Int { Int(bitPattern: self.limit) }

    /// Creates a reader over a range. A range that does not belong to the buffer reads as empty.
    @inline(__always)
    init(_ range: ByteRange, in bytes: Span<UInt8>) {
        let fits = range.upperBound <= bytes.count
        self.offset = fits ? UInt(range.start) : 0
        self.limit = fits ? UInt(range.end) : 0
    }

    @inline(__always)
    init(all bytes: Span<UInt8>) {
        self.offset = 0
        self.limit = UInt(bitPattern: bytes.count)
    }

    /// Creates a reader over an element inside another reader.
    @inline(__always)
    private init(offset: UInt, limit: UInt) {
        self.offset = offset
        self.limit = limit
    }

    var isAtEnd: Bool { self.offset >= self.limit }

    /// Throws unless every byte was read.
    @inline(__always)
    func finish() throws(DERError) {
        if self.offset != self.limit { throw DERError(.trailingBytes, at: self.position) }
    }

    /// Returns the tag of the next element, or `nil` at the end.
    @inline(__always)
    func peekTag(in bytes: Span<UInt8>) -> DERTag? {
        let bytes = bytes.extracting(0..<self.end)
        return self.offset < self.limit ? DERTag(octet: bytes[self.position]) : nil
    }

    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) throws(DERError) -> DERElement {
        let bytes = bytes.extracting(0..<self.end)
        let start = self.position
        guard self.offset < self.limit else { throw DERError(.truncated, at: start) }
        let octet = bytes[start]
        guard octet & 0x1F != 0x1F else { throw DERError(.highTagNumber, at: start) }
        let contentStart = try self.skip(in: bytes)
        return DERElement(
            tag: DERTag(octet: octet),
            whole: ByteRange(start, self.position),
            content: ByteRange(contentStart, self.position)
        )
    }

    /// Moves past the next element and returns the offset of its content. The caller has checked the tag.
    ///
    /// - Parameter bytes: The buffer up to the end.
    @inline(__always)
    private mutating func skip(in bytes: Span<UInt8>) throws(DERError) -> Int {
        let start = self.offset
        let lengthOffset = start &+ 1
        guard lengthOffset < self.limit else { throw DERError(.truncated, at: self.position) }
        var contentStart = start &+ 2
        var length = UInt(bytes[Int(bitPattern: lengthOffset)])
        if length >= 0x80 {
            (length, contentStart) = try self.longLength(in: bytes)
        }
        guard length <= self.limit &- contentStart else { throw DERError(.truncated, at: self.position) }
        self.offset = contentStart &+ length
        return Int(bitPattern: contentStart)
    }

    /// Reads a long length in the definite form and the fewest octets (X.690 §10.1). Four octets of length are more
    /// than any input needs.
    private func longLength(in bytes: Span<UInt8>) throws(DERError) -> (length: UInt, contentStart: UInt) {
        let start = self.position
        let octets = UInt(bytes[start &+ 1] & 0x7F)
        let available = self.limit &- self.offset &- 2
        // The large elements of certificates: one octet of 0x80 or more, or two octets of which the first is not zero.
        if octets == 1, available >= 1, bytes[start &+ 2] >= 0x80 {
            return (UInt(bytes[start &+ 2]), self.offset &+ 3)
        }
        if octets == 2, available >= 2, bytes[start &+ 2] != 0 {
            return (UInt(bytes[start &+ 2]) &<< 8 | UInt(bytes[start &+ 3]), self.offset &+ 4)
        }
        guard octets != 0 else { throw DERError(.indefiniteLength, at: start) }
        guard octets <= 4, available >= octets else { throw DERError(.truncated, at: start) }
        var length: UInt = 0
        for index in 0..<Int(octets) {
            length = length << 8 | UInt(bytes[start &+ 2 &+ index])
        }
        guard length >= 0x80, length >> ((octets &- 1) &* 8) != 0 else {
            throw DERError(.nonMinimalLength, at: start)
        }
        return (length, self.offset &+ 2 &+ octets)
    }

    @inline(__always)
    mutating func next(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> DERElement {
        let start = self.position
        let contentStart = try self.skip(tag, in: bytes)
        return DERElement(
            tag: tag, whole: ByteRange(start, self.position), content: ByteRange(contentStart, self.position))
    }

    /// Reads the next element if it has the given tag. Leaves the position unchanged otherwise.
    @inline(__always)
    mutating func optional(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> DERElement? {
        guard self.peekTag(in: bytes) == tag else { return nil }
        return try self.next(tag, in: bytes)
    }

    /// Reads one element of the given tag and returns a reader over its content.
    @inline(__always)
    mutating func nested(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> DERReader {
        let contentStart = try self.skip(tag, in: bytes)
        return DERReader(offset: UInt(bitPattern: contentStart), limit: self.offset)
    }

    /// Moves past the next element, which must have the given tag, and returns the offset of its content.
    @inline(__always)
    private mutating func skip(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> Int {
        let bytes = bytes.extracting(0..<self.end)
        guard self.offset < self.limit else { throw DERError(.truncated, at: self.position) }
        guard bytes[self.position] == tag.octet else { throw DERError(.unexpectedTag, at: self.position) }
        return try self.skip(in: bytes)
    }

    /// Reads a single element of the given tag that must fill a range, and returns a reader over its content.
    @inline(__always)
    static func sole(_ tag: DERTag, of range: ByteRange, in bytes: Span<UInt8>) throws(DERError) -> DERReader {
        var outer = DERReader(range, in: bytes)
        let inner = try outer.nested(tag, in: bytes)
        try outer.finish()
        return inner
    }
}
