//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// A block of addresses, such as `10.0.0.0/8`, in a key of `NSExceptionDomains`.
struct AddressBlock: Sendable, Hashable {
    let isIPv6: Bool
    /// The octets of the network, with zeros for the bits of the host.
    let octets: [UInt8]
    let prefixLength: Int

    /// Returns `true` if a key means a block. Such a key is never a name.
    static func isMeant(by key: String) -> Bool { key.utf8.contains(UInt8(ascii: "/")) }

    private init?(_ address: IPAddress, _ prefixLength: Int) {
        guard prefixLength <= (address.isIPv6 ? 128 : 32) else { return nil }
        self.isIPv6 = address.isIPv6
        self.prefixLength = prefixLength
        self.octets = Self.masked(address.octets, prefixLength)
    }

    /// Returns `true` if the block contains an address. An IPv4-mapped address counts as IPv6.
    func contains(_ address: IPAddress) -> Bool {
        address.isIPv6 == self.isIPv6 && Self.masked(address.octets, self.prefixLength) == self.octets
    }

    private static func masked(_ octets: [UInt8], _ prefixLength: Int) -> [UInt8] {
        octets.enumerated().map { index, octet in
            let bits = min(max(prefixLength - index * 8, 0), 8)
            return bits == 0 ? 0 : octet & (0xFF << UInt8(8 - bits))
        }
    }
}

// MARK: - The documented form

extension AddressBlock {
    /// Reads a block in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3): a complete address and a decimal length.
    init?(documented key: String) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), parts[0].first != "[",
            let length = Self.decimal(parts[1])
        else { return nil }
        self.init(address, length)
    }

    private static func decimal(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit), text == "0" || text.first != "0"
        else {
            return nil
        }
        return Int(text)
    }
}

// MARK: - The form of Apple's engine

extension AddressBlock {
    /// The maximum length of an address, limited by the engine's buffers for its text and an appended suffix.
    private static let maximumTextIPv4 = 13
    private static let maximumTextIPv6 = 37

    /// Reads a block as Security 61901 does, with all its quirks:
    /// - An IPv4 address may lack octets at its end, and one of 14 characters or more is refused.
    /// - Hexadecimal letters or colons make it IPv6. Then `::` is appended, unless the text has it already, or seven colons.
    /// - The length is a number in C's notation, so that `010` is 8, and `08` is 0, which is every address.
    init?(engine key: String) {
        guard let slash = key.utf8.firstIndex(of: UInt8(ascii: "/")),
            let length = Self.prefixLength(key.utf8[key.utf8.index(after: slash)...])
        else { return nil }
        let text = String(key[..<slash])
        let isIPv6 = text.utf8.contains { $0 == UInt8(ascii: ":") || ($0.isHexadecimalDigit && !$0.isDigit) }
        guard let address = isIPv6 ? Self.ipv6(text) : Self.ipv4(text) else { return nil }
        self.init(address, length)
    }

    private static func ipv4(_ text: String) -> IPAddress? {
        guard text.utf8.count <= Self.maximumTextIPv4 else { return nil }
        let missing = 4 - text.split(separator: ".", omittingEmptySubsequences: false).count
        guard missing >= 0 else { return nil }
        return IPAddress(text + String(repeating: ".0", count: missing))
    }

    private static func ipv6(_ text: String) -> IPAddress? {
        // A mapped address in dotted form belongs to neither family.
        guard text.utf8.count <= Self.maximumTextIPv6, !text.utf8.contains(UInt8(ascii: ".")), text.first != "[" else {
            return nil
        }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        let address = IPAddress(text.contains("::") || colons >= 7 ? text : text + "::")
        return address?.isIPv6 == true ? address : nil
    }

    /// Reads digits like strtol(3) with base 0.
    private static func prefixLength(_ text: Substring.UTF8View) -> Int? {
        guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
        let base = text.first == UInt8(ascii: "0") ? 8 : 10
        var value = 0
        for digit in text.map({ Int($0 - UInt8(ascii: "0")) }) {
            guard digit < base else { break }
            value = min(value * base + digit, 1_000)
        }
        return value
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isHexadecimalDigit: Bool { self.isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
}
