//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The plan that finds, after the standard plan, the signature schemes, the support for SSL 2.0 and the tolerance of a server.
struct DeepPlan {
    private let session: ProbeSession

    init(_ session: ProbeSession) {
        self.session = session
    }

    func run(_ facts: inout ServerFacts) async {
        guard facts.failure == nil, facts.speaksTLS else { return }
        await self.signatureSchemes(facts)
        for trial in FeatureFacts.Trial.allCases { await self.attempt(trial, facts) }
        await self.ssl2(&facts)
    }

    /// Finds the signature schemes of ephemeral keys in TLS 1.2. Each used scheme is left out of the next offer, until the server
    /// accepts none of the rest. An incomplete list is dropped, because it would look complete.
    private func signatureSchemes(_ facts: ServerFacts) async {
        let suites = (facts.cipherSuites(of: .tls12)?.suites ?? []).filter { $0.hasForwardSecrecy && !$0.isAnonymous }
        guard !suites.isEmpty else { return }
        var found: [SignatureScheme] = []
        var left = self.session.everything.signatureSchemes
        search: while !left.isEmpty {
            var offer = await self.session.offer([.tls12], suites)
            offer.signatureSchemes = left
            switch await self.session.ask(offer) {
            case .agreed(let agreement):
                // A server that signs with a scheme not offered always does so.
                guard let scheme = agreement.flight.keyExchange?.signatureScheme, left.contains(scheme) else {
                    break search
                }
                found.append(scheme)
                left.removeAll { $0 == scheme }
            case .refused: break search
            case .unknown: return
            }
        }
        let schemes = found
        await self.session.learn { $0.signatureSchemes = schemes }
    }

    /// Makes an unusual hello from an offer that the server accepts.
    private func attempt(_ trial: FeatureFacts.Trial, _ facts: ServerFacts) async {
        guard let offer = await self.offer(trial, facts) else { return }
        let isTolerated: Bool? =
            switch await self.session.ask(offer) {
            case .agreed: true
            case .refused: false
            case .unknown: nil
            }
        await self.session.learn { $0.tolerance.append(FeatureFacts.Tolerance(trial, isTolerated)) }
    }

    private func offer(_ trial: FeatureFacts.Trial, _ facts: ServerFacts) async -> ProbeOffer? {
        let versions = facts.supportedVersions.filter { $0 > .ssl30 }
        let tolerance = await self.session.tolerance
        guard let newest = versions.first, tolerance.acceptsExtensions || trial == .manySuites else { return nil }
        let suites = versions.flatMap { facts.cipherSuites(of: $0)?.suites ?? [] }.uniqued()
        var offer = await self.session.offer(
            versions, Array(suites.prefix(tolerance.maximumCipherSuites ?? suites.count)))
        let groups = facts.groups.flatMap(\.groups).uniqued()
        if !groups.isEmpty { offer.groups = groups }
        offer.keyShares.removeAll { !offer.groups.contains($0) }
        switch trial {
        case .grease: offer.hasGREASE = true
        case .largeHello:
            guard newest == .tls13 else { return nil }
            offer.keyShares.insert(.x25519MLKEM768, at: 0)
            offer.groups = ([.x25519MLKEM768] + offer.groups).uniqued()
        case .manySuites: offer.cipherSuites = CipherSuite.offeredInTLS13 + CipherSuite.offered(in: .tls12)
        case .futureVersion:
            offer.versions = [TLSProtocolVersion(rawValue: 0x0305), .tls13] + versions.filter { $0 < .tls13 }
        case .futureLegacyVersion:
            guard versions.contains(where: { $0 <= .tls12 }) else { return nil }
            offer.versions = versions.filter { $0 <= .tls12 }
            offer.legacyVersion = TLSProtocolVersion(rawValue: 0x0304)
        case .noServerName: offer.serverName = nil
        }
        return offer
    }

    private func ssl2(_ facts: inout ServerFacts) async {
        facts.versions.append(VersionFact(.ssl20, await self.ssl2Support()))
    }

    /// Offers SSL 2.0. As with TLS, silence is a refusal only if it occurs twice and the server accepts other offers after each.
    private func ssl2Support() async -> VersionFact.Support {
        let first = await self.ssl2Answer()
        guard case .unknown(let failure) = first, failure.isSilence, await self.session.stillAnswers(after: failure)
        else { return first }
        let second = await self.ssl2Answer()
        guard case .unknown(let failure) = second, failure.isSilence, await self.session.stillAnswers(after: failure),
            await self.session.inference.isRefusal(failure, again: true)
        else { return second }
        return .refused(await self.session.refusal(by: failure))
    }

    private func ssl2Answer() async -> VersionFact.Support {
        switch await self.session.answer(to: SSL2Hello.encoded) {
        case .success(let bytes) where SSL2Hello.isAnswered(by: bytes): return .supported
        case .success(let bytes):
            // A server without SSL 2.0 sends an alert of TLS, or its usual answer to unknown input.
            guard let alert = SSL2Hello.alert(in: bytes) else {
                return .unknown(.notTLS(beginning: PrintableASCII.text(bytes, limit: 60)))
            }
            return alert.isRefusal ? .refused(.alert(alert)) : .unknown(.alert(alert))
        case .failure(let failure): return .unknown(failure)
        }
    }
}

extension Sequence where Element: Hashable {
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return self.filter { seen.insert($0).inserted }
    }
}
