//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO

/// What connections must have in common to stand for each other.
///
/// A connection was judged for one host, by one set of rules, on one way. Requests that differ in any of it never share one:
/// otherwise what one program accepts would be accepted for all.
struct ConnectionKey: Hashable, Sendable {
    let origin: HTTPURL.Origin
    /// The origin as App Transport Security looks it up: a host that is written in another way may have other rules.
    let destination: ATSDestination
    /// Where to connect to in place of the origin; `nil` for the origin itself.
    let route: ConnectionRoute?
    /// Where the host that is connected to is; empty for what DNS says.
    let addresses: [Host]
    /// The proxy between; `nil` for none.
    let proxy: ProxyHop?
    /// Whether the proxy passes octets, and does not see requests.
    let isTunnel: Bool
    /// What servers are judged by.
    let trust: TrustScope
    /// Whose requests alone it serves; `nil` for those of all.
    var owner: ConnectionOwner?

    /// Hashes the place alone: most keys that differ have another one, and each request looks for its key.
    func hash(into hasher: inout Hasher) {
        hasher.combine(self.origin.host)
        hasher.combine(self.origin.port)
    }

    /// The addresses without a port.
    var socketAddresses: [SocketAddress] {
        self.addresses.compactMap { try? SocketAddress(ipAddress: $0.text, port: 0) }
    }

    /// Whether the server may speak HTTP/2, so that one connection carries many requests.
    var mayShare: Bool { self.origin.scheme == .https && self.trust.offersHTTP2 }

    /// Whether a proxy reads the requests, which name the server then and have the proxy's credential.
    var readsRequests: Bool { self.proxy.map { !$0.isSOCKS && !self.isTunnel } ?? false }
}

/// The rules that servers are judged by, compared quickly: most often they are the same object.
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

    /// Whether HTTP/2 is offered (RFC 9113 §3.2).
    var offersHTTP2: Bool { self.withoutHTTP2 != nil }

    /// The same rules without the program's certificate: for proxies, and for servers that others lead to.
    var anonymous: TrustScope { self.withoutIdentity ?? self }

    /// The same rules for HTTP/1.1 alone: for proxies, and for servers that want it.
    var http1: TrustScope { self.withoutHTTP2 ?? self }

    static func == (left: TrustScope, right: TrustScope) -> Bool {
        left === right || left.hash == right.hash && left.settings == right.settings
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.hash) }
}
