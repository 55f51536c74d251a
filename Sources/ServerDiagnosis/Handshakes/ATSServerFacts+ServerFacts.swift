//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust
public import TLSProbe
public import TLSWire

extension ATSServerFacts {
    /// Creates the facts that App Transport Security depends on from the facts of a prober. The newest version comes first, and the
    /// server's preferred suites first.
    ///
    /// Unknown facts stay unknown: versions without a clear answer, suites that were not probed, keys without a known derivation,
    /// and chains that were not presented.
    ///
    /// - Parameters:
    ///   - facts: The facts.
    ///   - trust: The evaluation of each of `ServerFacts.chains`, in their order, by `ATSRequirements.trustPolicy(hostname:)`,
    ///     with `nil` for a chain that could not be judged.
    ///   - strictness: The reading of the rules, which determines the suites that a client offers and their order.
    ///   - system: The release of Apple's systems, which determines the ClientHello.
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

extension ConnectionFailure {
    /// Creates the failure of a load from a refusal.
    public init(_ refusal: ProbeRefusal) {
        self =
            switch refusal {
            case .alert(let alert): .alert(alert)
            // The client itself ends this handshake, with the same code.
            case .otherVersion: .alert(.protocolVersion)
            case .silence: .closed
            }
    }
}
