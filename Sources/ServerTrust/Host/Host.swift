//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A host that a client means to reach: a DNS name or an IP address.
///
/// Every part of the package reads hosts with this type, so that no two of them take one text for two hosts. It is stricter
/// than resolvers are: `127.1`, `0x7f.0.0.1`, `10.1`, names that are not ASCII and would be mapped, blanks, percent signs and
/// wildcards are no hosts.
///
/// Two hosts are equal when they are the same name, whatever its case and with a dot at its end or without one, or the same
/// address, however it is written.
public struct Host: Sendable {
    /// The DNS name in ASCII, in lower case and without a dot at its end, or the address in its shortest form (RFC 5952),
    /// without brackets.
    public let text: String
    /// The host as it was written, without brackets.
    public let written: String
    /// The address; `nil` for a DNS name.
    public let address: IPAddress?

    /// Reads a host.
    ///
    /// - Parameter text: A DNS name in any case, with labels of other scripts in Unicode or as A-labels, with a dot at its
    ///   end or without one; an IPv4 address as four decimal numbers; an IPv6 address with brackets or without.
    /// - Throws: `InvalidReferenceIdentity`, which says what to write instead.
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

    /// A name of 255 octets on the wire, where a label has a length before it and the name an empty label behind it
    /// (RFC 1035 §2.3.4).
    private static let maximumLength = 253

    /// An address as a host.
    public init(_ address: IPAddress) {
        self.text = address.description
        self.written = address.description
        self.address = address
    }

    /// Whether the host is an IP address and not a DNS name.
    public var isAddress: Bool { self.address != nil }

    /// The name or address that certificates are compared with (RFC 9525 §6.1).
    public var identity: ReferenceIdentity { self.address.map(ReferenceIdentity.ipAddress) ?? .dnsName(self.text) }

    /// The name for the server name indication; `nil` for an address (RFC 6066 §3).
    public var serverNameIndication: String? { self.isAddress ? nil : self.text }

    /// The host as URLs and `host:port` have it: an IPv6 address in brackets (RFC 3986 §3.2.2).
    public var textInURL: String { self.address?.isIPv6 == true ? "[\(self.text)]" : self.text }

    /// The text that rules for hosts are found by. An IPv4-mapped IPv6 address reaches the IPv4 address (RFC 4291 §2.5.5.2),
    /// so that the rules for that address hold for it.
    package var ruleKey: String { self.address?.mappedIPv4?.description ?? self.text }

    /// The name without its left-most label; `nil` when it has one label.
    package static func parent(of name: Substring) -> Substring? {
        name.utf8.firstIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] }
    }
}

extension Host: Hashable {
    /// Whether two hosts are the same name or the same address.
    public static func == (left: Host, right: Host) -> Bool {
        left.text == right.text && left.address == right.address
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.text) }
}

extension Host: CustomStringConvertible {
    /// The name or address.
    public var description: String { self.text }
}
