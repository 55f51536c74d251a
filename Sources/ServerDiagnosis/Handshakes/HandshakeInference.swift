//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSProbe
import TLSWire

/// The handshakes that a server completes, inferred from the facts about it, and the handshakes that stay unknown.
struct HandshakeInference {
    private static let versions: [TLSProtocolVersion] = [.tls13, .tls12, .tls11, .tls10]
    /// The curves that all releases of Apple's systems offer.
    private static let curves = ATSClientHello(.ats).groups.filter(\.isUsableBeforeTLS13)

    /// The alerts that concern the offer of a ClientHello. A server that knows none of the offered application protocols sends one
    /// as well (RFC 7301 §3.2).
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

    /// The handshakes, the newest version first, and within it the server's preferred suites first.
    var handshakes: [ATSServerFacts.Handshake] {
        guard self.refusalOfEverything == nil, !self.hello.isUnclear else { return [] }
        return Self.versions.flatMap { version in
            self.suites(in: version).map { self.handshake(version, $0) }
        }
    }

    /// The refusal of a real handshake with the full offer of Apple's systems. It holds even if the server agrees to wider offers.
    private var refusalOfEverything: ConnectionFailure? {
        if let failure = self.hello.failure ?? self.brokenHandshake { return failure }
        guard case .failed(.alert(let alert)) = self.facts.handshake, self.strictness == .engine,
            Self.refusals.contains(alert)
        else { return nil }
        return .alert(alert)
    }

    /// The violation of TLS's rules in a real handshake, if no other handshake has proven a key. Apple's systems end such a
    /// handshake.
    private var brokenHandshake: ConnectionFailure? {
        guard self.strictness == .engine, !self.facts.chains.contains(where: \.isProven) else { return nil }
        guard let failure = self.facts.handshake?.failure, !failure.isOfOtherProtocol else { return nil }
        return failure.breaksProtocol ? failure : nil
    }

    /// The failure of an offer that does not suit the server.
    var failure: ConnectionFailure {
        if let failure = self.refusalOfEverything { return failure }
        if self.facts.anomalies.contains(.refusesSilently) { return .closed }
        guard self.spokenVersions.isEmpty else { return .alert(.handshakeFailure) }
        if let failure = self.facts.failure { return failure }
        let refusals = self.facts.versions.compactMap { version in
            if case .refused(let refusal) = version.support { ConnectionFailure(refusal) } else { nil }
        }
        // The ClientHello of Apple's systems offers all versions at once, so a refusal of one missing version is not the refusal of
        // that offer.
        return refusals.first { $0 != .alert(.protocolVersion) } ?? refusals.first ?? .nothingInCommon
    }

    var unknownVersions: Set<TLSProtocolVersion> {
        if self.refusalOfEverything != nil { return [] }
        if self.hello.isUnclear { return Set(Self.versions) }
        if self.spokenVersions.isEmpty, self.facts.failure.map(Self.settles) == true { return [] }
        return Set(Self.versions.filter(self.isUnknown))
    }

    /// The spoken versions for which further suites may be supported.
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

    /// Returns `true` if a chain is taken for the server's. Any server can present a chain without holding its key. So the server
    /// must have proven possession of the leaf's key, with this chain or another.
    private func isCredible(_ chain: Int) -> Bool {
        guard self.facts.chains.indices.contains(chain) else { return false }
        return self.facts.holdsKey(of: self.facts.chains[chain]) || self.isUnprovable(chain)
    }

    /// Returns `true` if the leaf's key usage forbids its handshakes. Clients end such a handshake before any proof of the key, so
    /// the holder of the key cannot give one (RFC 5246 §7.4.2).
    private func isUnprovable(_ chain: Int) -> Bool {
        guard self.trust.indices.contains(chain), let failure = self.trust[chain]?.failure else { return false }
        return failure.reasons.contains { $0.check == .keyUsage && $0.certificateIndex == 0 }
    }

    /// Returns the use of the extended master secret. A server's library behaves alike in all handshakes of a version, and an
    /// observed handshake counts more than the general feature.
    private func usesExtendedMasterSecret(_ version: TLSProtocolVersion, _ suite: CipherSuite) -> Bool? {
        guard version < .tls13 else { return nil }
        let seen = self.facts.selections.filter { $0.version == version && $0.usesExtendedMasterSecret != nil }
        return (seen.first { $0.cipherSuite == suite } ?? seen.first)?.usesExtendedMasterSecret
            ?? self.facts.features.extendedMasterSecret
    }
}

// MARK: - Suites

extension HandshakeInference {
    /// Returns the suites of a version, in the expected order of the server's choice.
    private func suites(in version: TLSProtocolVersion) -> [CipherSuite] {
        let found = self.found(in: version)
        guard self.strictness == .engine, version < .tls13 else { return found }
        guard version == .tls12 else { return self.sharesCurve ? found : found.filter { $0.keyExchange != .ecdhe } }
        // Its choice among them, and the chain for that choice, are unknown as well.
        guard !self.isTLS12Unclear else { return [] }
        let usable = self.chains.passesOverCurve ? found.filter { $0.authentication != .ecdsa } : found
        guard self.facts.refusedOffers.contains(.atsTLS12) else { return usable }
        let refused = ATSCipherSuiteGroup.ats.suites(.engine)
        return usable.filter { !refused.contains($0) }
    }

    /// `true` if the server's answer to the TLS 1.2 offer of Apple's systems is unknown. Its agreement to wider offers may not hold
    /// for theirs.
    private var isTLS12Unclear: Bool {
        self.strictness == .engine && self.facts.unclearOffers.contains(.atsTLS12)
    }

    /// `true` if ephemeral keys before TLS 1.2 are possible on a curve of Apple's systems. These versions are probed with all
    /// curves, and not again with the offer of Apple's systems.
    private var sharesCurve: Bool {
        let selections = self.facts.selections.filter { $0.version < .tls13 }
        let curves = self.facts.groups.filter { $0.version < .tls13 }.flatMap(\.groups) + selections.compactMap(\.group)
        return curves.contains(where: Self.curves.contains)
            // In a complete handshake only the curves of Apple's systems were offered.
            || selections.contains { $0.isComplete && $0.cipherSuite.keyExchange == .ecdhe }
    }

    /// `true` if all supported curves of the server are known.
    private var knowsAllCurves: Bool {
        self.facts.groups.contains { $0.version < .tls13 && $0.isComplete }
    }

    private func found(in version: TLSProtocolVersion) -> [CipherSuite] {
        let asked = self.facts.cipherSuites(of: version)
        // The server's choice from a wider offer holds for a narrower offer that contains it.
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

    /// Returns `true` if every suite that is not among the known ones is refused.
    private func knowsAllThatMatters(of version: TLSProtocolVersion) -> Bool {
        if version == .tls12, self.isTLS12Unclear { return false }
        let leavesOut = self.suites(in: version).count < self.found(in: version).count
        if version < .tls12, leavesOut, !self.knowsAllCurves { return false }
        let asked = self.facts.cipherSuites(of: version)
        if asked?.isComplete == true { return true }
        // The shortest plan offers, in TLS 1.2, each of the engine's groups of suites separately.
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

    /// Returns `true` if the version was offered and the server chose an older one.
    private func isPassedOver(_ version: TLSProtocolVersion) -> Bool {
        self.facts.selections.contains { $0.version < version && version <= $0.offer.newestVersion }
    }

    /// Returns `true` if the failure rules out every version: the server does not speak TLS, or cannot be reached.
    private static func settles(_ failure: ConnectionFailure) -> Bool {
        failure.isWithoutServer || failure.breaksProtocol
    }
}

extension ServerSelection.Offer {
    /// The breadth of the offer. A wider offer contains the narrower ones.
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
