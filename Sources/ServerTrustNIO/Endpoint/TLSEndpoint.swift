//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
        guard (1...65535).contains(port) else {
            throw TLSEndpointError(.invalidPort, input: "\(host.textInURL):\(port)")
        }
        (self.host, self.port, self.connectAddress) = (host, port, connectAddress)
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
        try self.init(
            host: Self.host(host), port: port,
            connectAddress: connectAddress.map { text throws(TLSEndpointError) in try Self.host(text) })
    }

    /// What the connection is made to: the address to connect to, or the host.
    package var connectTarget: Host { self.connectAddress ?? self.host }
}

extension TLSEndpoint: CustomStringConvertible {
    /// The endpoint as ``init(parsing:connectAddress:defaultPort:)`` reads it, such as `example.com:443` or `[::1]:8443`.
    public var description: String { "\(self.host.textInURL):\(self.port)" }
}

extension TLSEndpoint {
    /// Creates an endpoint from what a person would write.
    ///
    /// Accepted are `example.com`, `example.com:8443`, `192.0.2.1`, `[2001:db8::1]:8443`, `2001:db8::1` and
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
        try self.init(
            host: authority.host, port: authority.port ?? defaultPort,
            connectAddress: connectAddress.map { text throws(TLSEndpointError) in try Self.host(text) })
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
            do { return try Authority(text[...]) } catch { throw TLSEndpointError(.init(error), input: text) }
        }
        guard AuthorityURL.splitScheme(text)?.scheme == "https" else {
            throw TLSEndpointError(.unsupportedScheme, input: text)
        }
        do { return try AuthorityURL(text).authority } catch { throw TLSEndpointError(.init(error), input: text) }
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
