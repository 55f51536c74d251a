//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The facts that a probe found about a server, without any rating.
///
/// Every fact comes from an answer of the server. A refusal differs from an offer that was not made and from one without a clear
/// answer: a timeout never becomes "not supported".
public struct ServerFacts: Sendable, Hashable {
    /// The plan of the probe.
    public var plan: ProbePlan
    /// The name sent as server name indication (RFC 6066 §3), or `nil` if none was sent.
    public var serverName: String?
    /// The probed address, such as `192.0.2.1:443`. All connections go to the same address.
    public var address: String?
    /// The answers to each version, the newest version first.
    public var versions: [VersionFact] = []
    /// The cipher suites of each version, the newest version first.
    public var cipherSuites: [CipherSuiteFacts] = []
    /// The groups for ephemeral keys that the server accepts, as far as the plan asked.
    public var groups: [GroupFacts] = []
    /// The parameters that the server chose for each significant offer, in the order of asking.
    public var selections: [ServerSelection] = []
    /// The offers without a clear answer.
    public var unclearOffers: [ServerSelection.Offer] = []
    /// The refused offers.
    ///
    /// Such an offer has the client's own groups and signature schemes. The client may therefore not get the parameters that the
    /// server accepts in wider offers.
    public var refusedOffers: [ServerSelection.Offer] = []
    /// The result of the handshake with real keys, or `nil` if it was not tried.
    public var handshake: HandshakeFact?
    /// The different certificate chains that the server presented.
    public var chains: [ChainFact] = []
    /// The features of the server.
    public var features = FeatureFacts()
    /// The unusual, hostile or faulty behaviors of the server.
    public var anomalies: [ProbeAnomaly] = []
    /// The reason that the plan ended early, or `nil` if it was followed to its end.
    public var failure: ConnectionFailure?
    /// The cost of the probe.
    public var effort = ProbeEffort()

    /// Creates facts without any answer.
    public init(plan: ProbePlan, serverName: String? = nil) {
        self.plan = plan
        self.serverName = serverName
    }

    /// The supported versions, the newest first.
    public var supportedVersions: [TLSProtocolVersion] {
        self.versions.filter { $0.support == .supported }.map(\.version)
    }

    /// `true` if the server supports any version.
    public var speaksTLS: Bool { !self.supportedVersions.isEmpty }

    /// Returns the answer to a version, or `nil` if the plan did not ask for it.
    public func support(of version: TLSProtocolVersion) -> VersionFact.Support? {
        self.versions.first { $0.version == version }?.support
    }

    /// The failure of hellos with a hybrid key, if the server answers only shorter ones, or `nil` if it answers both.
    public var largeHelloFailure: ConnectionFailure? {
        for case .intolerantOfLargeHellos(let failure) in self.anomalies { return failure }
        return nil
    }

    /// The failure of the client's own hello, if the server answers others with the same offer, and the part at which it fails.
    /// `nil` if the server does not fail.
    public var helloFailure: (part: HelloPart?, failure: ConnectionFailure)? {
        for case .failsAtHello(let part, let failure) in self.anomalies { return (part, failure) }
        return nil
    }

    /// Returns `true` if the server proved that it holds the key of a chain's first certificate, with this chain or another one
    /// that begins with the same certificate.
    public func holdsKey(of chain: ChainFact) -> Bool {
        self.chains.contains { $0.isProven && $0.certificates.first == chain.certificates.first }
    }

    /// Returns the cipher suites of a version, or `nil` if the plan did not ask for them.
    public func cipherSuites(of version: TLSProtocolVersion) -> CipherSuiteFacts? {
        self.cipherSuites.first { $0.version == version }
    }
}

/// The cost of a probe.
public struct ProbeEffort: Sendable, Hashable {
    /// The number of connections opened or tried.
    public var connections = 0
    /// The number of connections that repeated an offer without a clear answer.
    public var retries = 0
    /// The time from the first connection to the last answer.
    public var duration = Duration.zero
    /// `true` if the server, or a machine in front of it, began to refuse connections during the probe. A slower probe may then
    /// find more facts.
    public var isDegraded = false

    /// Creates a cost of nothing.
    public init() {}
}
