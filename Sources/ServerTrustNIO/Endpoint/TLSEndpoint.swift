//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The name, port and, if it differs, the address of a TLS server.
///
/// A value of this type has been checked: ``host`` is a DNS name or an IP address and nothing else, so it can be put
/// into a server name indication, compared with a certificate and shown to a person.
public struct TLSEndpoint: Hashable, Sendable {
    /// The port of HTTPS, used where none is given.
    public static let defaultPort = 443

    /// The DNS name or IP address, without brackets, that the server's certificate has to be valid for.
    ///
    /// A DNS name is also sent as server name indication. It is kept as written; names are compared without case.
    public let host: String

    /// The TCP port, 1 through 65535.
    public let port: Int

    /// The IP address or DNS name to connect to in place of ``host``, or `nil` to connect to ``host``.
    ///
    /// This is how one backend behind a load balancer, or a server not yet in DNS, is examined under its public name.
    public let connectAddress: String?

    /// Creates an endpoint from its parts.
    ///
    /// - Parameters:
    ///   - host: The DNS name or IP address, without brackets.
    ///   - port: The TCP port, 1 through 65535.
    ///   - connectAddress: The IP address or DNS name to connect to in place of `host`.
    /// - Throws: ``TLSEndpointError`` if a name or the port cannot be one.
    public init(host: String, port: Int = Self.defaultPort, connectAddress: String? = nil) throws {
        guard (1...65535).contains(port) else {
            throw TLSEndpointError(.invalidPort, input: "\(host):\(port)")
        }
        self.host = try HostSyntax.validated(host, input: host)
        self.port = port
        self.connectAddress = try connectAddress.map { try HostSyntax.validated($0, input: $0) }
    }

    /// Whether ``host`` is an IP address rather than a DNS name.
    public var isIPAddress: Bool {
        HostSyntax.isIPAddress(self.host)
    }

    /// The name for the server name indication extension, or `nil` if there must be none.
    ///
    /// RFC 6066, section 3 allows DNS names only, without a trailing dot.
    package var serverNameIndication: String? {
        guard !self.isIPAddress else {
            return nil
        }
        return self.host.hasSuffix(".") ? String(self.host.dropLast()) : self.host
    }
}

extension TLSEndpoint: CustomStringConvertible {
    /// The endpoint as ``init(parsing:connectAddress:)`` reads it, such as `example.com:443` or `[::1]:8443`.
    public var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
