//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire

/// Facts as a prober would have them, put together by hand.
struct TestFacts: Sendable {
    var facts: ServerFacts
    var chains: [TestChains]

    /// What the plan `standard` finds out about a server that takes some suites.
    ///
    /// - Parameters:
    ///   - suites: The suites of each version that it speaks; it refuses the others.
    ///   - chains: Its chains, presented in all versions.
    static func standard(
        _ suites: [(TLSProtocolVersion, [UInt16])], _ chains: [TestChains] = [.rsa],
        extendedMasterSecret: Bool? = true
    ) throws -> TestFacts {
        var facts = ServerFacts(plan: .standard, serverName: "a.test")
        let spoken = suites.map(\.0)
        facts.versions = [.tls13, .tls12, .tls11, .tls10].map { version in
            VersionFact(version, spoken.contains(version) ? .supported : .refused(.alert(.init(rawValue: 70))))
        }
        facts.cipherSuites = suites.map { version, numbers in
            CipherSuiteFacts(version, numbers.map(CipherSuite.init), order: .server, isComplete: true)
        }
        facts.groups = [GroupFacts(.tls12, [.x25519, .secp256r1], isComplete: true)]
        facts.features.extendedMasterSecret = extendedMasterSecret
        facts.chains = try chains.map { kind in
            var chain = ChainFact(try kind.chain().certificates)
            chain.versions = spoken
            chain.isProven = true
            return chain
        }
        return TestFacts(facts: facts, chains: chains)
    }

    /// What the plan `ats` finds out: what the server chose of some offers.
    static func ats(
        _ selections: [(ServerSelection.Offer, TLSProtocolVersion, UInt16)], _ chain: TestChains = .rsa,
        refused: [TLSProtocolVersion] = [], extendedMasterSecret: Bool? = true
    ) throws -> TestFacts {
        var facts = ServerFacts(plan: .ats, serverName: "a.test")
        facts.selections = selections.map { offer, version, number in
            var selection = ServerSelection(offer, version, cipherSuite: CipherSuite(rawValue: number))
            selection.usesExtendedMasterSecret = version < .tls13 ? extendedMasterSecret : nil
            selection.chain = 0
            return selection
        }
        let spoken = Set(selections.map(\.1)).sorted(by: >)
        facts.versions = spoken.map { VersionFact($0, .supported) }
        facts.versions += refused.map { VersionFact($0, .refused(.alert(.init(rawValue: 70)))) }
        var presented = ChainFact(try chain.chain().certificates)
        presented.versions = spoken
        presented.isProven = true
        facts.chains = [presented]
        return TestFacts(facts: facts, chains: [chain])
    }

    /// A server of which nothing is known but why.
    static func nothing(_ failure: ConnectionFailure) -> TestFacts {
        var facts = ServerFacts(plan: .standard, serverName: "a.test")
        facts.failure = failure
        return TestFacts(facts: facts, chains: [])
    }

    /// The same with one version that gave no clear answer.
    func unknown(_ version: TLSProtocolVersion, _ failure: ConnectionFailure = .timedOut(.silent)) -> TestFacts {
        var copy = self
        copy.facts.versions.removeAll { $0.version == version }
        copy.facts.versions.append(VersionFact(version, .unknown(failure)))
        copy.facts.cipherSuites.removeAll { $0.version == version }
        return copy
    }

    /// A server that refuses every version with an alert.
    static func refusing(_ alert: UInt8) -> TestFacts {
        var facts = ServerFacts(plan: .standard, serverName: "a.test")
        facts.versions = [.tls13, .tls12, .tls11, .tls10].map {
            VersionFact($0, .refused(.alert(.init(rawValue: alert))))
        }
        return TestFacts(facts: facts, chains: [])
    }

    /// The same with something changed.
    func with(_ change: (inout ServerFacts) -> Void) -> TestFacts {
        var copy = self
        change(&copy.facts)
        return copy
    }

    func diagnosis(
        on release: Int = 27, host: String = "a.test", redirects: [ATSDestination] = []
    ) throws -> ServerDiagnosis {
        ServerDiagnosis(
            host: host, facts: self.facts, trust: try self.chains.map { try $0.chain().trust }, redirects: redirects,
            configuration: .init(system: ATSSystem(.iOS, release)))
    }
}
