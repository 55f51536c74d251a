//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A combined search for the suites and the groups of TLS 1.3.
///
/// A hello without a key makes the server request one, in a message in the clear that names one suite and one group (RFC 8446
/// §4.1.4, §4.2.8).
struct TLS13Search {
    let session: ProbeSession
    var seed: Agreement?
    var client: (offers: ClientOffers, result: HandshakeResult)?
    /// `true` if refusals must occur twice, in case machines with different settings share the address.
    var isThorough: Bool

    private var suites = CipherSuite.offeredInTLS13
    private var groups: [NamedGroup]
    private var suiteFacts = CipherSuiteFacts(.tls13)
    private var groupFacts = GroupFacts(.tls13)
    private var suitesAreOpen = true
    private var groupsAreOpen = true
    /// `true` after a handshake that makes the server list its groups.
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
            // An answer without a group leaves nothing to leave out of the next offer.
            case .agreed(let agreement) where agreement.group == nil:
                self.stop(.malformed(.unexpected("TLS 1.3 without a group")))
            case .agreed(let agreement): self.note(agreement)
            case .refused: await self.settleRefusal()
            case .unknown(let failure): self.stop(failure)
            }
        }
    }

    /// Offers the remaining suites and groups. In a thorough search a refusal must occur twice.
    private func next() async -> ProbeAnswer {
        let first = await self.ask(self.suites, self.groups)
        guard case .refused = first, self.isThorough else { return first }
        let second = await self.ask(self.suites, self.groups)
        if let agreement = second.agreement {
            await self.session.remember(.contradiction("\(agreement.cipherSuite)"))
        }
        return second
    }

    /// Offers one group after the other to servers that refuse instead of requesting a key, as far as a sample key exists.
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

    /// Records an agreement. A list that is complete is offered in full from then on, so that a refusal concerns the other list.
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
        // Offers for the remaining groups reveal the order of the suites at the same time.
        self.suites = self.turned ?? self.suiteFacts.suites
    }

    private mutating func closeGroups() {
        (self.groupFacts.isComplete, self.groupsAreOpen) = (true, false)
        self.groups = self.groupFacts.groups
    }

    /// Decides which list a refusal concerns: offers all known suites together with the remaining groups.
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

    /// Records one more suite from the client's handshake, if the server followed the client's order there. It then chose the
    /// client's favorite, although its own choice from everything was offered, too.
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

    private var turned: [CipherSuite]? {
        let suites = self.suiteFacts.suites
        guard suites.count > 1, let last = suites.last(where: { $0.protection != .chaCha20Poly1305 }), last != suites[0]
        else { return nil }
        return [last] + suites.filter { $0 != last }
    }

    /// Finds the side that determines the order by an offer of the turned suites.
    private func order() async -> CipherSuiteFacts.Order {
        guard let turned else { return .unknown }
        let answer = await self.ask(turned, self.groupFacts.groups)
        if case .refused = answer { await self.session.remember(.contradiction("\(self.suiteFacts.suites[0])")) }
        guard let agreement = answer.agreement else { return .unknown }
        let order = self.order(shownBy: agreement)
        guard order == .unknown else { return order }
        // Several suites may be equal to the server, or another machine answered. An offer of the client's favorite alone decides
        // it.
        switch await self.ask([turned[0]], self.groupFacts.groups) {
        case .agreed: return .server
        case .refused: await self.session.remember(.contradiction("\(turned[0])"))
        case .unknown: break
        }
        return .unknown
    }

    /// Returns the side with the favorite that was chosen from the turned suites, or `unknown` for any other choice.
    private func order(shownBy agreement: Agreement) -> CipherSuiteFacts.Order {
        if agreement.cipherSuite == agreement.offer.cipherSuites.first { return .client }
        return agreement.cipherSuite == self.suiteFacts.suites.first ? .server : .unknown
    }
}

// MARK: - As the server lists them

extension TLS13Search {
    /// `true` if the server may list many groups. OpenSSL lists them: by default it follows the client's order of suites, and it
    /// has groups that few other servers have.
    private var mayHaveList: Bool {
        guard self.client != nil, self.groupsAreOpen, !self.hasAskedForList, !self.groupFacts.groups.isEmpty
        else { return false }
        return self.suiteFacts.order == .client
            || self.groupFacts.groups.contains { $0 == .x448 || $0.kind == .finiteField }
    }

    /// Adopts the server's list of groups if samples confirm it and the server refuses all others. Otherwise each group is offered.
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

    /// Returns the server's choice from some groups of its own list. If suites are still open, the same offer finds one more.
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
        // The server accepts none of the remaining suites, or none of these groups. The same groups with a known suite decide it.
        guard let agreement = await self.ask(self.turned ?? self.suiteFacts.suites, groups).agreement else {
            return nil
        }
        if self.suitesAreOpen { self.closeSuites() }
        self.noteOrder(of: agreement)
        return agreement.group
    }
}
