//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ProbePlan {
    /// Follows the plan.
    ///
    /// - Parameters:
    ///   - exchange: The connection to the server.
    ///   - settings: The settings of the probe.
    /// - Returns: The facts, to which the caller adds the address and the duration.
    public func facts(over exchange: any ProbeExchange, _ settings: ProbeSettings) async -> ServerFacts {
        let session = ProbeSession(exchange, settings)
        var facts = ServerFacts(plan: self, serverName: settings.serverName)
        switch self {
        case .ats: await ATSPlan(session, settings.offers).run(&facts)
        case .standard: await StandardPlan(session, settings.offers).run(&facts)
        case .deep:
            await StandardPlan(session, settings.offers, isThorough: true).run(&facts)
            await DeepPlan(session).run(&facts)
        }
        await session.fill(&facts)
        facts.features.postQuantumAgreement = facts.agreesOnPostQuantumKeys(offered: settings.offers.ats)
        return facts
    }
}

extension ServerFacts {
    /// True if keys with ML-KEM were agreed on, false if they were offered and others were chosen; `nil` if neither is known.
    fileprivate func agreesOnPostQuantumKeys(offered client: ClientOffer) -> Bool? {
        let found = self.groups.flatMap(\.groups) + self.selections.compactMap(\.group)
        if found.contains(where: \.isPostQuantum) { return true }
        // Versions before TLS 1.3 have no such groups.
        if case .refused? = self.support(of: .tls13) { return false }
        guard self.support(of: .tls13) == .supported else { return nil }
        if let groups = self.groups.first(where: { $0.version >= .tls13 }), groups.isComplete { return false }
        let isOffered = client.groups.contains(where: \.isPostQuantum)
        let wasAnswered = self.selections.contains { $0.version >= .tls13 && $0.group != nil }
        return isOffered && wasAnswered ? false : nil
    }
}

extension ProbeSession {
    fileprivate func fill(_ facts: inout ServerFacts) {
        facts.features = self.notes.features
        facts.chains = self.notes.chains
        facts.anomalies += self.notes.anomalies.filter { !facts.anomalies.contains($0) }
        facts.effort = self.effort
        facts.failure = facts.failure ?? self.ending
        // The server answered hellos, but no handshake succeeded.
        if let failure = facts.handshake?.failure, facts.speaksTLS { facts.anomalies.append(.chainUnknown(failure)) }
        facts.anomalies += self.contradictions(facts)
        if let doubt = self.notes.identity.contradiction(in: facts) { facts.anomalies.append(.severalMachines(doubt)) }
        if !self.inference.inDoubt.isEmpty { facts.doubt(self.inference.inDoubt) }
        let newest = facts.chains.filter { $0.versions.contains(.tls13) }.map(\.certificates)
        let older = facts.chains.filter { $0.versions.contains { $0 < .tls13 } }.map(\.certificates)
        if !newest.isEmpty, !older.isEmpty, !newest.contains(where: older.contains) {
            facts.anomalies.append(.chainDependsOnVersion)
        }
    }

    /// Returns a contradiction for each suite that the server accepted and that a complete list of suites lacks, because the server
    /// refused it there.
    private func contradictions(_ facts: ServerFacts) -> [ProbeAnomaly] {
        facts.cipherSuites.flatMap { found -> [ProbeAnomaly] in
            let agreed = self.notes.agreedSuites[found.version] ?? []
            guard found.isComplete else { return [] }
            return agreed.subtracting(found.suites).sorted { $0.rawValue < $1.rawValue }
                .map { .contradiction("\($0)") }.filter { !facts.anomalies.contains($0) }
        }
    }

    func selection(_ offer: ServerSelection.Offer, _ agreement: Agreement) -> ServerSelection {
        var selection = ServerSelection(offer, agreement.version, cipherSuite: agreement.cipherSuite)
        selection.group = agreement.group
        selection.signatureScheme = agreement.flight.keyExchange?.signatureScheme
        if agreement.offer.offersExtendedMasterSecret, agreement.offer.hasExtensions {
            selection.usesExtendedMasterSecret = agreement.hello.usesExtendedMasterSecret
        }
        selection.applicationProtocol = agreement.hello.applicationProtocol
        selection.chain = self.notes.chain(of: agreement.flight.certificates)
        return selection
    }

    func selection(_ offer: ServerSelection.Offer, _ result: HandshakeResult) -> ServerSelection? {
        guard let version = result.version, let suite = result.cipherSuite else { return nil }
        var selection = ServerSelection(offer, version, cipherSuite: suite)
        selection.group = result.group
        selection.signatureScheme = result.signatureScheme
        selection.usesExtendedMasterSecret = result.usesExtendedMasterSecret
        selection.applicationProtocol = result.applicationProtocol
        selection.chain = self.notes.chain(of: result.certificates)
        selection.isComplete = result.failure == nil && result.isKeyProven
        return selection
    }
}
