//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An ASN.1 OBJECT IDENTIFIER, compared and hashed by its content octets. Named so that Swift's own
/// `ObjectIdentifier` keeps its meaning in files that import this module.
public struct OID: Sendable, Hashable {
    /// The content octets as DER encodes them, without tag and length.
    public let contents: [UInt8]

    /// An identifier from the content octets of its DER encoding.
    public init(contents: [UInt8]) {
        self.contents = contents
    }

    /// An identifier from dotted decimal text such as `1.3.6.1.5.5.7.3.1`; `nil` when the text is not one.
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
    /// Dotted decimal; a component beyond 64 bits is written as `?`.
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

/// An identifier of at most fifteen octets packed into one integer, so that telling forty known ones apart is a `switch`.
struct PackedOID: Hashable {
    let value: UInt128

    /// The most octets that are packed without loss.
    static let maximumCount = 15

    /// Packs octets; identifiers that are too long all become one value that equals no known one.
    @inline(__always)
    init(_ range: ByteRange, in bytes: Span<UInt8>) {
        guard range.upperBound <= bytes.count else {
            self.init(shifted: 0, 0, count: .max)
            return
        }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in range.lowerBound..<range.upperBound {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(bytes[index])
        }
        self.init(shifted: high, low, count: range.count)
    }

    /// From the octets as they were shifted in, the last one lowest.
    @inline(__always)
    init(shifted high: UInt64, _ low: UInt64, count: Int) {
        // The count keeps a leading zero octet significant.
        self.value = count <= 15 ? UInt128(_low: low, _high: high | UInt64(count) &<< 56) : .max
    }

    init(_ octets: [UInt8]) {
        self.init(ByteRange(0, octets.count), in: octets.span)
    }

    /// A known identifier as a constant: its last eight octets, those before them, and the count in the highest octet.
    @inline(__always)
    init(high: UInt64, low: UInt64) {
        self.value = UInt128(_low: low, _high: high)
    }

    /// The identifier with its last octet cleared, for telling the members of an arc apart by that octet.
    @inline(__always)
    var arc: PackedOID {
        PackedOID(
            high: UInt64(truncatingIfNeeded: self.value >> 64), low: UInt64(truncatingIfNeeded: self.value) & ~0xFF)
    }

    /// The last octet.
    @inline(__always)
    var lastOctet: UInt8 { UInt8(truncatingIfNeeded: self.value) }

    static func == (left: PackedOID, right: PackedOID) -> Bool { left.value == right.value }
    static func ~= (pattern: PackedOID, value: PackedOID) -> Bool { pattern.value == value.value }
}
