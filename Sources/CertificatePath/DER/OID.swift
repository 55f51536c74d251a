//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An ASN.1 OBJECT IDENTIFIER, compared and hashed by its content octets.
///
/// It names extensions, policies, algorithms and key purposes. The type is not called `ObjectIdentifier`, so that
/// Swift's own keeps its meaning in files that import this module.
///
/// ```swift
/// let serverAuth = OID("1.3.6.1.5.5.7.3.1")
/// ```
public struct OID: Sendable, Hashable {
    /// The content octets as DER encodes them, without tag and length.
    public let contents: [UInt8]

    /// Creates an identifier from the content octets of its DER encoding.
    public init(contents: [UInt8]) {
        self.contents = contents
    }

    /// Creates an identifier from dotted decimal text such as `1.3.6.1.5.5.7.3.1`. `nil` if the text is not an identifier.
    public init?(_ text: String) {
        let components = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
        guard components.count >= 2, let first = components[0], let second = components[1] else { return nil }
        guard first <= 2, first == 2 || second < 40, second < 1 << 32 else { return nil }
        var contents = Self.base128(first * 40 + second)
        for component in components.dropFirst(2) {
            guard let component else { return nil }
            contents += Self.base128(component)
        }
        self.contents = contents
    }

    init(_ range: ByteRange, in bytes: [UInt8]) {
        self.contents = bytes[range]
    }

    private static func base128(_ value: UInt64) -> [UInt8] {
        var octets = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest != 0 {
            octets.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return octets.reversed()
    }
}

extension OID: CustomStringConvertible {
    /// The identifier in dotted decimal. A component beyond 64 bits is written as `?`.
    public var description: String {
        var components: [String] = []
        var value: UInt64 = 0
        var overflow = false
        for octet in self.contents {
            overflow = overflow || value >> 57 != 0
            value = value << 7 | UInt64(octet & 0x7F)
            guard octet < 0x80 else { continue }
            if components.isEmpty, !overflow {
                let first = min(value / 40, 2)
                components = ["\(first)", "\(value - first * 40)"]
            } else {
                components.append(overflow ? "?" : "\(value)")
            }
            (value, overflow) = (0, false)
        }
        return components.joined(separator: ".")
    }
}

/// An identifier of at most fifteen octets packed into one integer, so that a `switch` distinguishes forty known ones.
struct PackedOID: Hashable {
    let value: UInt128

    static let maximumCount = 15

    /// Packs octets. All identifiers that are too long become one value that equals no known one.
    @inline(__always)
    init(_ range: ByteRange, in bytes: Span<UInt8>) {
        let count = range.count
        guard range.upperBound <= bytes.count, count <= Self.maximumCount else {
            self.init(high: .max, low: .max)
            return
        }
        // The count keeps a leading zero octet significant.
        let mark = UInt64(truncatingIfNeeded: count) &<< 56
        if count >= 8 {
            let high = bytes.word(at: range.lowerBound) >> UInt64(truncatingIfNeeded: 128 &- 8 &* count)
            self.init(high: mark | high, low: bytes.word(at: range.upperBound &- 8))
        } else if bytes.count &- range.lowerBound >= 8 {
            let low = bytes.word(at: range.lowerBound) >> UInt64(truncatingIfNeeded: 64 &- 8 &* count)
            self.init(high: mark, low: low)
        } else {
            var low: UInt64 = 0
            for index in range.lowerBound..<range.upperBound { low = low &<< 8 | UInt64(bytes[index]) }
            self.init(high: mark, low: low)
        }
    }

    /// `true` if no octet is 0x80, the octet that begins padding, and the last octet ends a component (X.690 §8.19.2).
    /// The check is sufficient but not necessary: other identifiers may be valid too.
    @inline(__always)
    var isSurelyValid: Bool {
        // The 0x80 octets are zero in the difference, and only a zero octet borrows from the bit above it.
        let ones = UInt128(_low: 0x0101_0101_0101_0101, _high: 0x0101_0101_0101_0101)
        let difference = self.value ^ ones &<< 7
        let hasPadding = (difference &- ones) & ~difference & ones &<< 7 != 0
        return !hasPadding && self.value & 0x80 == 0 && self.value != 0
    }

    init(_ octets: [UInt8]) {
        self.init(ByteRange(0, octets.count), in: octets.span)
    }

    /// Creates a constant for a known identifier. `low` holds the last eight octets, `high` the ones before them and,
    /// in its highest octet, the count.
    @inline(__always)
    init(high: UInt64, low: UInt64) {
        self.value = UInt128(_low: low, _high: high)
    }

    /// The identifier with its last octet cleared. Members of one arc then differ only in that octet.
    @inline(__always)
    var arc: PackedOID {
        PackedOID(
            high: UInt64(truncatingIfNeeded: self.value >> 64), low: UInt64(truncatingIfNeeded: self.value) & ~0xFF)
    }

    @inline(__always)
    var lastOctet: UInt8 { UInt8(truncatingIfNeeded: self.value) }

    static func == (left: PackedOID, right: PackedOID) -> Bool { left.value == right.value }
    static func ~= (pattern: PackedOID, value: PackedOID) -> Bool { pattern.value == value.value }
}

extension Span<UInt8> {
    /// Returns eight octets from an offset in one load, the first one highest, or zero if there are fewer.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        let octets = self.extracting(droppingFirst: offset)
        guard octets.count >= 8 else { return 0 }
        var word: UInt64 = 0
        for index in 0..<8 { word = word &<< 8 | UInt64(octets[index]) }
        return word
    }
}
