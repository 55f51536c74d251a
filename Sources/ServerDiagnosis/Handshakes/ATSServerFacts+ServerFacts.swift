//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust
public import TLSProbe
public import TLSWire

extension ATSServerFacts {
    /// What App Transport Security looks at of what a prober found out: the newest version first, and what the server
    /// prefers first.
    ///
    /// What is not known stays so: versions without a clear answer, suites that were not asked for, keys of which it was not seen how
    /// they came about, and chains that were not seen.
    ///
    /// - Parameters:
    ///   - facts: The facts.
    ///   - trust: What each of ``ServerFacts/chains`` is worth, in their order, evaluated by
    ///     `ATSRequirements.trustPolicy(hostname:)`; `nil` for those that could not be judged.
    ///   - strictness: Whose lists of suites a client offers, where its order decides.
    ///   - system: The release, on which it depends what its hello is like.
    public init(
        _ facts: ServerFacts, trust: [TrustResult?], strictness: ATSStrictness = .engine,
        system: ATSSystem = .newest
    ) {
        let hello = HelloTolerance(facts, strictness: strictness, system: system)
        let reading = HandshakeInference(facts, trust, strictness: strictness, hello: hello)
        self.init(handshakes: reading.handshakes, failure: reading.failure)
        self.unknownVersions = reading.unknownVersions
        self.openVersions = reading.openVersions
        self.refusesFCP = facts.refusedOffers.contains(.fcp)
        self.isFCPUnclear = facts.unclearOffers.contains(.fcp)
    }
}

extension ATSConnectionFailure {
    /// What a load makes of a refusal.
    public init(_ refusal: ProbeRefusal) {
        self =
            switch refusal {
            case .alert(let alert): .alert(alert)
            // The client is the one that ends it, and by the same code.
            case .otherVersion: .alert(.protocolVersion)
            case .silence: .closed
            }
    }
}
