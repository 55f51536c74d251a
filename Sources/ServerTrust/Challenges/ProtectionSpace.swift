//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A server, or a part of it, that requires authentication: the equivalent of `URLProtectionSpace`, as a value.
///
/// Two spaces are equal if all their properties are. Hosts are compared like ``Host``, regardless of case, and the trust of a
/// server by the certificates that it sent.
public struct ProtectionSpace: Sendable {
    /// The protocol of the server: a URL scheme, in lower case.
    public struct ServerProtocol: RawRepresentable, Sendable, Hashable {
        /// The scheme.
        public let rawValue: String

        /// Creates a protocol.
        ///
        /// - Parameter rawValue: The URL scheme. Schemes are compared without regard to case (RFC 3986 §3.1).
        public init(rawValue: String) { self.rawValue = rawValue.lowercased() }

        /// HTTP: `NSURLProtectionSpaceHTTP`.
        public static let http = ServerProtocol(rawValue: "http")
        /// HTTP over TLS: `NSURLProtectionSpaceHTTPS`.
        public static let https = ServerProtocol(rawValue: "https")
        /// FTP: `NSURLProtectionSpaceFTP`.
        public static let ftp = ServerProtocol(rawValue: "ftp")
        /// FTP over TLS.
        public static let ftps = ServerProtocol(rawValue: "ftps")
    }

    /// The kinds of proxies, with the values of Apple's `NSURLProtectionSpace…Proxy` constants.
    public enum ProxyType: String, Sendable, Hashable, CaseIterable {
        /// A proxy for HTTP.
        case http = "NSURLProtectionSpaceHTTPProxy"
        /// A proxy for HTTPS.
        case https = "NSURLProtectionSpaceHTTPSProxy"
        /// A proxy for FTP.
        case ftp = "NSURLProtectionSpaceFTPProxy"
        /// A SOCKS proxy.
        case socks = "NSURLProtectionSpaceSOCKSProxy"
    }

    /// The server or proxy that requires authentication.
    public var host: Host
    /// The port, or `nil` if it is unknown.
    public var port: Int?
    /// The protocol of the server, or `nil` if it is unknown or the host is a proxy.
    public var `protocol`: ServerProtocol?
    /// The part of the server for which the credential is valid (RFC 9110 §11.5), or `nil` if the method has no realms.
    public var realm: String?
    /// The method of authentication.
    public var authenticationMethod: AuthenticationMethod
    /// The kind of the proxy, or `nil` for a server.
    public var proxyType: ProxyType?
    /// The authorities whose client certificates the server accepts, as DER of their names (RFC 8446 §4.2.4), or `nil` if it sent
    /// no list.
    public var distinguishedNames: [[UInt8]]?
    /// The certificates of the server as a trust to evaluate, for ``AuthenticationMethod/serverTrust``.
    public var serverTrust: Trust?

    /// Creates the protection space of a server. Set ``proxyType``, ``distinguishedNames`` and ``serverTrust`` if they apply.
    ///
    /// - Parameters:
    ///   - host: The server or proxy that requires authentication.
    ///   - port: The port, or `nil` if it is unknown.
    ///   - protocol: The protocol of the server.
    ///   - realm: The realm.
    ///   - method: The method of authentication.
    public init(
        host: Host, port: Int?, protocol: ServerProtocol? = nil, realm: String? = nil,
        method: AuthenticationMethod = .default
    ) {
        self.host = host
        self.port = port
        self.protocol = `protocol`
        self.realm = realm
        self.authenticationMethod = method
    }

    /// `true` if a proxy requires authentication and not a server.
    public var isProxy: Bool { self.proxyType != nil }

    /// `true` if the credential is sent inside TLS, or is part of its handshake.
    ///
    /// This is stricter than Apple's property, which considers a digest secure without TLS: an attacker can guess a password from a
    /// digest.
    public var receivesCredentialSecurely: Bool {
        guard !self.authenticationMethod.isOfTLS else { return true }
        return !self.isProxy && (self.protocol == .https || self.protocol == .ftps)
    }
}

extension ProtectionSpace: Hashable {
    /// Returns `true` if all properties of both spaces are equal.
    public static func == (left: ProtectionSpace, right: ProtectionSpace) -> Bool {
        left.key == right.key && left.distinguishedNames == right.distinguishedNames
            && left.serverTrust?.certificates == right.serverTrust?.certificates
    }

    /// Hashes the properties by which credentials are stored.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.key) }
}

extension ProtectionSpace {
    /// The key for stored credentials: the properties that stay the same from one connection to the next.
    struct Key: Sendable, Hashable {
        let host: Host
        let port: Int?
        let `protocol`: ServerProtocol?
        /// The realm in UTF-8. Two realms are different even if Unicode considers their names equal.
        let realm: [UInt8]?
        let method: AuthenticationMethod
        let proxyType: ProxyType?
    }

    var key: Key {
        Key(
            host: self.host, port: self.port, protocol: self.protocol, realm: self.realm.map { Array($0.utf8) },
            method: self.authenticationMethod, proxyType: self.proxyType)
    }
}
