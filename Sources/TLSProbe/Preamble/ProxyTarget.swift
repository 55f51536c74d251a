//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A name or an address as it can be told to a proxy: nothing in it can end a line or a field.
enum PreambleHost: Hashable, Sendable {
    case name(String)
    case ipv4([UInt8])
    case ipv6(String, [UInt8])

    /// A host; `nil` for what can be none. Names are in ASCII, as DNS has them (RFC 5890 §2.3.2.1), or with underscores.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard (1...253).contains(text.utf8.count) else { return nil }
        if text.contains(":") {
            guard let bytes = Self.ipv6(text) else { return nil }
            self = .ipv6(text, bytes)
        } else if let bytes = Self.ipv4(text[...]) {
            self = .ipv4(bytes)
        } else {
            let isName = text.utf8.allSatisfy { byte in
                Self.letters.contains(byte | 0x20) || Self.digits.contains(byte) || Self.marks.contains(byte)
            }
            // What ends in a number is an address or wrong (WHATWG URL §3.5), and never a name to look up.
            let last = text.split(separator: ".").last
            guard isName, let last, !last.utf8.allSatisfy(Self.digits.contains) else { return nil }
            self = .name(text)
        }
    }

    /// As it is written alone.
    var text: String {
        switch self {
        case .name(let text), .ipv6(let text, _): text
        case .ipv4(let bytes): bytes.map { "\($0)" }.joined(separator: ".")
        }
    }

    /// As it is written before a port (RFC 3986 §3.2.2).
    var bracketed: String {
        if case .ipv6(let text, _) = self { return "[\(text)]" }
        return self.text
    }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    private static let marks: Set<UInt8> = [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")]
}

// MARK: - Addresses

extension PreambleHost {
    private static func ipv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt8? in
            // A zero in front means base 8 to some.
            guard part == "0" || part.first != "0", let number = UInt16(decimal: part) else { return nil }
            return UInt8(exactly: number)
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    /// RFC 4291 §2.2, without zones, which mean nothing to a proxy.
    private static func ipv6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        guard let first = halves.first, let head = Self.groups(first) else { return nil }
        guard halves.count > 1 else { return head.count == 16 ? head : nil }
        guard halves.count == 2, let tail = Self.groups(halves[1]), head.count + tail.count <= 14 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// Groups of up to four digits, the last two of which may be written as an IPv4 address.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let address = Self.ipv4(part) else { return nil }
                bytes += address
            } else {
                guard (1...4).contains(part.utf8.count), part.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }
}
