//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension SuiteSearch {
    /// Puts the suites into the order in which the server chooses them, where they were found in several offers: those that
    /// are known to be taken are offered together, again one after the other.
    func rank(_ facts: inout CipherSuiteFacts) async {
        guard let size = await self.interview.manners.maximumSuites, facts.suites.count <= size else { return }
        var left = facts.suites
        var ranked: [CipherSuite] = []
        while left.count > 1 {
            let offer = await self.interview.offer([self.version], left.notLedByChaCha)
            guard let chosen = await self.interview.ask(offer).agreement?.cipherSuite else { return }
            ranked.append(chosen)
            left.removeAll { $0 == chosen }
        }
        facts.suites = ranked + left
    }

    /// Whose order it is: the same suites the other way round.
    func order(_ facts: CipherSuiteFacts) async -> CipherSuiteFacts.Order {
        guard facts.suites.count > 1, facts.failure == nil else { return .unknown }
        let size = await self.interview.manners.maximumSuites ?? facts.suites.count
        let reversed = Array(facts.suites.prefix(size).reversed()).notLedByChaCha
        guard let last = reversed.first, last != facts.suites[0] else { return .unknown }
        var offer = await self.interview.offer([self.version], reversed)
        offer.offersCompression = true
        let answer = await self.interview.ask(offer)
        if case .refused = answer { await self.interview.remember(.contradiction("\(facts.suites[0])")) }
        guard let chosen = answer.agreement?.cipherSuite else { return .unknown }
        if chosen == last { return .client }
        if chosen == facts.suites[0] { return .server }
        return await self.orderOfEquals(last)
    }

    /// Asks twice for what must be answered as before: for the suite found last alone, and for all that were found, of which a
    /// server with an order of its own takes the first. Machines that take turns behind one address can seem one until then.
    func verify(_ facts: CipherSuiteFacts) async {
        guard facts.suites.count > 1, facts.isComplete, let last = facts.suites.last else { return }
        if case .refused = await self.interview.ask(await self.interview.offer([self.version], [last])) {
            await self.interview.remember(.contradiction("\(last)"))
        }
        let size = await self.interview.manners.maximumSuites ?? facts.suites.count
        guard facts.order == .server, facts.suites.count <= size else { return }
        let all = await self.interview.offer([self.version], facts.suites.notLedByChaCha)
        guard let chosen = await self.interview.ask(all).agreement?.cipherSuite else { return }
        if chosen != facts.suites[0] { await self.interview.remember(.contradiction("\(facts.suites[0])")) }
    }

    /// Neither the client's favourite nor the server's was chosen: either the server has several suites that are the same
    /// to it, or another machine has answered, which may not even know what the client wants most.
    private func orderOfEquals(_ suite: CipherSuite) async -> CipherSuiteFacts.Order {
        switch await self.interview.ask(await self.interview.offer([self.version], [suite])) {
        case .agreed: return .server
        case .refused:
            await self.interview.remember(.contradiction("\(suite)"))
            return .unknown
        case .unknown: return .unknown
        }
    }
}
