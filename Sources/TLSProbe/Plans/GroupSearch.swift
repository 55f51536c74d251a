//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSParameters

/// Finds the curves that a server of TLS 1.2 or older uses: together with its suites where that does no harm, and by
/// themselves after that.
struct GroupSearch {
    /// Whether offers for suites leave out the groups that were found.
    var isCombined = false
    private let interview: Interview
    private var facts: GroupFacts
    private var left = NamedGroup.offeredBeforeTLS13

    init(_ interview: Interview, version: TLSProtocolVersion) {
        self.interview = interview
        self.facts = GroupFacts(version)
    }

    /// Notes the group of an agreement.
    mutating func note(_ agreement: Agreement) {
        guard let group = agreement.group, group.kind == .ellipticCurve, !self.facts.groups.contains(group) else {
            return
        }
        self.facts.groups.append(group)
        self.left.removeAll { $0 == group }
    }

    /// Asks about suites, with the groups that are left where that is safe.
    ///
    /// When the answer has no curve although suites with one were on offer, either no curve is left or no such suite: the
    /// same question with all groups tells.
    mutating func ask(_ offer: ProbeOffer) async -> ProbeAnswer {
        guard self.isCombined, !self.left.isEmpty, offer.hasExtensions else { return await self.interview.ask(offer) }
        var narrow = offer
        narrow.groups = self.left
        let answer = await self.interview.ask(narrow)
        guard offer.cipherSuites.contains(where: { $0.keyExchange == .ecdhe }), self.isNarrowed else { return answer }
        switch answer {
        case .agreed(let agreement) where agreement.cipherSuite.keyExchange == .ecdhe: return answer
        case .unknown: return answer
        case .agreed, .refused: return await self.askAgain(offer, answer)
        }
    }

    private var isNarrowed: Bool { self.left.count < NamedGroup.offeredBeforeTLS13.count }

    private mutating func askAgain(_ offer: ProbeOffer, _ narrow: ProbeAnswer) async -> ProbeAnswer {
        self.isCombined = false
        let wide = await self.interview.ask(offer)
        // With all groups a curve is used again: so none of those that are left is.
        if let agreement = wide.agreement, agreement.cipherSuite.keyExchange == .ecdhe { self.facts.isComplete = true }
        return wide
    }

    /// Asks for what is still open.
    ///
    /// - Parameter suites: The suites that the server uses.
    mutating func finish(_ suites: [CipherSuite]) async -> GroupFacts? {
        let onCurves = suites.filter { $0.keyExchange == .ecdhe }
        // With an RSA certificate no curve has to be kept for the certificate's key.
        let withRSA = onCurves.filter { $0.authentication == .rsa }
        let asked = withRSA.isEmpty ? onCurves : withRSA
        guard !asked.isEmpty else { return nil }
        while !self.facts.isComplete, !self.left.isEmpty {
            var offer = await self.interview.offer([self.facts.version], asked)
            offer.groups = self.left
            switch await self.interview.ask(offer) {
            case .agreed(let agreement):
                guard let group = agreement.group, self.left.contains(group) else { return self.facts }
                self.note(agreement)
            // Where the certificate's own curve is not on offer, refusing it says nothing about the others.
            case .refused where withRSA.isEmpty: return self.facts
            case .refused: self.facts.isComplete = true
            case .unknown(let failure):
                self.facts.failure = failure
                return self.facts
            }
        }
        self.facts.isComplete = true
        return self.facts
    }
}
