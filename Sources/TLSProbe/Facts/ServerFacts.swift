//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// What a prober has found out about a server: facts, and no opinion about them.
///
/// A fact is there only where the server said it. What it was not asked, and what it gave no clear answer to, is told
/// apart from what it refused: a timeout never becomes "not supported".
public struct ServerFacts: Sendable, Hashable {
    /// The plan that was followed.
    public var plan: ProbePlan
    /// The name sent as server name indication (RFC 6066 §3); `nil` where none was.
    public var serverName: String?
    /// The address that was probed, the same one for all connections, such as `192.0.2.1:443`.
    public var address: String?
    /// How the server answered to each version, the newest first.
    public var versions: [VersionFact] = []
    /// The cipher suites of each version, the newest version first.
    public var cipherSuites: [CipherSuiteFacts] = []
    /// The groups for ephemeral keys that it agreed on, as far as they were asked for.
    public var groups: [GroupFacts] = []
    /// What it agreed on for each offer that tells something by itself, in the order of asking.
    public var selections: [ServerSelection] = []
    /// The offers that it gave no clear answer to: whether it takes them is not known.
    public var unclearOffers: [ServerSelection.Offer] = []
    /// The offers that it refused: in them everything is as the client offers it, groups and signature schemes included, so
    /// that the client may get nothing of what the server agrees on in wider offers.
    public var refusedOffers: [ServerSelection.Offer] = []
    /// What came of shaking hands in earnest; `nil` when that was not tried.
    public var handshake: HandshakeFact?
    /// The different chains of certificates that it presented.
    public var chains: [ChainFact] = []
    /// What else it does.
    public var features = FeatureFacts()
    /// What was odd, hostile, or broken about its answers.
    public var anomalies: [ProbeAnomaly] = []
    /// Why nothing, or no more, could be found out; `nil` when the plan was followed to its end.
    public var failure: ConnectionFailure?
    /// What finding out has cost.
    public var effort = ProbeEffort()

    /// Facts that there are none of yet.
    public init(plan: ProbePlan, serverName: String? = nil) {
        self.plan = plan
        self.serverName = serverName
    }

    /// The versions it speaks, the newest first.
    public var supportedVersions: [TLSProtocolVersion] {
        self.versions.filter { $0.support == .supported }.map(\.version)
    }

    /// Whether it has spoken TLS at all.
    public var speaksTLS: Bool { !self.supportedVersions.isEmpty }

    /// How it answered to a version; `nil` when it was not asked.
    public func support(of version: TLSProtocolVersion) -> VersionFact.Support? {
        self.versions.first { $0.version == version }?.support
    }

    /// What hellos with a key of a hybrid group come to where shorter ones are answered; `nil` where both are.
    public var largeHelloFailure: ConnectionFailure? {
        for case .intolerantOfLargeHellos(let failure) in self.anomalies { return failure }
        return nil
    }

    /// Whether the server has proven to hold the key of a chain's first certificate, with this chain or with another one that
    /// begins with the same certificate.
    public func holdsKey(of chain: ChainFact) -> Bool {
        self.chains.contains { $0.isProven && $0.certificates.first == chain.certificates.first }
    }

    /// The cipher suites of a version; `nil` when they were not asked for.
    public func cipherSuites(of version: TLSProtocolVersion) -> CipherSuiteFacts? {
        self.cipherSuites.first { $0.version == version }
    }
}

/// What finding facts out has cost.
public struct ProbeEffort: Sendable, Hashable {
    /// The connections that were opened, or tried.
    public var connections = 0
    /// Those of them that repeated another one whose answer was unclear.
    public var retries = 0
    /// From the first connection to the last answer.
    public var duration = Duration.zero
    /// Whether the server, or something before it, began to refuse connections while it was asked, so that less is known
    /// than a slower probe would find out.
    public var isDegraded = false

    /// Nothing yet.
    public init() {}
}
