//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A proxy between a client and its servers.
///
/// The text of a proxy, such as `http://user:password@proxy.example:3128`, is read by a single grammar, which is curl's. A
/// ``ProxyConversation`` negotiates the connection through the proxy.
public struct Proxy: Sendable, Hashable {
    /// The protocol of the proxy.
    public let scheme: Scheme
    /// The name or address of the proxy, without brackets.
    public let host: String
    /// The port of the proxy.
    public let port: Int
    /// The user and the password for the proxy, or `nil` if it needs none.
    public var credentials: Credentials?

    /// A protocol between a client and a proxy.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP without TLS. CONNECT (RFC 9110 §9.3.6) opens a tunnel.
        case http
        /// HTTP over TLS. The proxy's certificate is evaluated like a server's.
        case https
        /// SOCKS version 4, with the extension 4A for names.
        case socks4
        /// The same as ``socks4``: the proxy looks up names.
        case socks4a
        /// SOCKS version 5 (RFC 1928). The proxy looks up names.
        case socks5
        /// The same as ``socks5``. In curl, only the `h` lets the proxy look up names.
        case socks5h

        /// The default port of a proxy, as in curl.
        public var defaultPort: Int { self == .https ? 443 : 1_080 }

        package var isSOCKS: Bool { self != .http && self != .https }

        /// The usual spelling of the protocol's name, such as `SOCKS 5`.
        package var title: String {
            switch self {
            case .http, .https: "HTTP"
            case .socks4, .socks4a: "SOCKS 4"
            case .socks5, .socks5h: "SOCKS 5"
            }
        }
    }

    /// A user and a password. No description shows them.
    public struct Credentials: Sendable, Hashable {
        /// The user.
        public let user: String
        /// The password.
        public let password: String

        /// Creates credentials from a user and a password.
        public init(user: String, password: String) { (self.user, self.password) = (user, password) }
    }

    /// Creates a proxy. The host is not checked here, and connecting to an invalid one fails.
    public init(_ scheme: Scheme, at host: String, port: Int, credentials: Credentials? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

extension Proxy.Credentials {
    /// Returns `true` if a protocol can transmit the credentials.
    ///
    /// SOCKS 5 counts each part in one octet and requires a user (RFC 1929 §2). SOCKS 4 has only a user. HTTP allows no control
    /// characters (RFC 7617 §2), and in SOCKS 4 the first NUL ends the user.
    package func isUsable(in scheme: Proxy.Scheme) -> Bool {
        let hasControl = (self.user + self.password).unicodeScalars.contains {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
        }
        guard !hasControl else { return false }
        return !scheme.isSOCKS || (1...255).contains(self.user.utf8.count) && self.password.utf8.count <= 255
    }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without the user and the password.
    public var description: String {
        "\(self.scheme.rawValue)://\(self.host.utf8.contains(0x3A) ? "[\(self.host)]" : self.host):\(self.port)"
    }

    /// The URL without the user and the password.
    public var debugDescription: String { self.description }

    /// An empty mirror, because the credentials must not be shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Proxy.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder instead of the credentials.
    public var description: String { "(hidden)" }

    /// A placeholder instead of the credentials.
    public var debugDescription: String { self.description }

    /// An empty mirror, because the credentials must not be shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
