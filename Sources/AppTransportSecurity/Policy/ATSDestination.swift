//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// The destination of a load: the parts of a URL that App Transport Security evaluates.
///
/// ```swift
/// let destination = try ATSDestination(url: "https://api.example.com")
/// ```
public struct ATSDestination: Sendable, Hashable {
    /// The scheme of a load.
    public enum Scheme: String, Sendable, Hashable {
        /// HTTP over TLS.
        case https
        /// HTTP without TLS.
        case http
    }

    /// The scheme of the load.
    public var scheme: Scheme
    /// The host as written: a name, or an address without brackets. Exceptions are looked up by exactly this text, including its
    /// case and any dot at its end.
    public let host: String
    /// The host as an address, or `nil` for a name. A zone, as in `fe80::1%eth0`, is left out.
    public let address: IPAddress?
    /// `true` if exceptions are looked up by the text of an address and by blocks, and not label by label.
    let isAddress: Bool
    /// The port, which no rule evaluates.
    public let port: Int
    /// `true` if the destination is local, or `nil` to let the policy decide. Apple's network stack decides it by means that are
    /// not public.
    public var isLocal: Bool?

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - host: A name, or an address with or without brackets.
    ///   - scheme: The scheme of the load.
    ///   - port: The port, or `nil` for the default port of the scheme.
    ///   - isLocal: `true` if the destination is local, or `nil` to let the policy decide.
    public init(host: String, scheme: Scheme = .https, port: Int? = nil, isLocal: Bool? = nil) {
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let text = isBracketed && host.utf8.count > 2 ? String(host.dropFirst().dropLast()) : host
        let address = Self.address(text)
        self.init(text, address, isAddress: address != nil, scheme: scheme, port: port, isLocal: isLocal)
    }

    /// Creates a destination from a host, with the text as written. Every connection is then subject to the same exceptions as a
    /// load of its URL.
    ///
    /// - Parameters:
    ///   - host: The host. A name outside ASCII is looked up by its A-labels.
    ///   - scheme: The scheme of the load.
    ///   - port: The port, or `nil` for the default port of the scheme.
    ///   - zone: The zone of an IPv6 address, without the percent sign.
    public init(_ host: Host, scheme: Scheme = .https, port: Int? = nil, zone: String? = nil) {
        let text = host.written.utf8.allSatisfy { $0 < 0x80 } ? host.written : host.text
        self.init(host: text + (zone.map { "%\($0)" } ?? ""), scheme: scheme, port: port)
    }

    /// Creates a destination over TLS that counts as a name, even if it looks like an address. Exceptions are looked up label by
    /// label.
    ///
    /// - Parameters:
    ///   - name: The name, which is not changed.
    ///   - isLocal: `true` if the destination is local, or `nil` to let the policy decide.
    public init(name: String, isLocal: Bool? = nil) {
        self.init(name, Self.address(name), isAddress: false, scheme: .https, port: nil, isLocal: isLocal)
    }

    /// Creates a destination over TLS that counts as an address, even if it cannot be parsed as one. Exceptions are looked up by
    /// its text and by blocks, and never label by label.
    ///
    /// - Parameters:
    ///   - text: The address, which is not changed. Brackets are part of it.
    ///   - isLocal: `true` if the destination is local, or `nil` to let the policy decide.
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

    /// Parses an address. Only an IPv6 address may have a zone (RFC 6874 §2), and none may have brackets.
    private static func address(_ text: String) -> IPAddress? {
        guard text.utf8.first != UInt8(ascii: "[") else { return nil }
        let zone = text.utf8.firstIndex(of: UInt8(ascii: "%")) ?? text.endIndex
        let address = IPAddress(String(text[..<zone]))
        guard zone != text.endIndex else { return address }
        let name = text[zone...].utf8.dropFirst()
        let isZone = !name.isEmpty && name.allSatisfy { $0.isHostCharacter || $0 == UInt8(ascii: ".") }
        return isZone && address?.isIPv6 == true ? address : nil
    }

    /// Creates the destination of a URL.
    ///
    /// It refuses forms that parsers of URLs read differently: encoded hosts, backslashes, blanks, and IPv4 addresses other than
    /// four numbers.
    ///
    /// - Parameter url: A URL with http or https and a host. Without a scheme, https is assumed.
    /// - Throws: ``ATSDestinationError`` for any other text.
    public init(url: String) throws(ATSDestinationError) {
        guard url.utf8.count <= 8_192, !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw ATSDestinationError(url, "it is not a URL: it is too long, or has blanks or control characters")
        }
        let written = AuthorityURL.splitScheme(url)?.scheme
        guard let scheme = Scheme(rawValue: written ?? "https") else {
            throw ATSDestinationError(url, "App Transport Security is about http and https only")
        }
        // For instance http:example.com and http:/example.com.
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

/// A text that is not a destination, with the reason and a remedy.
public struct ATSDestinationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text that was given.
    public let text: String
    /// The fault of the text.
    public let reason: String

    init(_ text: String, _ reason: String) {
        self.text = text
        self.reason = reason
    }

    /// The text, the fault and the remedy, for a person.
    public var description: String { "\"\(self.text)\": \(self.reason). Write https://HOST or http://HOST" }
}
