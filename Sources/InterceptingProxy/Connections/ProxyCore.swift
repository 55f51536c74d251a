//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes
import NIOCore
import ServerReports
import ServerTrust
import ServerTrustNIO
import Synchronization

/// The state that all connections of a proxy share.
final class ProxyCore: Sendable {
    let configuration: InterceptingProxyConfiguration
    let session: HTTPSession
    /// The sessions for hosts that require a client certificate.
    private let sessions: [Host: HTTPSession]
    let leaves: LeafMaker
    let clients: ClientRegistry

    init(_ configuration: InterceptingProxyConfiguration) {
        self.configuration = configuration
        self.leaves = LeafMaker(root: configuration.root, limit: configuration.limits.certificates)
        self.clients = ClientRegistry(limit: configuration.limits.connections)
        var pool = HTTPConnectionPool.Limits()
        pool.perHost = max(configuration.limits.connectionsPerServer, 1)
        // A request whose content was streamed cannot be sent again. Idle connections are therefore closed before most
        // servers close them.
        pool.idleTime = .seconds(10)
        var session = HTTPSessionConfiguration(
            trust: configuration.trust, pool: HTTPConnectionPool(limits: pool))
        session.dangerouslyAllowsPlainHTTP = configuration.dangerouslyAllowsPlainHTTP
        session.routes = configuration.routes
        session.proxies = configuration.proxies
        // The trust configuration already decides which evidence is fetched.
        session.fetchesPastProxies = true
        session.timeouts = configuration.timeouts
        // The messages are the client's: the proxy adds, decodes and stores nothing.
        (session.userAgent, session.decodesContent, session.cookies) = (nil, false, nil)
        session.challenges = configuration.challenges
        let (clients, allowsLocal) = (self.clients, configuration.dangerouslyAllowsLocalAddresses)
        session.allowsAddress = { address in
            guard let host = address.host else { return false }
            guard MachineAddress.isLocal(host) else { return true }
            // The proxy must not connect to itself, because each request would make another one.
            return allowsLocal && clients.isElsewhere(address.port)
        }
        self.session = HTTPSession(session)
        self.sessions = configuration.identities.mapValues { identity in
            var session = session
            session.trust.identity = identity
            return HTTPSession(session)
        }
    }

    func session(for host: Host) -> HTTPSession {
        self.sessions.isEmpty ? self.session : self.sessions[host] ?? self.session
    }

    func check(_ host: Host, port: Int) throws(Refusal) {
        var place: String { "\(host.textInURL):\(port)" }
        let isLocal = host.address.map(MachineAddress.isLocal) ?? false
        guard !isLocal || self.clients.isElsewhere(port) else {
            throw Refusal.ownAddress("\(place) is the proxy itself.")
        }
        guard self.configuration.allowedPorts.contains(port) else {
            throw Refusal(
                403, .portNotAllowed, reason: "The proxy does not connect to port \(port).",
                remedy: "Have the proxy allow port \(port) to let programs reach \(place).")
        }
        guard !isLocal || self.configuration.dangerouslyAllowsLocalAddresses else {
            throw Refusal(
                403, .localAddress, reason: "\(place) is at an address of the machine that the proxy runs on.",
                remedy: "Have the proxy allow local addresses to let programs reach it.",
                proxyStatus: "destination_ip_prohibited")
        }
    }

    func refusal(_ error: HTTPSessionError) -> Refusal {
        // If local addresses are allowed, the only refused address is the proxy's own.
        guard case .connection = error.kind, error.isOfForbiddenAddress,
            self.configuration.dangerouslyAllowsLocalAddresses
        else { return Refusal(error) }
        var refusal = Refusal.ownAddress("\(error.reason) It is the address of the proxy itself.")
        refusal.answer.server = error.url.map { "\($0.origin)" } ?? ""
        return refusal
    }

    func report(_ event: InterceptingProxyEvent) { self.configuration.observer?.proxy(event) }
}
