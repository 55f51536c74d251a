//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import ServerTrust

/// The name, the port and, if it differs, the address of a TLS server.
///
/// A certificate is checked against ``host``. The connection is made to ``connectAddress`` if there is one.
public struct TLSEndpoint: Hashable, Sendable {
    /// The port of HTTPS, which is the default.
    public static let defaultPort = 443

    /// The DNS name or IP address that the server's certificate must be valid for. A DNS name is also sent as server name
    /// indication.
    public let host: Host

    /// The TCP port, 1 through 65535.
    public let port: Int

    /// The IP address or DNS name to connect to instead of ``host``, or `nil` to connect to ``host``.
    ///
    /// Use it to examine one backend behind a load balancer, or a server not yet in DNS, under its public name.
    public let connectAddress: Host?

    /// The zone of the link-local IPv6 address to connect to, as the name or number of an interface such as `eth0` (RFC 4007 §11),
    /// or `nil` if there is none. It is no part of certificates or server name indication.
    public let zone: String?

    /// Creates an endpoint from its parts.
    ///
    /// - Parameters:
    ///   - host: The DNS name or IP address.
    ///   - port: The TCP port, 1 through 65535.
    ///   - connectAddress: The IP address or DNS name to connect to instead of `host`.
    /// - Throws: ``TLSEndpointError`` if the port is invalid.
    public init(
        host: Host, port: Int = Self.defaultPort, connectAddress: Host? = nil
    ) throws(TLSEndpointError) {
        try self.init(host, port, connectAddress: connectAddress, zone: nil)
    }

    private init(_ host: Host, _ port: Int, connectAddress: Host?, zone: Substring?) throws(TLSEndpointError) {
        guard (1...65535).contains(port) else {
            throw TLSEndpointError(.invalidPort, input: "\(host.textInURL):\(port)")
        }
        self.host = host
        self.port = port
        self.connectAddress = connectAddress
        self.zone = zone.map(String.init)
    }

    /// Creates an endpoint from text.
    ///
    /// - Parameters:
    ///   - host: The DNS name or IP address.
    ///   - port: The TCP port, 1 through 65535.
    ///   - connectAddress: The IP address or DNS name to connect to instead of `host`.
    /// - Throws: ``TLSEndpointError`` if a name or the port is invalid.
    public init(
        host: String, port: Int = Self.defaultPort, connectAddress: String? = nil
    ) throws(TLSEndpointError) {
        let address = try connectAddress.map { text throws(TLSEndpointError) in try Self.address(text) }
        try self.init(Self.host(host), port, connectAddress: address?.host, zone: address?.zone)
    }

    /// The address to connect to if there is one, otherwise the host.
    package var connectTarget: Host { self.connectAddress ?? self.host }

    /// The connect target with its zone, in the form of the system's resolver.
    package var connectName: String { self.connectTarget.text + (self.zone.map { "%\($0)" } ?? "") }
}

extension TLSEndpoint: CustomStringConvertible {
    /// The endpoint as ``init(parsing:connectAddress:defaultPort:)`` reads it, such as `example.com:443` or `[::1]:8443`.
    public var description: String {
        guard let zone, self.connectAddress == nil else { return "\(self.host.textInURL):\(self.port)" }
        return "[\(self.host.text)%\(zone)]:\(self.port)"
    }
}

extension TLSEndpoint {
    /// Parses an endpoint that a person wrote.
    ///
    /// It accepts `example.com`, `example.com:8443`, `192.0.2.1`, `[2001:db8::1]:8443`, `2001:db8::1`, `[fe80::1%eth0]` and
    /// `https://example.com:8443/path`. The rest of a URL after its authority is ignored. Internationalized names may be written in
    /// Unicode.
    ///
    /// - Parameters:
    ///   - text: The text to parse.
    ///   - connectAddress: The IP address or DNS name to connect to instead of the host in `text`.
    ///   - defaultPort: The port if the text names none.
    /// - Throws: ``TLSEndpointError`` with the remedy in its description.
    public init(
        parsing text: String, connectAddress: String? = nil, defaultPort: Int = Self.defaultPort
    ) throws(TLSEndpointError) {
        let authority = try Self.authority(of: text)
        guard authority.userInformation == nil else { throw TLSEndpointError(.containsUserInformation, input: text) }
        let address = try connectAddress.map { text throws(TLSEndpointError) in try Self.address(text) }
        try self.init(
            authority.host, authority.port ?? defaultPort, connectAddress: address?.host,
            zone: (address ?? authority).zone)
    }

    /// Parses an address or name to connect to, which has no port.
    private static func address(_ text: String) throws(TLSEndpointError) -> Authority {
        let authority = try Self.authority(Substring(text), of: text)
        guard authority.port == nil, authority.userInformation == nil else {
            throw TLSEndpointError(.invalidName, input: text)
        }
        return authority
    }

    private static func authority(_ text: Substring, of input: String) throws(TLSEndpointError) -> Authority {
        let authority: Authority
        do { authority = try Authority(text, zones: .typed) } catch {
            throw TLSEndpointError(.init(error), input: input)
        }
        try Self.check(authority, of: input)
        return authority
    }

    /// Refuses a zone with any other address than a link-local one. Only link-local addresses repeat on several links.
    private static func check(_ authority: Authority, of input: String) throws(TLSEndpointError) {
        guard authority.zone != nil, authority.host.address?.isIPv6LinkLocal != true else { return }
        throw TLSEndpointError(.containsZoneIdentifier, input: input)
    }

    /// Parses the authority of an https URL, or a bare authority, which may not have a path.
    private static func authority(of text: String) throws(TLSEndpointError) -> Authority {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw TLSEndpointError(.containsSpace, input: text)
        }
        guard text.contains("://") else {
            guard !text.utf8.contains(where: "/?#".utf8.contains) else {
                throw TLSEndpointError(.pathWithoutScheme, input: text)
            }
            return try Self.authority(text[...], of: text)
        }
        guard AuthorityURL.splitScheme(text)?.scheme == "https" else {
            throw TLSEndpointError(.unsupportedScheme, input: text)
        }
        let authority: Authority
        do {
            authority = try AuthorityURL(text, zones: .typed).authority
        } catch {
            throw TLSEndpointError(.init(error), input: text)
        }
        try Self.check(authority, of: text)
        return authority
    }

    static func host(_ text: String) throws(TLSEndpointError) -> Host {
        do {
            return try Host(text)
        } catch {
            throw TLSEndpointError(TLSEndpointError.Code(.host(error)), input: text)
        }
    }
}

extension IPAddress {
    /// `true` for a link-local IPv6 address (fe80::/10, RFC 4291 §2.5.6).
    fileprivate var isIPv6LinkLocal: Bool {
        self.isIPv6 && self.octets.first == 0xFE && self.octets.dropFirst().first.map { $0 & 0xC0 == 0x80 } == true
    }
}
