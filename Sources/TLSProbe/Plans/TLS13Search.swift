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
    /// The client's own offers and the handshake they came to, which need not be asked again; `nil` to ask for all of it.
    var client: (offers: ClientOffers, result: HandshakeResult)?
    /// Whether refusals have to be said twice, for machines of different settings behind one address.
    var isThorough: Bool

    private var suites = CipherSuite.offeredInTLS13
    private var groups: [NamedGroup]
    private var suiteFacts = CipherSuiteFacts(.tls13)
    private var groupFacts = GroupFacts(.tls13)
    private var suitesAreOpen = true
    private var groupsAreOpen = true
    /// Whether the server was asked to list its groups.
    private var hasAskedForList = false

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
        self.noteClientsChoice()
        await self.search()
        if self.suiteFacts.isComplete, self.suiteFacts.order == .unknown { self.suiteFacts.order = await self.order() }
        if self.suiteFacts.order == .client {
            self.suiteFacts.suites = self.suiteFacts.suites.inOrder(ofOffers: CipherSuite.offeredInTLS13)
        }
        return SuiteSearch.Findings(support: .supported, suites: self.suiteFacts, groups: self.groupFacts)
    }

    private mutating func search() async {
        if await self.session.tolerance.requiresKeyShare { await self.searchGroupsByKeys() }
        while self.suitesAreOpen || self.groupsAreOpen {
            if self.mayHaveList { await self.searchAsListed() }
            guard self.suitesAreOpen || self.groupsAreOpen else { return }
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

    private mutating func stop(_ failure: ConnectionFailure) {
        if self.suitesAreOpen { self.suiteFacts.failure = failure }
        if self.groupsAreOpen { self.groupFacts.failure = failure }
        self.suitesAreOpen = false
        self.groupsAreOpen = false
    }

    private func ask(_ suites: [CipherSuite], _ groups: [NamedGroup]) async -> ProbeAnswer {
        var offer = await self.session.offer([.tls13], suites.notLedByChaCha)
        offer.groups = groups
        if await self.session.tolerance.requiresKeyShare { offer.offerKeys() }
        return await self.session.ask(offer)
    }

    /// A list that was found to the end is offered whole from then on, so that a refusal is about the other.
    private mutating func note(_ agreement: Agreement) {
        self.noteSuite(of: agreement)
        guard let group = agreement.group else { return }
        if !self.groupFacts.groups.contains(group) { self.groupFacts.groups.append(group) }
        if self.groupsAreOpen { self.groups.removeAll { $0 == group } }
        if self.groups.isEmpty { self.closeGroups() }
    }

    private mutating func noteSuite(of agreement: Agreement) {
        if !self.suiteFacts.suites.contains(agreement.cipherSuite) {
            self.suiteFacts.suites.append(agreement.cipherSuite)
        }
        self.noteOrder(of: agreement)
        if self.suitesAreOpen { self.suites.removeAll { $0 == agreement.cipherSuite } }
        if self.suites.isEmpty { self.closeSuites() }
    }

    private mutating func noteOrder(of agreement: Agreement) {
        guard let turned, agreement.offer.cipherSuites == turned else { return }
        self.suiteFacts.order = self.order(shownBy: agreement)
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

    /// The client's handshake tells one more suite where the server went by the client's order: it chose the client's
    /// favorite, although its choice of everything was on offer, too.
    private mutating func noteClientsChoice() {
        guard let client, client.result.version == .tls13, client.result.failure == nil,
            let chosen = client.result.cipherSuite, let first = self.suiteFacts.suites.first, chosen != first
        else { return }
        let offered = (HandshakeOffer(everythingAfter: client.offers).cipherSuites ?? []).filter(\.isTLS13)
        guard offered.first == chosen, offered.contains(first), chosen != first else { return }
        self.suiteFacts.suites.append(chosen)
        self.suiteFacts.order = .client
        self.suites.removeAll { $0 == chosen }
        if self.suites.isEmpty { self.closeSuites() }
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
        // Suites may be the same to the server, or another machine has answered: does it know the client's favorite?
        switch await self.ask([turned[0]], self.groupFacts.groups) {
        case .agreed: return .server
        case .refused: await self.session.remember(.contradiction("\(turned[0])"))
        case .unknown: break
        }
        return .unknown
    }

    /// Whose order a choice from the turned suites shows: whose favorite was chosen, if it is one of the two.
    private func order(shownBy agreement: Agreement) -> CipherSuiteFacts.Order {
        if agreement.cipherSuite == agreement.offer.cipherSuites.first { return .client }
        return agreement.cipherSuite == self.suiteFacts.suites.first ? .server : .unknown
    }
}

// MARK: - As the server lists them

extension TLS13Search {
    /// Whether the server is of a kind that lists its groups, and has many of them: OpenSSL goes by the client's order of
    /// suites by default, and has groups that few others have.
    private var mayHaveList: Bool {
        guard self.client != nil, self.groupsAreOpen, !self.hasAskedForList, !self.groupFacts.groups.isEmpty
        else { return false }
        return self.suiteFacts.order == .client
            || self.groupFacts.groups.contains { $0 == .x448 || $0.kind == .finiteField }
    }

    /// Takes the server's list where samples come out as it says, and everything else is refused; where one does not, each
    /// group is asked for.
    private mutating func searchAsListed() async {
        self.hasAskedForList = true
        guard let client, let favorite = self.groupFacts.groups.first,
            !(await self.session.tolerance.requiresKeyShare),
            let list = await self.session.declaredGroups(besides: favorite, client.offers.ats),
            let choice = await self.choice(of: list.sample), let groups = list.groups(shownBy: choice),
            groups.starts(with: self.groupFacts.groups)
        else { return }
        if let last = list.unsampled(after: choice) {
            guard await self.ask(self.suiteFacts.suites, [last]).agreement?.group == last else { return }
        }
        let others = list.others(of: self.session.everything.groupsInTLS13)
        guard !others.isEmpty, case .refused = await self.ask(self.turned ?? self.suiteFacts.suites, others) else {
            return
        }
        self.groupFacts.groups = groups
        self.closeGroups()
    }

    /// The choice of some groups that the server has, by its own word. Where suites are still looked for, the same question
    /// finds one more.
    private mutating func choice(of groups: [NamedGroup]) async -> NamedGroup? {
        if self.suitesAreOpen {
            switch await self.ask(self.suites, groups) {
            case .agreed(let agreement):
                self.noteSuite(of: agreement)
                return agreement.group
            case .refused: break
            case .unknown: return nil
            }
        }
        // Either no suite of what is left is taken, or no group: with a suite that is, the same groups tell.
        guard let agreement = await self.ask(self.turned ?? self.suiteFacts.suites, groups).agreement else {
            return nil
        }
        if self.suitesAreOpen { self.closeSuites() }
        self.noteOrder(of: agreement)
        return agreement.group
    }
}
