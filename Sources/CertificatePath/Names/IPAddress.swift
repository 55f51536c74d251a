//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An IPv4 or IPv6 address.
///
/// An IPv4 and an IPv6 address are never equal, not even an IPv4-mapped IPv6 address and the address it maps. A
/// certificate contains four octets or sixteen (RFC 5280 §4.2.1.6), and the comparison respects the difference.
public struct IPAddress: Sendable, Hashable {
    /// `true` if the address has sixteen octets.
    public let isIPv6: Bool
    /// The octets as one number, the first octet highest.
    let value: UInt128

    /// Creates an address from its octets in network order. `nil` unless there are 4 or 16.
    public init?(octets: [UInt8]) {
        self.init(ByteRange(0, octets.count), in: octets.span)
    }

    /// Reads an address from text: four decimal octets, or the text of RFC 4291 §2.2, with or without brackets.
    ///
    /// `nil` for all other text, including an address with a zone identifier (see ``hasZoneIdentifier(_:)``).
    public init?(_ text: String) {
        self.init(octetsOfText: Array(text.utf8))
    }

    init?(octetsOfText text: [UInt8]) {
        let parser = IPAddressParser(text)
        if let value = parser.ipv4 {
            self.init(ipv4: value)
        } else if let value = parser.ipv6 {
            self.init(ipv6: value)
        } else {
            return nil
        }
    }

    @inline(__always)
    init?(_ range: ByteRange, in bytes: Span<UInt8>) {
        guard range.count == 4 || range.count == 16, range.upperBound <= bytes.count else { return nil }
        var value: UInt128 = 0
        for index in range.lowerBound..<range.upperBound { value = value << 8 | UInt128(bytes[index]) }
        self.isIPv6 = range.count == 16
        self.value = value
    }

    /// Returns an address and its mask from 8 or 32 octets in all (RFC 5280 §4.2.1.10), or `nil` for other sizes.
    static func split(_ subtree: ByteRange, in bytes: Span<UInt8>) -> (address: IPAddress, mask: IPAddress)? {
        guard subtree.count == 8 || subtree.count == 32 else { return nil }
        let middle = subtree.lowerBound + subtree.count / 2
        guard let address = IPAddress(ByteRange(subtree.lowerBound, middle), in: bytes),
            let mask = IPAddress(ByteRange(middle, subtree.upperBound), in: bytes)
        else { return nil }
        return (address, mask)
    }

    init(ipv4 value: UInt32) {
        self.isIPv6 = false
        self.value = UInt128(value)
    }

    init(ipv6 value: UInt128) {
        self.isIPv6 = true
        self.value = value
    }

    /// The IPv4 address inside an IPv4-mapped one (RFC 4291 §2.5.5.2), or `nil` for every other address.
    package var mappedIPv4: IPAddress? {
        guard self.isIPv6, self.value >> 32 == 0xFFFF else { return nil }
        return IPAddress(ipv4: UInt32(truncatingIfNeeded: self.value))
    }

    /// The 4 or 16 octets in network order.
    public var octets: [UInt8] {
        let count = self.isIPv6 ? 16 : 4
        return (0..<count).map { UInt8(truncatingIfNeeded: self.value >> UInt128((count - 1 - $0) * 8)) }
    }

    /// Returns `true` if a text is an IPv6 address with a zone identifier (RFC 4007 §11, RFC 6874), such as `fe80::1%eth0`.
    ///
    /// A zone has a meaning on one machine only, so no certificate can name it.
    public static func hasZoneIdentifier(_ text: String) -> Bool {
        Self.hasZoneIdentifier(octetsOfText: Array(text.utf8))
    }

    static func hasZoneIdentifier(octetsOfText octets: [UInt8]) -> Bool {
        guard let percent = octets.firstIndex(of: UInt8(ascii: "%")) else { return false }
        let start = octets.first == UInt8(ascii: "[") ? 1 : 0
        guard start < percent else { return false }
        return IPAddressParser(Array(octets[start..<percent])).ipv6 != nil
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal for IPv4. For IPv6, the canonical text of RFC 5952: lower case, no leading zeros, the longest
    /// run of zeros as `::`.
    public var description: String {
        guard self.isIPv6 else { return Self.dotted(UInt32(truncatingIfNeeded: self.value)) }
        // RFC 5952 §5 uses the dotted form for a prefix known to hold an IPv4 address, here ::ffff:0:0/96.
        if self.value >> 32 == 0xFFFF { return "::ffff:" + Self.dotted(UInt32(truncatingIfNeeded: self.value)) }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: self.value >> UInt128((7 - $0) * 16)) }
        let zeros = Self.longestRunOfZeros(in: groups)
        guard !zeros.isEmpty else { return Self.joined(groups[...]) }
        return Self.joined(groups[..<zeros.lowerBound]) + "::" + Self.joined(groups[zeros.upperBound...])
    }

    private static func dotted(_ value: UInt32) -> String {
        "\(value >> 24).\(value >> 16 & 0xFF).\(value >> 8 & 0xFF).\(value & 0xFF)"
    }

    private static func joined(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Returns the first of the longest runs of two zero groups or more (RFC 5952 §4.2), or an empty range.
    private static func longestRunOfZeros(in groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in 0...groups.count {
            if index < groups.count, groups[index] == 0 { continue }
            if index - start > max(longest.count, 1) { longest = start..<index }
            start = index + 1
        }
        return longest
    }
}
