//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// Where a load goes: what App Transport Security looks at of a URL.
public struct ATSDestination: Sendable, Hashable {
    /// Whether the load is over TLS.
    public enum Scheme: String, Sendable, Hashable {
        /// With TLS.
        case https
        /// Without.
        case http
    }

    /// How it is loaded.
    public var scheme: Scheme
    /// The host as it is written: a name, or an address without brackets. Exceptions are looked up by this very text, case
    /// and a dot at the end included.
    public let host: String
    /// The host as an address; `nil` for a name. A zone, as in `fe80::1%eth0`, is left out.
    public let address: IPAddress?
    /// Whether exceptions are looked up as for an address, by its text and by blocks, and not label by label.
    let isAddress: Bool
    /// The port, which no rule looks at.
    public let port: Int
    /// Whether it counts as local; `nil` leaves it to the policy. Apple's network stack decides it by means that are not
    /// public.
    public var isLocal: Bool?

    /// A destination.
    ///
    /// - Parameters:
    ///   - host: A name, or an address with brackets or without.
    ///   - scheme: How it is loaded.
    ///   - port: The port; `nil` for the scheme's.
    ///   - isLocal: Whether it counts as local; `nil` leaves it to the policy.
    public init(host: String, scheme: Scheme = .https, port: Int? = nil, isLocal: Bool? = nil) {
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let text = isBracketed && host.utf8.count > 2 ? String(host.dropFirst().dropLast()) : host
        let address = Self.address(text)
        self.init(text, address, isAddress: address != nil, scheme: scheme, port: port, isLocal: isLocal)
    }

    /// A destination, by the text of its host as it was written: every connection is judged by the exceptions that a load of its URL
    /// has.
    ///
    /// - Parameters:
    ///   - host: The host. A name that is not ASCII is looked up by its A-labels.
    ///   - scheme: How it is loaded.
    ///   - port: The port; `nil` for the scheme's.
    ///   - zone: The zone of an IPv6 address, without the percent sign.
    public init(_ host: Host, scheme: Scheme = .https, port: Int? = nil, zone: String? = nil) {
        let text = host.written.utf8.allSatisfy { $0 < 0x80 } ? host.written : host.text
        self.init(host: text + (zone.map { "%\($0)" } ?? ""), scheme: scheme, port: port)
    }

    /// A destination over TLS that is a name, even if it looks like an address: exceptions are looked up label by label.
    ///
    /// - Parameters:
    ///   - name: The name, as it is.
    ///   - isLocal: Whether it counts as local; `nil` leaves it to the policy.
    public init(name: String, isLocal: Bool? = nil) {
        self.init(name, Self.address(name), isAddress: false, scheme: .https, port: nil, isLocal: isLocal)
    }

    /// A destination over TLS that is an address, even if it cannot be read as one: exceptions are looked up by its text and
    /// by blocks, and never label by label.
    ///
    /// - Parameters:
    ///   - text: The address, as it is; brackets are part of it.
    ///   - isLocal: Whether it counts as local; `nil` leaves it to the policy.
    public init(addressText text: String, isLocal: Bool? = nil) {
        self.init(text, Self.address(text), isAddress: true, scheme: .https, port: nil, isLocal: isLocal)
    }

    private init(
        _ host: String, _ address: IPAddress?, isAddress: Bool, scheme: Scheme, port: Int?, isLocal: Bool?
    ) {
        self.host = host
        self.address = address
        self.isAddress = isAddress
        self.scheme = scheme
        self.port = port ?? (scheme == .https ? 443 : 80)
        self.isLocal = isLocal
    }

    /// A zone is part of an IPv6 address alone (RFC 6874 §2), and brackets of none.
    private static func address(_ text: String) -> IPAddress? {
        guard text.utf8.first != UInt8(ascii: "[") else { return nil }
        let zone = text.utf8.firstIndex(of: UInt8(ascii: "%")) ?? text.endIndex
        let address = IPAddress(String(text[..<zone]))
        guard zone != text.endIndex else { return address }
        let name = text[zone...].utf8.dropFirst()
        let isZone = !name.isEmpty && name.allSatisfy { $0.isHostCharacter || $0 == UInt8(ascii: ".") }
        return isZone && address?.isIPv6 == true ? address : nil
    }

    /// The destination of a URL.
    ///
    /// What readers of URLs take in different ways is refused: encoded hosts, backslashes, blanks, IPv4 addresses in other
    /// forms than four numbers.
    ///
    /// - Parameter url: A URL with http or https and a host; without a scheme, https is meant.
    /// - Throws: ``ATSDestinationError`` for other text.
    public init(url: String) throws(ATSDestinationError) {
        guard url.utf8.count <= 8_192, !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw ATSDestinationError(url, "it is not a URL: it is too long, or has blanks or control characters")
        }
        let written = AuthorityURL.splitScheme(url)?.scheme
        guard let scheme = Scheme(rawValue: written ?? "https") else {
            throw ATSDestinationError(url, "App Transport Security is about http and https only")
        }
        // http:example.com and http:/example.com
        guard written != nil || Scheme(rawValue: url.prefix { $0 != ":" }.lowercased()) == nil else {
            throw ATSDestinationError(url, "it is not a URL: two slashes follow the colon of its scheme")
        }
        let parts: AuthorityURL
        do {
            parts = try AuthorityURL(written == nil ? "https://" + url : url, zones: .typed)
        } catch {
            throw ATSDestinationError(url, error.description)
        }
        let authority = parts.authority
        self.init(authority.host, scheme: scheme, port: authority.port, zone: authority.zone.map { "\($0)" })
    }
}

/// Text that is not a destination, and what to write instead.
public struct ATSDestinationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public let text: String
    /// What is wrong with it.
    public let reason: String

    init(_ text: String, _ reason: String) {
        self.text = text
        self.reason = reason
    }

    /// What is wrong and what to do, for a person.
    public var description: String { "\"\(self.text)\": \(self.reason). Write https://HOST or http://HOST" }
}
