//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The settings of a probe, apart from the connection to the server.
public struct ProbeSettings: Sendable, Hashable {
    /// The name for server name indication, or `nil` to send none.
    public var serverName: String?
    /// The protocols of ALPN. They are empty if the port speaks a protocol other than HTTP.
    public var applicationProtocols = ["h2", "http/1.1"]
    /// The offers of the clients for which the server is probed.
    public var offers: ClientOffers
    /// The limits of the probe.
    public var limits = ProbeLimits()

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - serverName: The name for server name indication, or `nil` to send none.
    ///   - offers: The offers of the clients for which the server is probed.
    public init(serverName: String?, offers: ClientOffers) {
        self.serverName = serverName
        self.offers = offers
    }
}

/// The limits of a probe of one server.
public struct ProbeLimits: Sendable, Hashable {
    /// The maximum number of connections.
    public var connections = 512
    /// The number of times that an offer without a clear answer is repeated. With 0, a closed connection is never a refusal.
    public var retries = 1
    /// The number of consecutive offers without an answer after which the probe ends.
    public var unanswered = 4

    /// Creates the default limits.
    public init() {}
}

/// The extent of a probe.
///
/// The plans differ in the number of connections and in the facts that they find. ``facts(over:_:)`` follows a plan.
public enum ProbePlan: String, Sendable, Hashable, CaseIterable {
    /// The facts that decide App Transport Security's verdict for any Info.plist, in at most seven connections.
    case ats
    /// Versions, all cipher suites and groups in the server's order, both RSA and ECDSA chains, and features.
    case standard
    /// All of ``standard``, signature schemes, SSL 2.0, and the server's tolerance of unusual hellos.
    case deep
}
