//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPAuthentication
public import ServerTrust
import TLSProbe

/// A proxy between the program and its servers.
public struct HTTPProxy: Sendable, Hashable {
    /// What the proxy speaks.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP, without TLS to the proxy.
        case http
        /// HTTP, with TLS to the proxy, which is judged as servers are.
        case https
        /// SOCKS version 5 (RFC 1928). Names are looked up by the proxy.
        case socks5
        /// The same. Elsewhere the `h` has the proxy look names up, which here it always does.
        case socks5h

        /// The port where no port is written.
        public var defaultPort: Int {
            switch self {
            case .http, .socks5, .socks5h: 1_080
            case .https: 443
            }
        }
    }

    /// What the proxy speaks.
    public let scheme: Scheme
    /// Where it is.
    public let host: Host
    /// Its port.
    public let port: Int
    /// Who asks, where it wants to know; `nil` for nothing known.
    public var credential: HTTPRequestCredential?

    /// A proxy.
    ///
    /// - Parameters:
    ///   - scheme: What it speaks.
    ///   - host: Where it is.
    ///   - port: Its port.
    ///   - credential: Who asks.
    public init(_ scheme: Scheme, host: Host, port: Int, credential: HTTPRequestCredential? = nil) {
        (self.scheme, self.host, self.port, self.credential) = (scheme, host, port, credential)
    }

    var isSOCKS: Bool { self.scheme == .socks5 || self.scheme == .socks5h }

    /// The proxy as a place that certificates are for, and requests to it.
    var origin: HTTPURL.Origin {
        HTTPURL.Origin(scheme: self.scheme == .https ? .https : .http, host: self.host, port: self.port)
    }
}

extension HTTPProxy {
    /// The proxy as the conversations with proxies know it, for SOCKS.
    var proxyURL: ProxyURL {
        var url = ProxyURL(.socks5h, host: self.host.text, port: self.port)
        if let (user, password) = self.credential?.credential.userAndPassword {
            url.credentials = ProxyURL.Credentials(user: user, password: password)
        }
        return url
    }
}

extension HTTPProxy: CustomStringConvertible {
    /// The URL of the proxy without who asks.
    public var description: String { "\(self.scheme.rawValue)://\(self.host.textInURL):\(self.port)" }
}
