//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO
import TLSWire

/// A proxy of connections, with its parsed host and its credential.
struct ProxyHop: Hashable, Sendable {
    let proxy: Proxy
    /// The host, for which the certificate of a TLS proxy must be valid.
    let host: Host
    /// The credential for the proxy, or `nil` if there is none.
    let credential: HTTPRequestCredential?

    var port: Int { self.proxy.port }
    var isSOCKS: Bool { self.proxy.scheme.isSOCKS }

    /// The origin that the certificate and credential of the proxy belong to.
    var origin: HTTPURL.Origin {
        HTTPURL.Origin(scheme: self.proxy.scheme == .https ? .https : .http, host: self.host, port: self.proxy.port)
    }

    /// The proxy with the user name and password that it receives, for SOCKS.
    var withCredential: Proxy {
        let shown = self.credential?.credential.userAndPassword
        return Proxy(
            self.proxy.scheme, host: self.host, port: self.proxy.port,
            credentials: shown.map { Proxy.Credentials(user: $0.user, password: $0.password) })
    }
}

extension ProxyHop: CustomStringConvertible {
    /// The URL of the proxy without user name and password.
    var description: String { "\(self.proxy)" }
}

extension ProxyPolicy {
    /// Returns the proxy for an origin, or `nil` if there is none.
    ///
    /// - Throws: `ProxyError` if the proxy is not usable. The request must then fail instead of bypassing the proxy.
    func hop(for origin: HTTPURL.Origin) throws(ProxyError) -> ProxyHop? {
        guard !self.exceptions.covers(origin) else { return nil }
        if let error = self.malformed[origin.scheme] { throw error }
        guard let proxy = origin.scheme == .http ? self.http : self.https else { return nil }
        guard let host = try? Host(proxy.host) else { throw .host }
        return ProxyHop(proxy: proxy, host: host, credential: try self.credential(for: proxy))
    }

    private func credential(for proxy: Proxy) throws(ProxyError) -> HTTPRequestCredential? {
        guard self.credential == nil, let own = proxy.credentials else { return self.credential }
        guard let shown = try? HTTPCredential(user: own.user, password: own.password) else { throw .credentials }
        return HTTPRequestCredential(shown, schemes: self.schemes, sendsBasicUnasked: self.sendsBasicUnasked)
    }
}
