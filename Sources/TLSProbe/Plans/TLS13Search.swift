//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// Finds the suites and the groups of TLS 1.3 together. A hello without a key makes the server ask for one, in a message
/// that names one of each and is not encrypted (RFC 8446 §4.1.4, §4.2.8).
struct TLS13Search {
    let session: ProbeSession
    /// What was agreed on already.
    var seed: Agreement?
    /// Whether refusals have to be said twice, for machines of different settings behind one address.
    var isThorough: Bool

    private var suites = CipherSuite.offeredInTLS13
    private var groups: [NamedGroup]
    private var suiteFacts = CipherSuiteFacts(.tls13)
    private var groupFacts = GroupFacts(.tls13)
    private var suitesAreOpen = true
    private var groupsAreOpen = true

    init(_ session: ProbeSession, seed: Agreement?, isThorough: Bool) {
        self.session = session
        self.seed = seed
        self.isThorough = isThorough
        self.groups = session.everything.groupsInTLS13
    }

    mutating func run() async -> SuiteSearch.Findings {
        var first = seed
        if first == nil {
            switch await self.ask(self.suites, self.groups) {
            case .agreed(let agreement): first = agreement
            case .refused(let refusal): return SuiteSearch.Findings(support: .refused(refusal))
            case .unknown(let failure): return SuiteSearch.Findings(support: .unknown(failure))
            }
        }
        if let first { self.note(first) }
        await self.search()
        if self.suiteFacts.isComplete, self.suiteFacts.order == .unknown { self.suiteFacts.order = await self.order() }
        return SuiteSearch.Findings(support: .supported, suites: self.suiteFacts, groups: self.groupFacts)
    }

    private mutating func search() async {
        if await self.session.tolerance.requiresKeyShare { await self.searchGroupsByKeys() }
        while self.suitesAreOpen || self.groupsAreOpen {
            switch await self.next() {
            // Without a group in it there is nothing to leave out the next time.
            case .agreed(let agreement) where agreement.group == nil:
                self.stop(.malformed(.unexpected("TLS 1.3 without a group")))
            case .agreed(let agreement): self.note(agreement)
            case .refused: await self.settleRefusal()
            case .unknown(let failure): self.stop(failure)
            }
        }
    }

    /// The answer to what is left; to be thorough, a refusal has to come twice.
    private func next() async -> ProbeAnswer {
        let first = await self.ask(self.suites, self.groups)
        guard case .refused = first, self.isThorough else { return first }
        let second = await self.ask(self.suites, self.groups)
        if let agreement = second.agreement {
            await self.session.remember(.contradiction("\(agreement.cipherSuite)"))
        }
        return second
    }

    /// One group after the other, for servers that refuse instead of asking for a key: those that a key is at hand for.
    private mutating func searchGroupsByKeys() async {
        for group in self.session.everything.groupsInTLS13
        where group.sampleKey != nil && !self.groupFacts.groups.contains(group) {
            if let agreement = await self.ask(CipherSuite.offeredInTLS13, [group]).agreement { self.note(agreement) }
        }
        self.closeGroups()
        self.groupFacts.isComplete = false
    }

    private mutating func stop(_ failure: ProbeFailure) {
        if self.suitesAreOpen { self.suiteFacts.failure = failure }
        if self.groupsAreOpen { self.groupFacts.failure = failure }
        (self.suitesAreOpen, self.groupsAreOpen) = (false, false)
    }

    private func ask(_ suites: [CipherSuite], _ groups: [NamedGroup]) async -> ProbeAnswer {
        var offer = await self.session.offer([.tls13], suites.notLedByChaCha)
        offer.groups = groups
        if await self.session.tolerance.requiresKeyShare { offer.offerKeys() }
        return await self.session.ask(offer)
    }

    /// A list that was found to the end is offered whole from then on, so that a refusal is about the other.
    private mutating func note(_ agreement: Agreement) {
        if !self.suiteFacts.suites.contains(agreement.cipherSuite) {
            self.suiteFacts.suites.append(agreement.cipherSuite)
        }
        if let turned, agreement.offer.cipherSuites == turned { self.suiteFacts.order = self.order(shownBy: agreement) }
        if self.suitesAreOpen { self.suites.removeAll { $0 == agreement.cipherSuite } }
        if self.suites.isEmpty { self.closeSuites() }
        guard let group = agreement.group else { return }
        if !self.groupFacts.groups.contains(group) { self.groupFacts.groups.append(group) }
        if self.groupsAreOpen { self.groups.removeAll { $0 == group } }
        if self.groups.isEmpty { self.closeGroups() }
    }

    private mutating func closeSuites() {
        (self.suiteFacts.isComplete, self.suitesAreOpen) = (true, false)
        // While groups are still asked for, the same questions tell whose order it is.
        self.suites = self.turned ?? self.suiteFacts.suites
    }

    private mutating func closeGroups() {
        (self.groupFacts.isComplete, self.groupsAreOpen) = (true, false)
        self.groups = self.groupFacts.groups
    }

    /// The server does not take something of what is left: the whole of the other list tells which list it is in.
    private mutating func settleRefusal() async {
        guard self.suitesAreOpen, self.groupsAreOpen else {
            return self.suitesAreOpen ? self.closeSuites() : self.closeGroups()
        }
        switch await self.ask(self.suiteFacts.suites, self.groups) {
        case .agreed(let agreement) where agreement.group != nil:
            self.closeSuites()
            self.note(agreement)
        case .agreed: self.stop(.malformed(.unexpected("TLS 1.3 without a group")))
        case .refused: self.closeGroups()
        case .unknown(let failure): self.stop(failure)
        }
    }

    /// The suites with the last of them first; `nil` where that makes no difference.
    private var turned: [CipherSuite]? {
        let suites = self.suiteFacts.suites
        guard suites.count > 1, let last = suites.last(where: { $0.protection != .chaCha20Poly1305 }), last != suites[0]
        else { return nil }
        return [last] + suites.filter { $0 != last }
    }

    /// Whose order it is: the same suites the other way round.
    private func order() async -> CipherSuiteFacts.Order {
        guard let turned else { return .unknown }
        let answer = await self.ask(turned, self.groupFacts.groups)
        if case .refused = answer { await self.session.remember(.contradiction("\(self.suiteFacts.suites[0])")) }
        guard let agreement = answer.agreement else { return .unknown }
        let order = self.order(shownBy: agreement)
        guard order == .unknown else { return order }
        // Suites may be the same to the server, or another machine has answered: does it know the client's favourite?
        switch await self.ask([turned[0]], self.groupFacts.groups) {
        case .agreed: return .server
        case .refused: await self.session.remember(.contradiction("\(turned[0])"))
        case .unknown: break
        }
        return .unknown
    }

    /// Whose order a choice from the turned suites shows: whose favourite was chosen, if it is one of the two.
    private func order(shownBy agreement: Agreement) -> CipherSuiteFacts.Order {
        if agreement.cipherSuite == agreement.offer.cipherSuites.first { return .client }
        return agreement.cipherSuite == self.suiteFacts.suites.first ? .server : .unknown
    }
}
