//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// What a plan needs to know besides the way to the server.
public struct ProbeSettings: Sendable, Hashable {
    /// The name sent as server name indication; `nil` sends none.
    public var serverName: String?
    /// The protocols that ALPN offers; none where something else than HTTP is spoken.
    public var applicationProtocols = ["h2", "http/1.1"]
    /// What the clients offer that the server is asked for.
    public var offers: ClientOffers
    /// How much the server may cost.
    public var limits = ProbeLimits()

    /// Settings.
    ///
    /// - Parameters:
    ///   - serverName: The name sent as server name indication; `nil` sends none.
    ///   - offers: What the clients offer that the server is asked for.
    public init(serverName: String?, offers: ClientOffers) {
        self.serverName = serverName
        self.offers = offers
    }
}

/// How much one server may cost.
public struct ProbeLimits: Sendable, Hashable {
    /// The connections to it.
    public var connections = 512
    /// How often an unclear answer is asked for again; with 0, no closed connection is ever a refusal.
    public var retries = 1
    /// After how many questions without an answer, one after the other, it is asked no more.
    public var unanswered = 4

    /// The defaults.
    public init() {}
}

/// How much is asked of a server.
public enum ProbePlan: String, Sendable, Hashable, CaseIterable {
    /// What settles App Transport Security's verdict, whatever an Info.plist says, and nothing else: seven connections at
    /// most.
    case ats
    /// Versions, all cipher suites and groups with the server's order, both RSA and ECDSA chains, and features.
    case standard
    /// And signature schemes, SSL 2.0, and what the server puts up with.
    case deep
}
