//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// Finds all cipher suites of a version before TLS 1.3, in the server's order: what was chosen is left out of the next
/// offer, until nothing of what is left is taken. No fewer connections can show as much.
///
/// Curves fall out on the way: each answer also names one, and it too can be left out of the next offer. That would hide
/// a certificate whose key is on that curve (RFC 8422 §5.1.1), so that curve stays on offer, behind all others.
struct SuiteSearch {
    let session: ProbeSession
    let version: TLSProtocolVersion
    /// What was agreed on already, if the search does not begin afresh.
    var seed: Agreement?
    /// Whether groups are looked for too.
    var findsGroups = false
    /// What is known of a newer version, where a few samples may do.
    var known: CipherSuiteFacts?

    /// Whether the last refusal has to be said twice, for machines of different settings behind one address.
    var isThorough = false

    /// What was found.
    struct Findings: Sendable {
        var support: VersionFact.Support
        var suites: CipherSuiteFacts?
        var groups: GroupFacts?
    }

    func run() async -> Findings {
        var findings = Findings(support: .supported)
        guard let first = await self.first(&findings) else { return findings }
        if let known, let facts = await self.sample(known, first) {
            findings.suites = facts
            return findings
        }
        var facts = CipherSuiteFacts(self.version)
        var groups = GroupSearch(self.session, version: self.version)
        var left = CipherSuite.offered(in: self.version)
        if self.findsGroups { await self.combine(&groups, with: &left, after: first) }
        let offered = left
        let turned = await self.search(first, &left, facts: &facts, groups: &groups)
        await self.rank(&facts)
        facts.order = await self.order(facts, turned)
        if facts.order == .client, await self.session.tolerance.maximumCipherSuites == nil {
            facts.suites = facts.suites.inOrder(ofOffers: offered)
        }
        if self.isThorough { await self.verify(facts) }
        findings.suites = facts
        if self.findsGroups { findings.groups = await groups.finish(facts) }
        return findings
    }

    /// The first agreement, or why it failed.
    private func first(_ findings: inout Findings) async -> Agreement? {
        if let seed { return seed }
        for chunk in await self.chunks(of: CipherSuite.offered(in: self.version)) {
            switch await self.session.ask(await self.firstOffer(chunk)) {
            case .agreed(let agreement): return agreement
            case .refused(let refusal): findings.support = .refused(refusal)
            case .unknown(let failure):
                findings.support = .unknown(failure)
                return nil
            }
        }
        return nil
    }

    /// The first question about some suites.
    func firstOffer(_ suites: [CipherSuite]) async -> ProbeOffer {
        var offer = await self.session.offer([self.version], suites)
        offer.offersCompression = true
        return offer
    }

    private func sample(_ known: CipherSuiteFacts, _ first: Agreement) async -> CipherSuiteFacts? {
        guard known.isComplete, known.order != .unknown, !self.findsGroups else { return nil }
        return await CipherSuiteSampling(session: self.session, version: self.version, known: known, first: first).run()
    }

    /// The suites in offers that this server can take.
    private func chunks(of suites: [CipherSuite]) async -> [[CipherSuite]] {
        guard let size = await self.session.tolerance.maximumCipherSuites else { return [suites] }
        return stride(from: 0, to: suites.count, by: size).map { Array(suites[$0..<min($0 + size, suites.count)]) }
    }

    /// Has curves looked for together with the suites, where it is known which curve a certificate needs, or that no
    /// certificate needs one. That takes one connection at most, which spares one for each curve.
    private func combine(
        _ groups: inout GroupSearch, with left: inout [CipherSuite], after first: Agreement
    ) async {
        var agreement: Agreement? = first
        if first.cipherSuite.authentication == .rsa {
            let onCurves = CipherSuite.onCurves(in: self.version)
            let answer = await self.session.ask(await self.session.offer([self.version], onCurves))
            if case .refused = answer {
                left.removeAll { $0.authentication == .ecdsa }
                groups.isCombined = true
                return
            }
            agreement = answer.agreement
        }
        let leaf = agreement?.cipherSuite.authentication == .ecdsa ? agreement?.flight.certificates?.first : nil
        groups.certificateCurve = leaf.flatMap(NamedGroup.init(ofKeyIn:))
        groups.isCombined = groups.certificateCurve != nil
    }
}

extension CipherSuite {
    /// The suites that need a certificate with a key on a curve.
    fileprivate static func onCurves(in version: TLSProtocolVersion) -> [CipherSuite] {
        self.offered(in: version).filter { $0.authentication == .ecdsa }
    }
}

// MARK: - One after the other

extension SuiteSearch {
    /// The answer to everything the other way round, with what was found behind all others, the first choice last: a server
    /// that goes by the client's order shows that by another suite, and one that goes by its own shows that by its first.
    private func turned(
        _ left: inout [CipherSuite], facts: inout CipherSuiteFacts, protocols: inout [String]
    ) async -> Agreement? {
        let suites = (left.reversed() + facts.suites.reversed()).notLedByChaCha
        var offer = await self.session.offer([self.version], suites)
        offer.offersCompression = true
        offer.applicationProtocols = protocols
        guard let agreement = await self.session.ask(offer).agreement else { return nil }
        protocols = self.protocolsLeft(after: agreement, of: protocols)
        if !facts.suites.contains(agreement.cipherSuite) { facts.suites.append(agreement.cipherSuite) }
        left.removeAll { $0 == agreement.cipherSuite }
        return agreement
    }

    /// Whether the other order is asked for together with what is still to be found. To be thorough, it is asked for by
    /// itself, of suites that the server is known to take and nothing else, which it cannot refuse.
    private var turnsEarly: Bool {
        get async {
            let limit = await self.session.tolerance.maximumCipherSuites
            return !self.isThorough && limit == nil
        }
    }

    /// - Returns: The answer to the other order, where it was asked for on the way.
    private func search(
        _ first: Agreement, _ left: inout [CipherSuite], facts: inout CipherSuiteFacts, groups: inout GroupSearch
    ) async -> Agreement? {
        var agreement: Agreement? = first
        var turned: Agreement?
        var protocols = self.protocolsLeft(after: first, of: self.session.applicationProtocols)
        while let current = agreement {
            if !facts.suites.contains(current.cipherSuite) { facts.suites.append(current.cipherSuite) }
            left.removeAll { $0 == current.cipherSuite }
            groups.note(current)
            if turned == nil, facts.suites.count == 2, await self.turnsEarly {
                turned = await self.turned(&left, facts: &facts, protocols: &protocols)
            }
            if let turned, turned.cipherSuite != first.cipherSuite, let suite = await groups.close(beside: left, facts)
            {
                facts.suites.append(suite)
                left.removeAll { $0 == suite }
            }
            switch await self.next(&left, facts, groups: &groups, protocols: &protocols) {
            case .agreed(let next):
                agreement = next
                protocols = self.protocolsLeft(after: next, of: protocols)
            case .refused:
                facts.isComplete = true
                agreement = nil
            case .unknown(let failure):
                facts.failure = failure
                agreement = nil
            }
        }
        await self.ask(protocols, with: facts.suites)
        return turned
    }

    /// Asks for protocols of ALPN that no question about suites had room for: a server of few suites has few such questions.
    private func ask(_ protocols: [String], with suites: [CipherSuite]) async {
        guard let chunk = await self.chunks(of: suites).first else { return }
        var left = protocols
        while !left.isEmpty {
            var offer = await self.session.offer([self.version], chunk.notLedByChaCha)
            offer.applicationProtocols = left
            guard let agreement = await self.session.ask(offer).agreement else { return }
            left = self.protocolsLeft(after: agreement, of: left)
        }
    }

    /// The answer to what is left; to be thorough, a refusal has to come twice, the second time also of the suites that
    /// were left out after one refusal.
    private func next(
        _ left: inout [CipherSuite], _ facts: CipherSuiteFacts, groups: inout GroupSearch, protocols: inout [String]
    ) async -> ProbeAnswer {
        let first = await self.answer(to: left, &groups, protocols: &protocols)
        guard case .refused = first, self.isThorough, await self.session.tolerance.maximumCipherSuites == nil
        else { return first }
        let leftOut = CipherSuite.onCurves(in: self.version).filter { !left.contains($0) && !facts.suites.contains($0) }
        let all = left + leftOut
        guard !all.isEmpty else { return first }
        let second = await self.session.ask(await self.session.offer([self.version], all.notLedByChaCha))
        guard let agreement = second.agreement else { return second }
        await self.session.remember(.contradiction("\(agreement.cipherSuite)"))
        // With a certificate on a curve after all, no curve may be left out (RFC 8422 §5.1.1).
        if leftOut.contains(agreement.cipherSuite) {
            groups.isCombined = false
            left = all
        }
        return second
    }

    /// The answer to what is left, in as many offers as it takes.
    private func answer(
        to left: [CipherSuite], _ groups: inout GroupSearch, protocols: inout [String]
    ) async -> ProbeAnswer {
        var last = ProbeAnswer.refused(.silence)
        for chunk in await self.chunks(of: left) where !chunk.isEmpty {
            var offer = await self.session.offer([self.version], chunk.notLedByChaCha)
            offer.applicationProtocols = protocols
            last = await groups.ask(offer)
            // A server that knows none of the protocols may refuse to go on (RFC 7301 §3.2); that is not about suites.
            if case .refused(.alert(let alert)) = last, alert.rawValue == 120 {
                protocols = []
                offer.applicationProtocols = []
                last = await groups.ask(offer)
            }
            if case .refused = last { continue }
            return last
        }
        return last
    }

    /// The protocols of ALPN that are still to be offered: what was chosen is left out, as with suites.
    private func protocolsLeft(after agreement: Agreement, of protocols: [String]) -> [String] {
        guard !agreement.offer.applicationProtocols.isEmpty else { return protocols }
        // Some servers choose what was not offered where they know none of it.
        guard let chosen = agreement.hello.applicationProtocol, protocols.contains(chosen) else { return [] }
        return protocols.filter { $0 != chosen }
    }
}

extension SuiteSearch {
    /// Puts the suites into the order in which the server chooses them, where they were found in several offers: those that
    /// are known to be taken are offered together, again one after the other.
    func rank(_ facts: inout CipherSuiteFacts) async {
        guard let size = await self.session.tolerance.maximumCipherSuites, facts.suites.count <= size else { return }
        var left = facts.suites
        var ranked: [CipherSuite] = []
        while left.count > 1 {
            let offer = await self.session.offer([self.version], left.notLedByChaCha)
            guard let chosen = await self.session.ask(offer).agreement?.cipherSuite else { return }
            ranked.append(chosen)
            left.removeAll { $0 == chosen }
        }
        facts.suites = ranked + left
    }

    /// Whose order it is: the same suites the other way round, if that was not asked with all others.
    func order(_ facts: CipherSuiteFacts, _ turned: Agreement?) async -> CipherSuiteFacts.Order {
        guard facts.suites.count > 1, facts.failure == nil else { return .unknown }
        if let turned, let last = turned.offer.cipherSuites.first(where: facts.suites.contains) {
            if turned.cipherSuite == last { return .client }
            return turned.cipherSuite == facts.suites[0] ? .server : await self.orderOfEquals(last)
        }
        let size = await self.session.tolerance.maximumCipherSuites ?? facts.suites.count
        let reversed = Array(facts.suites.prefix(size).reversed()).notLedByChaCha
        guard let last = reversed.first, last != facts.suites[0] else { return .unknown }
        var offer = await self.session.offer([self.version], reversed)
        offer.offersCompression = true
        let answer = await self.session.ask(offer)
        if case .refused = answer { await self.session.remember(.contradiction("\(facts.suites[0])")) }
        guard let chosen = answer.agreement?.cipherSuite else { return .unknown }
        if chosen == last { return .client }
        if chosen == facts.suites[0] { return .server }
        return await self.orderOfEquals(last)
    }

    /// Asks twice for what must be answered as before: for the suite found last alone, and for all that were found, of which a
    /// server with an order of its own takes the first. Machines that take turns behind one address can seem one until then.
    func verify(_ facts: CipherSuiteFacts) async {
        guard facts.suites.count > 1, facts.isComplete, let last = facts.suites.last else { return }
        if case .refused = await self.session.ask(await self.session.offer([self.version], [last])) {
            await self.session.remember(.contradiction("\(last)"))
        }
        let size = await self.session.tolerance.maximumCipherSuites ?? facts.suites.count
        guard facts.order == .server, facts.suites.count <= size else { return }
        let all = await self.session.offer([self.version], facts.suites.notLedByChaCha)
        guard let chosen = await self.session.ask(all).agreement?.cipherSuite else { return }
        if chosen != facts.suites[0] { await self.session.remember(.contradiction("\(facts.suites[0])")) }
    }

    /// Neither the client's favorite nor the server's was chosen: either the server has several suites that are the same
    /// to it, or another machine has answered, which may not even know what the client wants most.
    private func orderOfEquals(_ suite: CipherSuite) async -> CipherSuiteFacts.Order {
        switch await self.session.ask(await self.session.offer([self.version], [suite])) {
        case .agreed: return .server
        case .refused:
            await self.session.remember(.contradiction("\(suite)"))
            return .unknown
        case .unknown: return .unknown
        }
    }
}
