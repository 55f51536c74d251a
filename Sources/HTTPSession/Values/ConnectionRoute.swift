//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// Where to connect to in place of what DNS says. Certificates and requests keep the name of the URL.
public struct ConnectionRoute: Sendable, Hashable {
    /// The name or address to connect to; `nil` for the URL's.
    public var host: Host?
    /// The port to connect to; `nil` for the URL's.
    public var port: Int?

    /// A place to connect to.
    ///
    /// - Parameters:
    ///   - host: The name or address; `nil` for the URL's.
    ///   - port: The port; `nil` for the URL's.
    public init(host: Host? = nil, port: Int? = nil) { (self.host, self.port) = (host, port) }
}

/// Places to connect to, and for which hosts and ports: the first that fits holds.
public struct ConnectionRoutes: Sendable, Hashable {
    private struct Rule: Sendable, Hashable {
        let host: Host?
        let port: Int?
        let route: ConnectionRoute
    }

    private var rules: [Rule] = []

    /// No place but what DNS says.
    public init() {}

    /// Adds a place, behind those that are there.
    ///
    /// - Parameters:
    ///   - route: Where to connect to.
    ///   - host: The host of URLs that it is for; `nil` for every host.
    ///   - port: The port of URLs that it is for; `nil` for every port.
    public mutating func add(_ route: ConnectionRoute, forHost host: Host? = nil, port: Int? = nil) {
        self.rules.append(Rule(host: host, port: port, route: route))
    }

    /// The place for an origin; `nil` for what DNS says.
    func route(to origin: HTTPURL.Origin) -> ConnectionRoute? {
        self.rules.first { rule in
            (rule.host == nil || rule.host == origin.host) && (rule.port == nil || rule.port == origin.port)
        }?.route
    }
}
