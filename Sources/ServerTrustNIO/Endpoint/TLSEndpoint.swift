//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import ServerTrust

/// The name, port and, if it differs, the address of a TLS server.
public struct TLSEndpoint: Hashable, Sendable {
    /// The port of HTTPS, used where no port is given.
    public static let defaultPort = 443

    /// The DNS name or IP address that the server's certificate has to be valid for. A DNS name is also sent as server name
    /// indication.
    public let host: Host

    /// The TCP port, 1 through 65535.
    public let port: Int

    /// The IP address or DNS name to connect to in place of ``host``, or `nil` to connect to ``host``.
    ///
    /// This is how one backend behind a load balancer, or a server not yet in DNS, is examined under its public name.
    public let connectAddress: Host?

    /// The zone of the link-local IPv6 address that is connected to, such as `eth0` (RFC 4007 §11): the name of an interface,
    /// or its number. `nil` without one. Certificates and server name indication know nothing of it.
    public let zone: String?

    /// Creates an endpoint from its parts.
    ///
    /// - Parameters:
    ///   - host: The DNS name or IP address.
    ///   - port: The TCP port, 1 through 65535.
    ///   - connectAddress: The IP address or DNS name to connect to in place of `host`.
    /// - Throws: ``TLSEndpointError`` if the port cannot be one.
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

    /// Creates an endpoint from parts that are text.
    ///
    /// - Parameters:
    ///   - host: The DNS name or IP address.
    ///   - port: The TCP port, 1 through 65535.
    ///   - connectAddress: The IP address or DNS name to connect to in place of `host`.
    /// - Throws: ``TLSEndpointError`` if a name or the port cannot be one.
    public init(
        host: String, port: Int = Self.defaultPort, connectAddress: String? = nil
    ) throws(TLSEndpointError) {
        let address = try connectAddress.map { text throws(TLSEndpointError) in try Self.address(text) }
        try self.init(Self.host(host), port, connectAddress: address?.host, zone: address?.zone)
    }

    /// What the connection is made to: the address to connect to, or the host.
    package var connectTarget: Host { self.connectAddress ?? self.host }

    /// The same as the system's resolver reads it, with its zone.
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
    /// Creates an endpoint from what a person would write.
    ///
    /// Accepted are `example.com`, `example.com:8443`, `192.0.2.1`, `[2001:db8::1]:8443`, `2001:db8::1`, `[fe80::1%eth0]` and
    /// `https://example.com:8443/path`. The port is `defaultPort` unless written. Everything after the authority of a URL is
    /// ignored. Names of other scripts may be written in Unicode.
    ///
    /// - Parameters:
    ///   - text: The text to read.
    ///   - connectAddress: The IP address or DNS name to connect to in place of the host in `text`.
    ///   - defaultPort: The port where no port is written.
    /// - Throws: ``TLSEndpointError``, whose description says what to write instead.
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

    /// An address or name to connect to, which has no port.
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

    /// Only link-local addresses are the same on several links, so that a zone says something.
    private static func check(_ authority: Authority, of input: String) throws(TLSEndpointError) {
        guard authority.zone != nil, authority.host.address?.isIPv6LinkLocal != true else { return }
        throw TLSEndpointError(.containsZoneIdentifier, input: input)
    }

    /// The authority of a URL with https, or a text that is one; without a scheme, a path is an error.
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

    /// A host given alone.
    static func host(_ text: String) throws(TLSEndpointError) -> Host {
        do {
            return try Host(text)
        } catch {
            throw TLSEndpointError(TLSEndpointError.Code(.host(error)), input: text)
        }
    }
}

extension IPAddress {
    /// Whether it is an IPv6 address of a link (fe80::/10, RFC 4291 §2.5.6).
    fileprivate var isIPv6LinkLocal: Bool {
        self.isIPv6 && self.octets.first == 0xFE && self.octets.dropFirst().first.map { $0 & 0xC0 == 0x80 } == true
    }
}
