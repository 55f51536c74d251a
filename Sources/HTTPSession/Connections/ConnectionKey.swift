//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO

/// The properties in which connections must agree to be interchangeable.
///
/// A connection was evaluated for one host, by one set of rules, on one route. Requests that differ in any of these never share a
/// connection. Otherwise an exception of one program would apply to all.
struct ConnectionKey: Hashable, Sendable {
    let origin: HTTPURL.Origin
    /// The origin as App Transport Security looks it up. A host that is spelled differently may have other rules.
    let destination: ATSDestination
    /// The route in place of the origin's address, or `nil` to connect to the origin itself.
    let route: ConnectionRoute?
    /// The addresses of the host to connect to. Empty to use DNS.
    let addresses: [Host]
    /// The proxy, or `nil` if there is none.
    let proxy: ProxyHop?
    /// `true` if the proxy only passes octets and does not see requests.
    let isTunnel: Bool
    let trust: TrustScope
    /// The owner for which this connection is reserved, or `nil` if it is shared.
    var owner: ConnectionOwner?

    /// Hashes only host and port, because most different keys differ in them, and every request looks up its key.
    func hash(into hasher: inout Hasher) {
        hasher.combine(self.origin.host)
        hasher.combine(self.origin.port)
    }

    var socketAddresses: [SocketAddress] {
        self.addresses.compactMap { try? SocketAddress(ipAddress: $0.text, port: 0) }
    }

    /// `true` if the server may use HTTP/2, so that one connection carries many requests.
    var mayShare: Bool { self.origin.scheme == .https && self.trust.offersHTTP2 }

    /// `true` if a proxy reads the requests, which must then name the server and contain the proxy's credential.
    var readsRequests: Bool { self.proxy.map { !$0.isSOCKS && !self.isTunnel } ?? false }
}

/// The rules by which servers are evaluated. Comparison is fast, because mostly both sides are the same object.
final class TrustScope: Hashable, Sendable {
    let settings: ServerTrustSettings
    let gate: ServerTrustGate
    private let hash: Int
    private let withoutIdentity: TrustScope?
    private let withoutHTTP2: TrustScope?

    init(_ settings: ServerTrustSettings) {
        self.settings = settings
        self.gate = ServerTrustGate(settings)
        self.hash = settings.hashValue
        var anonymous = settings
        (anonymous.tls.certificateChain, anonymous.tls.privateKey) = ([], nil)
        anonymous.tls.sslContextCallback = nil
        self.withoutIdentity = anonymous == settings ? nil : TrustScope(anonymous)
        var http1 = settings
        http1.tls.applicationProtocols = ["http/1.1"]
        self.withoutHTTP2 = http1 == settings ? nil : TrustScope(http1)
    }

    /// `true` if HTTP/2 is offered (RFC 9113 §3.2).
    var offersHTTP2: Bool { self.withoutHTTP2 != nil }

    /// The same rules without the client certificate, for proxies and for servers that a redirect leads to.
    var anonymous: TrustScope { self.withoutIdentity ?? self }

    /// The same rules with HTTP/1.1 only, for proxies and for servers that require it.
    var http1: TrustScope { self.withoutHTTP2 ?? self }

    static func == (left: TrustScope, right: TrustScope) -> Bool {
        left === right || left.hash == right.hash && left.settings == right.settings
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.hash) }
}
