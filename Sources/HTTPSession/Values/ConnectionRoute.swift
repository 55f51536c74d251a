//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
import ServerTrustNIO

/// A route that replaces the address or port of a connection. Certificates and requests still use the name in the URL.
public struct ConnectionRoute: Sendable, Hashable {
    /// The name or address to connect to, or `nil` to use that of the URL.
    public var host: Host?
    /// The port to connect to, or `nil` to use that of the URL.
    public var port: Int?
    /// The zone of a link-local address (RFC 4007 §11), or `nil` if there is none.
    package var zone: String?

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - host: The name or address, or `nil` to use that of the URL.
    ///   - port: The port, or `nil` to use that of the URL.
    public init(host: Host? = nil, port: Int? = nil) { (self.host, self.port) = (host, port) }
}

/// The routes and addresses of a session, by the hosts and ports that they apply to.
///
/// Use `add` to connect to another host or port, as curl's `--connect-to` does. Use `resolve` to replace the answers of DNS, as
/// curl's `--resolve` does.
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

    /// Creates an empty set of routes, which leaves all connections to DNS.
    public init() {}

    /// Adds a route to another host and port. The first route that matches is used. A proxy opens a tunnel to the new host as well.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - host: The host of URLs that it applies to, or `nil` to match every host.
    ///   - port: The port of URLs that it applies to, or `nil` to match every port.
    public mutating func add(_ route: ConnectionRoute, forHost host: Host? = nil, port: Int? = nil) {
        self.replacements.append(Rule(host: host, port: port, place: route))
    }

    /// Sets the address of a server or proxy in place of DNS. The last rule that matches is used.
    ///
    /// - Parameters:
    ///   - host: The host, or `nil` to match every host without a rule of its own.
    ///   - port: The port of the connection, or `nil` to match every port.
    ///   - address: The address.
    public mutating func resolve(_ host: Host?, port: Int? = nil, to address: Host) {
        self.resolve(host, port: port, to: [address])
    }

    /// Sets the addresses of a server or proxy in place of DNS. The last rule that matches is used.
    ///
    /// - Parameters:
    ///   - host: The host, or `nil` to match every host without a rule of its own.
    ///   - port: The port of the connection, or `nil` to match every port.
    ///   - addresses: One or more addresses, which are tried in their order. IPv6 and IPv4 are tried concurrently (RFC 8305).
    public mutating func resolve(_ host: Host?, port: Int? = nil, to addresses: [Host]) {
        self.addresses.append(Rule(host: host, port: port, place: addresses))
    }

    func addresses(of host: Host, port: Int) -> [Host] {
        guard !self.addresses.isEmpty else { return [] }
        let rules = self.addresses.filter { $0.covers(host, port) }
        return (rules.last { $0.host != nil } ?? rules.last)?.place ?? []
    }

    func route(to origin: HTTPURL.Origin) -> ConnectionRoute? {
        self.replacements.first { $0.covers(origin.host, origin.port) }?.place
    }
}
