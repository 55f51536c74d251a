//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The search for the host of a URI, the only part that a name constraint restricts (RFC 5280 §4.2.1.10).
enum UniformResourceHost {
    /// Returns the DNS name in the authority (RFC 3986 §3.2), without user information and port. `nil` if there is no
    /// authority or its host is not a DNS name.
    static func find(in uri: ByteRange, _ bytes: Span<UInt8>) -> ByteRange? {
        guard let authority = self.authority(of: uri, bytes) else { return nil }
        var start = authority.lowerBound
        if let at = Mailbox.lastAt(in: authority, bytes) { start = at + 1 }
        var end = authority.upperBound
        if let colon = (start..<end).last(where: { bytes[$0] == UInt8(ascii: ":") }) {
            // Only the digits of a port may follow, possibly none. Otherwise the authority is an IPv6 address or invalid.
            guard (colon + 1..<end).allSatisfy({ bytes[$0].isASCIIDigit }) else { return nil }
            end = colon
        }
        let host = ByteRange(start, end)
        return DomainName.isExact(host, in: bytes) ? host : nil
    }

    /// Returns the part between `scheme://` and the path, query or fragment.
    private static func authority(of uri: ByteRange, _ bytes: Span<UInt8>) -> ByteRange? {
        let end = uri.upperBound
        guard let colon = (uri.lowerBound..<end).first(where: { !self.isScheme(bytes[$0]) }),
            colon > uri.lowerBound, bytes[uri.lowerBound].isASCIILetter, bytes[colon] == UInt8(ascii: ":"),
            end - colon > 3, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        let start = colon + 3
        let stop = (start..<end).first { self.endsAuthority(bytes[$0]) } ?? end
        // Browsers end the authority at a backslash and RFC 3986 does not, so the two see different hosts.
        guard !(start..<stop).contains(where: { bytes[$0] == UInt8(ascii: "\\") }) else { return nil }
        return ByteRange(start, stop)
    }

    /// Returns `true` for an octet of a scheme (RFC 3986 §3.1).
    private static func isScheme(_ octet: UInt8) -> Bool {
        octet.isASCIILetter || octet.isASCIIDigit || octet == UInt8(ascii: "+") || octet == UInt8(ascii: "-")
            || octet == UInt8(ascii: ".")
    }

    private static func endsAuthority(_ octet: UInt8) -> Bool {
        octet == UInt8(ascii: "/") || octet == UInt8(ascii: "?") || octet == UInt8(ascii: "#")
    }
}
