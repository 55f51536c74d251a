//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSProbe
import TLSWire

/// Infers from facts about a server which handshakes it completes, and what is not known of others.
struct HandshakeInference {
    private static let versions: [TLSProtocolVersion] = [.tls13, .tls12, .tls11, .tls10]
    /// The curves of Apple's systems, which all of their releases offer.
    private static let curves = ATSClientHello(.ats).groups.filter(\.isUsableBeforeTLS13)

    /// The alerts that are about what a hello offers. Who knows none of the protocols of a load ends it, too (RFC 7301 §3.2).
    private static let refusals: Set<TLSAlertDescription> = [
        .handshakeFailure, .illegalParameter, .protocolVersion, .insufficientSecurity, .noApplicationProtocol,
    ]

    private let facts: ServerFacts
    private let trust: [TrustResult?]
    private let strictness: ATSStrictness
    private let chains: ChainSelection
    private let hello: HelloTolerance

    init(_ facts: ServerFacts, _ trust: [TrustResult?], strictness: ATSStrictness, hello: HelloTolerance) {
        self.hello = hello
        self.facts = facts
        self.trust = trust
        self.strictness = strictness
        self.chains = ChainSelection(facts)
    }

    /// The handshakes, the newest version first and what the server prefers first.
    var handshakes: [ATSServerFacts.Handshake] {
        guard self.refusalOfEverything == nil, !self.hello.isUnclear else { return [] }
        return Self.versions.flatMap { version in
            self.suites(in: version).map { self.handshake(version, $0) }
        }
    }

    /// How the server refused a real handshake that offered all that Apple's systems have, whatever it agrees on in hellos
    /// that offer more.
    private var refusalOfEverything: ATSConnectionFailure? {
        if let failure = self.hello.failure ?? self.brokenHandshake { return failure }
        guard case .failed(.alert(let alert)) = self.facts.handshake, self.strictness == .engine,
            Self.refusals.contains(alert)
        else { return nil }
        return .alert(alert)
    }

    /// That what the server sent in a real handshake breaks TLS's rules, where it has proven in no other that it can do better:
    /// Apple's systems end such a handshake.
    private var brokenHandshake: ATSConnectionFailure? {
        guard self.strictness == .engine, !self.facts.chains.contains(where: \.isProven) else { return nil }
        guard let failure = self.facts.handshake?.failure.map({ ATSConnectionFailure($0) }), failure != .notTLS else {
            return nil
        }
        return failure.breaksProtocol ? failure : nil
    }

    /// What an offer that does not suit the server ends with.
    var failure: ATSConnectionFailure {
        if let failure = self.refusalOfEverything { return failure }
        if self.facts.anomalies.contains(.refusesSilently) { return .closed }
        guard self.spokenVersions.isEmpty else { return .alert(.handshakeFailure) }
        if let failure = self.facts.failure { return ATSConnectionFailure(failure) }
        let refusals = self.facts.versions.compactMap { version in
            if case .refused(let refusal) = version.support { ATSConnectionFailure(refusal) } else { nil }
        }
        // A hello of Apple's systems offers all versions at once: what is said of one that is not spoken is not said of it.
        return refusals.first { $0 != .alert(.protocolVersion) } ?? refusals.first ?? .nothingInCommon
    }

    /// The versions of which it is not known whether the server speaks them.
    var unknownVersions: Set<TLSProtocolVersion> {
        if self.refusalOfEverything != nil { return [] }
        if self.hello.isUnclear { return Set(Self.versions) }
        if self.spokenVersions.isEmpty, self.facts.failure.map(Self.settles) == true { return [] }
        return Set(Self.versions.filter(self.isUnknown))
    }

    /// The versions that it may speak with more suites than are known.
    var openVersions: Set<TLSProtocolVersion> {
        if self.refusalOfEverything != nil || self.hello.isUnclear { return [] }
        return Set(self.spokenVersions.filter { !self.knowsAllThatMatters(of: $0) })
    }

    private func handshake(_ version: TLSProtocolVersion, _ suite: CipherSuite) -> ATSServerFacts.Handshake {
        let chain = self.chains.index(of: version, suite)
        return ATSServerFacts.Handshake(
            version, suite, usesExtendedMasterSecret: self.usesExtendedMasterSecret(version, suite),
            trust: chain.flatMap { self.isCredible($0) && self.trust.indices.contains($0) ? self.trust[$0] : nil })
    }

    /// Whether a chain is taken for the server's: anyone can present one whose key he does not have, so the server must have
    /// proven to hold the key of that certificate, with this chain or another.
    private func isCredible(_ chain: Int) -> Bool {
        guard self.facts.chains.indices.contains(chain) else { return false }
        return self.facts.holdsKey(of: self.facts.chains[chain])
    }

    /// What the library does in one handshake of a version it does in others, and what was seen counts more than what was
    /// found out about it in general.
    private func usesExtendedMasterSecret(_ version: TLSProtocolVersion, _ suite: CipherSuite) -> Bool? {
        guard version < .tls13 else { return nil }
        let seen = self.facts.selections.filter { $0.version == version && $0.usesExtendedMasterSecret != nil }
        return (seen.first { $0.cipherSuite == suite } ?? seen.first)?.usesExtendedMasterSecret
            ?? self.facts.features.extendedMasterSecret
    }
}

// MARK: - Suites

extension HandshakeInference {
    /// The suites of a version, in the order in which it is to be expected to choose them.
    private func suites(in version: TLSProtocolVersion) -> [CipherSuite] {
        let found = self.found(in: version)
        guard self.strictness == .engine, version < .tls13 else { return found }
        guard version == .tls12 else { return self.sharesCurve ? found : found.filter { $0.keyExchange != .ecdhe } }
        // Which of them it would choose, and with which chain, is not known either.
        guard !self.isTLS12Unclear else { return [] }
        let usable = self.chains.passesOverCurve ? found.filter { $0.authentication != .ecdsa } : found
        guard self.facts.refusedOffers.contains(.atsTLS12) else { return usable }
        let refused = ATSCipherSuiteGroup.ats.suites(.engine)
        return usable.filter { !refused.contains($0) }
    }

    /// Whether it is not known what the server makes of TLS 1.2 as Apple's systems offer it: what it agrees on in wider offers may
    /// be nothing for them.
    private var isTLS12Unclear: Bool {
        self.strictness == .engine && self.facts.unclearOffers.contains(.atsTLS12)
    }

    /// Whether ephemeral keys before TLS 1.2 come about with a curve of Apple's systems. Those versions are asked for with all
    /// curves there are, and not again as Apple's systems offer them.
    private var sharesCurve: Bool {
        let selections = self.facts.selections.filter { $0.version < .tls13 }
        let curves = self.facts.groups.filter { $0.version < .tls13 }.flatMap(\.groups) + selections.compactMap(\.group)
        return curves.contains(where: Self.curves.contains)
            // In a whole handshake nothing else was offered.
            || selections.contains { $0.isComplete && $0.cipherSuite.keyExchange == .ecdhe }
    }

    /// Whether it is known of all curves that Apple's systems have none of them.
    private var knowsAllCurves: Bool {
        self.facts.groups.contains { $0.version < .tls13 && $0.isComplete }
    }

    private func found(in version: TLSProtocolVersion) -> [CipherSuite] {
        let asked = self.facts.cipherSuites(of: version)
        // What it chose from more it would choose from less, as long as that is among it.
        let selected = self.facts.selections.filter { $0.version == version }
            .sorted { $0.offer.breadth > $1.offer.breadth }.map(\.cipherSuite)
        guard let asked, !asked.suites.isEmpty else { return selected.unique }
        let suites = (asked.suites + selected).unique
        return asked.order == .client ? self.byClientsOrder(suites) : suites
    }

    private func byClientsOrder(_ suites: [CipherSuite]) -> [CipherSuite] {
        let offered = ATSCipherSuiteGroup.unrestricted.suites(self.strictness)
        return offered.filter(suites.contains) + suites.filter { !offered.contains($0) }
    }

    /// Whether a suite that is not among those known is one it refuses.
    private func knowsAllThatMatters(of version: TLSProtocolVersion) -> Bool {
        if version == .tls12, self.isTLS12Unclear { return false }
        let leavesOut = self.suites(in: version).count < self.found(in: version).count
        if version < .tls12, leavesOut, !self.knowsAllCurves { return false }
        let asked = self.facts.cipherSuites(of: version)
        if asked?.isComplete == true { return true }
        // The shortest plan offers, in TLS 1.2, each of the engine's groups of suites by itself.
        return self.facts.plan == .ats && version == .tls12 && self.strictness == .engine && self.facts.failure == nil
            && self.facts.unclearOffers.isEmpty
    }
}

// MARK: - Versions

extension HandshakeInference {
    private var spokenVersions: [TLSProtocolVersion] {
        Self.versions.filter { version in
            self.facts.support(of: version) == .supported || !self.suites(in: version).isEmpty
        }
    }

    private func isUnknown(_ version: TLSProtocolVersion) -> Bool {
        guard !self.spokenVersions.contains(version), !self.isPassedOver(version) else { return false }
        if case .refused = self.facts.support(of: version) { return false }
        return true
    }

    /// Whether it was offered and an older one chosen.
    private func isPassedOver(_ version: TLSProtocolVersion) -> Bool {
        self.facts.selections.contains { $0.version < version && version <= $0.offer.newestVersion }
    }

    /// Whether nothing came of it that could have been TLS: then no version is spoken, or there was no server to ask.
    private static func settles(_ failure: ConnectionFailure) -> Bool {
        let failure = ATSConnectionFailure(failure)
        return failure.isBelowTLS || failure.breaksProtocol
    }
}

extension ServerSelection.Offer {
    /// More than what is in others, by a greater number.
    fileprivate var breadth: Int {
        switch self {
        case .everything, .tls11, .tls10: 4
        case .compatible: 3
        case .ats: 2
        case .atsTLS12: 1
        case .fcp: 0
        }
    }

    fileprivate var newestVersion: TLSProtocolVersion {
        switch self {
        case .ats: .tls13
        case .atsTLS12, .fcp, .compatible, .everything: .tls12
        case .tls11: .tls11
        case .tls10: .tls10
        }
    }
}

extension [CipherSuite] {
    fileprivate var unique: [CipherSuite] {
        var seen = Set<CipherSuite>()
        return self.filter { seen.insert($0).inserted }
    }
}
