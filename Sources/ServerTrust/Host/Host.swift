//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A host that a client connects to: a DNS name or an IP address.
///
/// All code of the package reads hosts with this type, so that no two parts take one text for different hosts. It is stricter than
/// resolvers: it rejects `127.1`, `0x7f.0.0.1`, `10.1`, non-ASCII names that Unicode mapping would change, blanks, percent signs
/// and wildcards.
///
/// Two hosts are equal if they are the same name, regardless of case and a final dot, or the same address, regardless of its
/// spelling.
public struct Host: Sendable {
    /// The DNS name in ASCII, in lower case and without a final dot, or the address in its shortest form (RFC 5952), without
    /// brackets.
    public let text: String
    /// The host as the caller wrote it, without brackets.
    public let written: String
    /// The IP address, or `nil` if the host is a DNS name.
    public let address: IPAddress?

    /// Parses a host.
    ///
    /// - Parameter text: A DNS name in any case, with or without a final dot, and with labels of other scripts in Unicode or as
    ///   A-labels. Or an IPv4 address as four decimal numbers. Or an IPv6 address with or without brackets.
    /// - Throws: `InvalidReferenceIdentity`, which says how to correct the text.
    public init(_ text: String) throws(InvalidReferenceIdentity) {
        let ascii = try InternationalizedName.ascii(text)
        switch try ReferenceIdentity(host: ascii) {
        case .dnsName(let name):
            guard name.utf8.count <= Self.maximumLength else { throw InvalidReferenceIdentity(.tooLong, host: text) }
            self.text = name
            self.address = nil
            self.written = text
        case .ipAddress(let address):
            self.text = address.description
            self.address = address
            self.written = text.utf8.first == UInt8(ascii: "[") ? String(text.dropFirst().dropLast()) : text
        case .rfc822Name: throw InvalidReferenceIdentity(.forbiddenCharacter(UInt8(ascii: "@")), host: text)
        }
    }

    /// The maximum length of a name in text. It has 255 octets on the wire, with a length before each label and an empty label at
    /// its end (RFC 1035 §2.3.4).
    private static let maximumLength = 253

    /// Creates a host from an address.
    public init(_ address: IPAddress) {
        self.text = address.description
        self.written = address.description
        self.address = address
    }

    /// `true` if the host is an IP address and not a DNS name.
    public var isAddress: Bool { self.address != nil }

    /// The name or address to compare with certificates (RFC 9525 §6.1).
    public var identity: ReferenceIdentity { self.address.map(ReferenceIdentity.ipAddress) ?? .dnsName(self.text) }

    /// The name for the server name indication, or `nil` for an address (RFC 6066 §3).
    public var serverNameIndication: String? { self.isAddress ? nil : self.text }

    /// The host as written in URLs and `host:port`, with an IPv6 address in brackets (RFC 3986 §3.2.2).
    public var textInURL: String { self.address?.isIPv6 == true ? "[\(self.text)]" : self.text }

    /// The key for a lookup of rules for hosts. An IPv4-mapped IPv6 address reaches the IPv4 address (RFC 4291 §2.5.5.2), so the
    /// rules for that address apply to it.
    package var ruleKey: String { self.address?.mappedIPv4?.description ?? self.text }

    /// Returns the name without its left-most label, or `nil` if it has one label only.
    package static func parent(of name: Substring) -> Substring? {
        name.utf8.firstIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] }
    }
}

extension Host: Hashable {
    /// Returns `true` if both hosts are the same name or the same address.
    public static func == (left: Host, right: Host) -> Bool {
        left.text == right.text && left.address == right.address
    }

    /// Hashes the name or address.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.text) }
}

extension Host: CustomStringConvertible {
    /// The name or address.
    public var description: String { self.text }
}
