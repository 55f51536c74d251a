//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a proxy is, and who asks it: `http://user:password@host:port`, `socks5://host`, `socks5h://host`.
public struct ProxyURL: Sendable, Hashable {
    /// What the proxy speaks.
    public var scheme: Scheme
    /// Its name or address, without brackets.
    public var host: String
    /// Its port.
    public var port: Int
    /// Who asks, where it wants to know.
    public var credentials: Credentials?

    /// What a proxy speaks.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// CONNECT (RFC 9110 §9.3.6), in the clear.
        case http
        /// SOCKS version 5 (RFC 1928).
        case socks5
        /// The same. Elsewhere the `h` has the proxy look names up, which here it always does.
        case socks5h
    }

    /// A name and a password. They are never part of a description.
    public struct Credentials: Sendable, Hashable {
        /// The name.
        public var user: String
        /// The password.
        public var password: String

        /// A name and a password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// A proxy.
    public init(_ scheme: Scheme, host: String, port: Int, credentials: Credentials? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

extension ProxyURL.Credentials {
    /// RFC 1929 §2 counts both with one byte, the name with one at least; RFC 7617 §2 ends the name with a colon.
    package func isUsable(_ scheme: ProxyURL.Scheme) -> Bool {
        guard (1...255).contains(self.user.utf8.count), self.password.utf8.count <= 255 else { return false }
        guard scheme == .http else { return true }
        let isControl: (UInt8) -> Bool = { $0 < 0x20 || $0 == 0x7F }
        return !self.user.utf8.contains(UInt8(ascii: ":")) && !self.user.utf8.contains(where: isControl)
            && !self.password.utf8.contains(where: isControl)
    }
}

extension ProxyURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without who asks.
    public var description: String {
        "\(self.scheme.rawValue)://\(self.host.contains(":") ? "[\(self.host)]" : self.host):\(self.port)"
    }

    /// The URL without who asks.
    public var debugDescription: String { self.description }

    /// No part of it, as one is a password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ProxyURL.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That there are some.
    public var description: String { "(hidden)" }

    /// That there are some.
    public var debugDescription: String { self.description }

    /// No part of them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
