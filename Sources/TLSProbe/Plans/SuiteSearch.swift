//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A search for all cipher suites of a version before TLS 1.3, in the server's order.
///
/// Each chosen suite is left out of the next offer, until the server accepts none of the rest. Fewer connections cannot show as
/// much. Each answer also names a curve, which can be left out of the next offer as well. That would hide a certificate with its
/// key on that curve (RFC 8422 §5.1.1), so that curve stays in the offer, after all others.
struct SuiteSearch {
    let session: ProbeSession
    let version: TLSProtocolVersion
    var seed: Agreement?
    var findsGroups = false
    var known: CipherSuiteFacts?

    /// `true` if the last refusal must occur twice, in case machines with different settings share the address.
    var isThorough = false

    /// The result of a search.
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

    func firstOffer(_ suites: [CipherSuite]) async -> ProbeOffer {
        var offer = await self.session.offer([self.version], suites)
        offer.offersCompression = true
        return offer
    }

    private func sample(_ known: CipherSuiteFacts, _ first: Agreement) async -> CipherSuiteFacts? {
        guard known.isComplete, known.order != .unknown, !self.findsGroups else { return nil }
        return await CipherSuiteSampling(session: self.session, version: self.version, known: known, first: first).run()
    }

    private func chunks(of suites: [CipherSuite]) async -> [[CipherSuite]] {
        guard let size = await self.session.tolerance.maximumCipherSuites else { return [suites] }
        return stride(from: 0, to: suites.count, by: size).map { Array(suites[$0..<min($0 + size, suites.count)]) }
    }

    /// Combines the search for curves with that for suites, if the curve that a certificate needs is known, or if none needs one.
    ///
    /// Finding that out takes at most one connection, and the combination saves one for each curve.
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
    fileprivate static func onCurves(in version: TLSProtocolVersion) -> [CipherSuite] {
        self.offered(in: version).filter { $0.authentication == .ecdsa }
    }
}

// MARK: - One after the other

extension SuiteSearch {
    /// Offers all suites in reverse: the remaining ones first, then those already found, with the first choice last.
    ///
    /// A server that follows the client's order chooses another suite. A server with its own order chooses its first one again.
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

    /// `true` to offer the reversed order together with the suites that are still to be found. A thorough search offers it
    /// separately, with only suites that the server accepts, so that the server cannot refuse it.
    private var turnsEarly: Bool {
        get async {
            let limit = await self.session.tolerance.maximumCipherSuites
            return !self.isThorough && limit == nil
        }
    }

    /// - Returns: The answer to the reversed order, if it was offered during the search.
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

    /// Offers the protocols of ALPN that no offer of suites has covered, because a server with few suites gets few such offers.
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

    /// Offers the remaining suites. In a thorough search a refusal must occur twice, and the second offer includes the suites left
    /// out after a single refusal.
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
        // A certificate is on a curve after all, so no curve may be left out (RFC 8422 §5.1.1).
        if leftOut.contains(agreement.cipherSuite) {
            groups.isCombined = false
            left = all
        }
        return second
    }

    /// Offers the remaining suites in as many offers as necessary.
    private func answer(
        to left: [CipherSuite], _ groups: inout GroupSearch, protocols: inout [String]
    ) async -> ProbeAnswer {
        var last = ProbeAnswer.refused(.silence)
        for chunk in await self.chunks(of: left) where !chunk.isEmpty {
            var offer = await self.session.offer([self.version], chunk.notLedByChaCha)
            offer.applicationProtocols = protocols
            last = await groups.ask(offer)
            // A server without any of the protocols may end the handshake (RFC 7301 §3.2), which says nothing about suites.
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

    /// Returns the protocols of ALPN that are still to be offered. Chosen ones are left out, as with suites.
    private func protocolsLeft(after agreement: Agreement, of protocols: [String]) -> [String] {
        guard !agreement.offer.applicationProtocols.isEmpty else { return protocols }
        // Some servers choose a protocol that was not offered if they support none of the offer.
        guard let chosen = agreement.hello.applicationProtocol, protocols.contains(chosen) else { return [] }
        return protocols.filter { $0 != chosen }
    }
}

extension SuiteSearch {
    /// Sorts suites that were found in several offers into the server's order: offers all accepted ones together, and leaves out
    /// each chosen one.
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

    /// Finds the side that determines the order by an offer of the same suites in reverse, unless such an offer was already made.
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

    /// Repeats two offers with a known answer: the suite found last, and all suites, of which a server with its own order chooses
    /// the first. The repetitions reveal machines that take turns at one address.
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

    /// Decides the order if the server chose neither the client's favorite nor its own. Either several suites are equal to it, or
    /// another machine answered, which may not support the client's favorite at all.
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
