//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A proxy between a client and its servers.
///
/// Its text, such as `http://user:password@proxy.example:3128`, is read by one grammar, which is curl's.
public struct Proxy: Sendable, Hashable {
    /// The protocol of the proxy.
    public let scheme: Scheme
    /// The name or address of the proxy, without brackets.
    public let host: String
    /// The port of the proxy.
    public let port: Int
    /// The user and the password for the proxy; `nil` without them.
    public var credentials: Credentials?

    /// A protocol of proxies.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP without TLS. CONNECT (RFC 9110 §9.3.6) opens a tunnel.
        case http
        /// HTTP over TLS. The proxy's certificate is judged as a server's is.
        case https
        /// SOCKS version 4, with the extension 4A for names.
        case socks4
        /// The same as ``socks4``: the proxy looks names up.
        case socks4a
        /// SOCKS version 5 (RFC 1928). The proxy looks names up.
        case socks5
        /// The same as ``socks5``. In curl, the `h` alone has the proxy look names up.
        case socks5h

        /// The port of a proxy without a written one, as curl has it.
        public var defaultPort: Int { self == .https ? 443 : 1_080 }

        /// Whether it is a version of SOCKS.
        package var isSOCKS: Bool { self != .http && self != .https }

        /// The protocol as people write it, such as `SOCKS 5`.
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

        /// A user and a password.
        public init(user: String, password: String) { (self.user, self.password) = (user, password) }
    }

    /// A proxy at a host that is not looked at: a text that is no host cannot be connected to.
    public init(_ scheme: Scheme, at host: String, port: Int, credentials: Credentials? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

extension Proxy.Credentials {
    /// Whether a protocol has a form for them.
    ///
    /// SOCKS 5 counts each in one octet and wants a user (RFC 1929 §2). SOCKS 4 has a user alone. No control character is
    /// allowed in HTTP (RFC 7617 §2), and the first NUL ends the user in SOCKS 4.
    package func isUsable(in scheme: Proxy.Scheme) -> Bool {
        let hasControl = (self.user + self.password).unicodeScalars.contains {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
        }
        guard !hasControl else { return false }
        return !scheme.isSOCKS || (1...255).contains(self.user.utf8.count) && self.password.utf8.count <= 255
    }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user and password.
    public var description: String {
        "\(self.scheme.rawValue)://\(self.host.utf8.contains(0x3A) ? "[\(self.host)]" : self.host):\(self.port)"
    }

    /// The URL without user and password.
    public var debugDescription: String { self.description }

    /// A mirror of nothing, since one part is a password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Proxy.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "(hidden)" }

    /// A placeholder.
    public var debugDescription: String { self.description }

    /// A mirror of nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
