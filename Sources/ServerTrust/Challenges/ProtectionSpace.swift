//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a credential is asked for: `URLProtectionSpace`, as a value.
///
/// Two spaces are equal when all of their properties are. Hosts are compared as ``Host`` compares them, whatever their case,
/// and the trust of a server by the certificates that it sent.
public struct ProtectionSpace: Sendable {
    /// The protocol of the server: a URL scheme, in lower case.
    public struct ServerProtocol: RawRepresentable, Sendable, Hashable {
        /// The scheme.
        public let rawValue: String

        /// A protocol.
        ///
        /// - Parameter rawValue: Its URL scheme. Schemes are compared without regard to case (RFC 3986 §3.1).
        public init(rawValue: String) { self.rawValue = rawValue.lowercased() }

        /// `NSURLProtectionSpaceHTTP`.
        public static let http = ServerProtocol(rawValue: "http")
        /// `NSURLProtectionSpaceHTTPS`.
        public static let https = ServerProtocol(rawValue: "https")
        /// `NSURLProtectionSpaceFTP`.
        public static let ftp = ServerProtocol(rawValue: "ftp")
        /// FTP over TLS.
        public static let ftps = ServerProtocol(rawValue: "ftps")
    }

    /// What kind of proxy asks, with the values of Apple's `NSURLProtectionSpace…Proxy` constants.
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

    /// The server or proxy that asks.
    public var host: Host
    /// Its port; `nil` where it is not known.
    public var port: Int?
    /// The protocol of the server; `nil` where it is not known, and for proxies.
    public var `protocol`: ServerProtocol?
    /// The part of the server that the credential is for (RFC 9110 §11.5); `nil` where the method has no realms.
    public var realm: String?
    /// How the credential is shown.
    public var authenticationMethod: AuthenticationMethod
    /// What kind of proxy asks; `nil` for a server.
    public var proxyType: ProxyType?
    /// The authorities whose client certificates the server accepts, as DER of their names (RFC 8446 §4.2.4); `nil` without a
    /// list.
    public var distinguishedNames: [[UInt8]]?
    /// The certificates of the server, ready to be evaluated, for ``AuthenticationMethod/serverTrust``.
    public var serverTrust: Trust?

    /// A space of a server. Set ``proxyType``, ``distinguishedNames`` and ``serverTrust`` where they apply.
    ///
    /// - Parameters:
    ///   - host: The server or proxy that asks.
    ///   - port: Its port; `nil` where it is not known.
    ///   - protocol: The protocol of the server.
    ///   - realm: The realm.
    ///   - method: How the credential is shown.
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

    /// Whether a proxy asks and not a server.
    public var isProxy: Bool { self.proxyType != nil }

    /// Whether what is sent as the credential travels inside TLS, or is part of its handshake.
    ///
    /// Stricter than Apple's property, for which a digest is secure without TLS: a password can be guessed from one.
    public var receivesCredentialSecurely: Bool {
        guard !self.authenticationMethod.isOfTLS else { return true }
        return !self.isProxy && (self.protocol == .https || self.protocol == .ftps)
    }
}

extension ProtectionSpace: Hashable {
    /// Whether all properties of two spaces are equal.
    public static func == (left: ProtectionSpace, right: ProtectionSpace) -> Bool {
        left.key == right.key && left.distinguishedNames == right.distinguishedNames
            && left.serverTrust?.certificates == right.serverTrust?.certificates
    }

    /// Hashes what credentials are kept by.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.key) }
}

extension ProtectionSpace {
    /// What credentials are kept by: the properties that stay the same from one connection to the next.
    struct Key: Sendable, Hashable {
        let host: Host
        let port: Int?
        let `protocol`: ServerProtocol?
        /// In UTF-8: two realms are two, even if Unicode takes their names for one.
        let realm: [UInt8]?
        let method: AuthenticationMethod
        let proxyType: ProxyType?
    }

    /// What credentials for the space are kept by.
    var key: Key {
        Key(
            host: self.host, port: self.port, protocol: self.protocol, realm: self.realm.map { Array($0.utf8) },
            method: self.authenticationMethod, proxyType: self.proxyType)
    }
}
