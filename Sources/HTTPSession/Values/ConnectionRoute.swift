//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
import ServerTrustNIO

/// Where to connect to in place of what DNS says. Certificates and requests keep the name of the URL.
public struct ConnectionRoute: Sendable, Hashable {
    /// The name or address to connect to; `nil` for the URL's.
    public var host: Host?
    /// The port to connect to; `nil` for the URL's.
    public var port: Int?
    /// The zone of a link-local address (RFC 4007 §11); `nil` without one.
    package var zone: String?

    /// A place to connect to.
    ///
    /// - Parameters:
    ///   - host: The name or address; `nil` for the URL's.
    ///   - port: The port; `nil` for the URL's.
    public init(host: Host? = nil, port: Int? = nil) { (self.host, self.port) = (host, port) }
}

/// Places to connect to, and for which hosts and ports.
public struct ConnectionRoutes: Sendable, Hashable {
    private struct Rule<Place: Sendable & Hashable>: Sendable, Hashable {
        let host: Host?
        let port: Int?
        let place: Place

        func covers(_ host: Host, _ port: Int) -> Bool {
            (self.host == nil || self.host == host) && (self.port == nil || self.port == port)
        }
    }

    private var replacements: [Rule<ConnectionRoute>] = []
    private var addresses: [Rule<[Host]>] = []

    /// No place but what DNS says.
    public init() {}

    /// Has connections made to another host and port, behind those that were added before: the first that fits holds. A proxy is
    /// asked for that place, too, by a tunnel.
    ///
    /// - Parameters:
    ///   - route: Where to connect to.
    ///   - host: The host of URLs that it is for; `nil` for every host.
    ///   - port: The port of URLs that it is for; `nil` for every port.
    public mutating func add(_ route: ConnectionRoute, forHost host: Host? = nil, port: Int? = nil) {
        self.replacements.append(Rule(host: host, port: port, place: route))
    }

    /// Says what DNS would say, of a server or a proxy. The last that fits holds.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - host: The host; `nil` for every host that no other rule names.
    ///   - port: The port that is connected to; `nil` for every port.
    public mutating func resolve(_ host: Host?, port: Int? = nil, to address: Host) {
        self.resolve(host, port: port, to: [address])
    }

    /// Says what DNS would say, of a server or a proxy. The last that fits holds.
    ///
    /// - Parameters:
    ///   - addresses: The addresses, at least one, which are tried in their order, those of IPv6 and of IPv4 beside each other
    ///     (RFC 8305).
    ///   - host: The host; `nil` for every host that no other rule names.
    ///   - port: The port that is connected to; `nil` for every port.
    public mutating func resolve(_ host: Host?, port: Int? = nil, to addresses: [Host]) {
        self.addresses.append(Rule(host: host, port: port, place: addresses))
    }

    /// What DNS is said to say of a host; none where it is asked.
    func addresses(of host: Host, port: Int) -> [Host] {
        guard !self.addresses.isEmpty else { return [] }
        let rules = self.addresses.filter { $0.covers(host, port) }
        return (rules.last { $0.host != nil } ?? rules.last)?.place ?? []
    }

    /// The place for an origin; `nil` for the origin itself.
    func route(to origin: HTTPURL.Origin) -> ConnectionRoute? {
        self.replacements.first { $0.covers(origin.host, origin.port) }?.place
    }
}
