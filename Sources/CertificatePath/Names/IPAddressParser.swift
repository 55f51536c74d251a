//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parser of IP addresses that accepts only the strict forms.
///
/// `inet_aton` also reads `127.1`, `0x7f.0.0.1` and `017700000001`. If two parsers disagree about a host, a check of
/// one host becomes a connection to another. The parser therefore rejects these forms.
struct IPAddressParser {
    private let text: [UInt8]

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// The value of exactly four decimal octets without leading zeros, or `nil` for other text.
    var ipv4: UInt32? { Self.dottedQuad(self.text[...]) }

    /// The value of the text of RFC 4291 §2.2, with or without brackets, or `nil` for other text.
    var ipv6: UInt128? {
        guard self.text.count <= Self.maximumLength, self.text.contains(UInt8(ascii: ":")) else { return nil }
        var inner = self.text[...]
        if inner.first == UInt8(ascii: "[") {
            guard inner.last == UInt8(ascii: "]") else { return nil }
            inner = inner.dropFirst().dropLast()
        }
        guard let gap = Self.gap(in: inner) else { return Self.value(of: Self.groups(of: inner), and: []) }
        let head = Self.groups(of: inner[..<gap])
        // An embedded IPv4 address may only end the text, so it is never before the gap (RFC 4291 §2.2.3).
        guard !inner[..<gap].contains(UInt8(ascii: ".")) else { return nil }
        return Self.value(of: head, and: Self.groups(of: inner[(gap + 2)...]), hasGap: true)
    }

    /// The length of eight groups with an embedded IPv4 address and brackets.
    private static let maximumLength = 47

    private static func gap(in text: ArraySlice<UInt8>) -> Int? {
        text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
    }

    /// Returns the value of the groups around a gap. `::` stands for one or more groups (RFC 4291 §2.2.2).
    private static func value(of head: [UInt16]?, and tail: [UInt16]?, hasGap: Bool = false) -> UInt128? {
        guard let head, let tail else { return nil }
        let missing = 8 - head.count - tail.count
        guard hasGap ? missing >= 1 : missing == 0 else { return nil }
        let groups = head + Array(repeating: 0, count: missing) + tail
        return groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    /// Returns the groups between colons: none for empty text, `nil` if one part is not a group.
    private static func groups(of text: ArraySlice<UInt8>) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 9, omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let value = Self.dottedQuad(part) else { return nil }
                groups += [UInt16(value >> 16), UInt16(truncatingIfNeeded: value)]
            } else {
                guard let group = Self.group(part) else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func group(_ text: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(text.count) else { return nil }
        var value: UInt16 = 0
        for octet in text {
            guard let digit = octet.hexadecimalValue else { return nil }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    private static func dottedQuad(_ text: ArraySlice<UInt8>) -> UInt32? {
        guard (7...15).contains(text.count), text.first?.isASCIIDigit == true else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard let octet = Self.decimalOctet(part) else { return nil }
            value = value << 8 | octet
        }
        return value
    }

    private static func decimalOctet(_ text: ArraySlice<UInt8>) -> UInt32? {
        guard (1...3).contains(text.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
        // Some parsers read a number with a leading zero as octal.
        guard text.count == 1 || text.first != UInt8(ascii: "0") else { return nil }
        let value = text.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
        return value <= 255 ? value : nil
    }
}
