//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A mail address in a certificate (RFC 5280 §4.2.1.6, RFC 5321 §4.1.2): a local part, an `@`, and a host.
struct Mailbox {
    let host: ByteRange
    /// The local part, without the quotes if it is quoted.
    private let localPart: ByteRange
    private let isQuoted: Bool

    /// Reads a mail address. `nil` if the range does not hold one in ASCII with a DNS name as host.
    init?(_ name: ByteRange, in bytes: Span<UInt8>) {
        guard let at = Self.lastAt(in: name, bytes), at > name.lowerBound else { return nil }
        self.host = ByteRange(at + 1, name.upperBound)
        guard DomainName.isExact(self.host, in: bytes) else { return nil }
        self.isQuoted = bytes[name.lowerBound] == UInt8(ascii: "\"")
        guard self.isQuoted else {
            self.localPart = ByteRange(name.lowerBound, at)
            guard Self.isUnquoted(self.localPart, in: bytes) else { return nil }
            return
        }
        guard at - name.lowerBound > 2, bytes[at - 1] == UInt8(ascii: "\"") else { return nil }
        self.localPart = ByteRange(name.lowerBound + 1, at - 1)
        guard Self.isQuotable(self.localPart, in: bytes) else { return nil }
    }

    /// Returns the address with an unquoted local part and a lower-case host. Equal mailboxes have equal octets. The
    /// case of local parts matters (RFC 5321 §2.4), and `"a"@b.c` is `a@b.c`.
    func canonical(in bytes: Span<UInt8>) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(self.localPart.count + self.host.count + 1)
        var isEscaped = false
        for index in self.localPart.lowerBound..<self.localPart.upperBound {
            let octet = bytes[index]
            if self.isQuoted, !isEscaped, octet == UInt8(ascii: "\\") {
                isEscaped = true
                continue
            }
            isEscaped = false
            octets.append(octet)
        }
        octets.append(UInt8(ascii: "@"))
        for index in self.host.lowerBound..<self.host.upperBound { octets.append(bytes[index].foldedASCII) }
        return octets
    }

    /// Returns the offset of the last `@`. A quoted local part may hold others.
    static func lastAt(in name: ByteRange, _ bytes: Span<UInt8>) -> Int? {
        (name.lowerBound..<name.upperBound).last { bytes[$0] == UInt8(ascii: "@") }
    }

    private static func isUnquoted(_ localPart: ByteRange, in bytes: Span<UInt8>) -> Bool {
        (localPart.lowerBound..<localPart.upperBound).allSatisfy {
            switch bytes[$0] {
            case UInt8(ascii: "@"), UInt8(ascii: "\""), UInt8(ascii: "\\"): false
            case 0x21...0x7E: true
            default: false
            }
        }
    }

    /// Returns `true` if a local part is printable, with a backslash before each quote and backslash.
    private static func isQuotable(_ localPart: ByteRange, in bytes: Span<UInt8>) -> Bool {
        var isEscaped = false
        for index in localPart.lowerBound..<localPart.upperBound {
            let octet = bytes[index]
            guard (0x20...0x7E).contains(octet) else { return false }
            if isEscaped {
                isEscaped = false
            } else if octet == UInt8(ascii: "\\") {
                isEscaped = true
            } else if octet == UInt8(ascii: "\"") {
                return false
            }
        }
        return !isEscaped
    }
}
