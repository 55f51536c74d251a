//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// Finds the curves that a server of TLS 1.2 or older uses: together with its suites where that does no harm, and by
/// themselves after that.
struct GroupSearch {
    /// Whether offers for suites leave out the groups that were found.
    var isCombined = false
    /// The curve that a certificate's key is on, which offers of suites have to hold; `nil` where no certificate has one.
    var certificateCurve: NamedGroup?
    /// Whether the certificate's curve was chosen before all groups that are left.
    private var metCertificateCurve = false
    /// Whether a server was seen to use none of what is left, if it goes by the client's order.
    private var hasMetEnd = false
    private let session: ProbeSession
    private var facts: GroupFacts
    private let all: [NamedGroup]
    private var left: [NamedGroup]

    init(_ session: ProbeSession, version: TLSProtocolVersion) {
        self.session = session
        self.facts = GroupFacts(version)
        self.all = session.everything.groupsBeforeTLS13
        self.left = self.all
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
        guard self.isCombined, !self.left.isEmpty, offer.hasExtensions else { return await self.session.ask(offer) }
        var narrow = offer
        narrow.groups = self.left + self.keptCurve
        let answer = await self.session.ask(narrow)
        guard offer.cipherSuites.contains(where: { $0.keyExchange == .ecdhe }), self.isNarrowed else { return answer }
        switch answer {
        case .agreed(let agreement) where agreement.cipherSuite.keyExchange == .ecdhe:
            // Where the certificate's curve is chosen before others, these are looked for by themselves.
            if let group = agreement.group, !self.left.contains(group) {
                self.isCombined = false
                self.metCertificateCurve = true
            }
            return answer
        case .unknown: return answer
        case .agreed, .refused: return await self.askAgain(offer, answer)
        }
    }

    /// Asks whether any of the groups that are left is used, of a server that goes by the client's order, together with
    /// one suite more: those suites come first that need a curve but no certificate on one, and are known to be taken.
    ///
    /// It can be told once the certificate's own curve was chosen instead of those. A choice of another suite then says that
    /// no such curve is used; it counts only where it turns out in the end that the order was the client's.
    ///
    /// - Parameters:
    ///   - suites: The suites that are left.
    ///   - facts: The suites that were found.
    /// - Returns: The suite that was found on the way.
    mutating func close(beside suites: [CipherSuite], _ facts: CipherSuiteFacts) async -> CipherSuite? {
        let known = facts.suites.filter { $0.keyExchange == .ecdhe && $0.authentication != .ecdsa }
        guard self.metCertificateCurve, !known.isEmpty, !self.left.isEmpty else { return nil }
        let others = suites.filter { $0.keyExchange != .ecdhe }
        let answer = await self.ask(known.notLedByChaCha + others, self.left)
        self.metCertificateCurve = false
        switch answer {
        case .agreed(let agreement) where agreement.cipherSuite.keyExchange == .ecdhe:
            self.note(agreement)
            return nil
        case .agreed(let agreement):
            self.hasMetEnd = true
            return agreement.cipherSuite
        case .refused:
            self.hasMetEnd = true
            return nil
        case .unknown: return nil
        }
    }

    private var keptCurve: [NamedGroup] {
        [self.certificateCurve].compactMap(\.self).filter { !self.left.contains($0) }
    }

    private var isNarrowed: Bool { self.left.count < self.all.count }

    private mutating func askAgain(_ offer: ProbeOffer, _ narrow: ProbeAnswer) async -> ProbeAnswer {
        self.isCombined = false
        let wide = await self.session.ask(offer)
        // With all groups a curve is used again: so none of those that are left is.
        if let agreement = wide.agreement, agreement.cipherSuite.keyExchange == .ecdhe { self.facts.isComplete = true }
        return wide
    }

    /// Asks for what is still open.
    ///
    /// - Parameter suites: The suites that the server uses, and whose order decides.
    mutating func finish(_ suites: CipherSuiteFacts) async -> GroupFacts? {
        let onCurves = suites.suites.filter { $0.keyExchange == .ecdhe }
        guard !onCurves.isEmpty else { return nil }
        // Without a certificate on a curve, no curve has to be kept for the certificate's key.
        let free = onCurves.filter { $0.authentication != .ecdsa }
        if self.hasMetEnd, suites.order == .client { self.facts.isComplete = true }
        if self.facts.isComplete { return self.facts }
        if free.isEmpty { await self.searchBesideCertificate(onCurves, suites.order) } else { await self.search(free) }
        return self.facts
    }

    private mutating func search(_ suites: [CipherSuite]) async {
        while !self.left.isEmpty {
            switch await self.ask(suites, self.left) {
            case .agreed(let agreement) where agreement.group.map(self.left.contains) == true: self.note(agreement)
            case .agreed: return
            case .refused: self.left = []
            case .unknown(let failure):
                self.facts.failure = failure
                return
            }
        }
        self.facts.isComplete = true
    }

    /// With a certificate on a curve only, that curve has to be on offer, behind all others. A server that goes by the
    /// client's order then shows all it has; one that goes by its own shows those that it prefers to that curve.
    private mutating func searchBesideCertificate(_ suites: [CipherSuite], _ order: CipherSuiteFacts.Order) async {
        var curve = self.certificateCurve.flatMap { self.left.contains($0) ? nil : $0 }
        while !self.left.isEmpty {
            switch await self.ask(suites, self.left + [curve].compactMap(\.self)) {
            case .agreed(let agreement) where agreement.group.map(self.left.contains) == true: self.note(agreement)
            case .agreed:
                self.facts.isComplete = order == .client
                return
            case .refused where curve == nil: curve = self.facts.groups.last
            case .refused: return
            case .unknown(let failure):
                self.facts.failure = failure
                return
            }
            if curve == nil, self.facts.groups.isEmpty { return }
        }
    }

    private func ask(_ suites: [CipherSuite], _ groups: [NamedGroup]) async -> ProbeAnswer {
        var offer = await self.session.offer([self.facts.version], suites)
        offer.groups = groups
        return await self.session.ask(offer)
    }
}

extension NamedGroup {
    /// The curve that the key of a certificate is on; `nil` for other keys and curves.
    ///
    /// It is looked for as it stands in each such certificate: the identifiers of a key for ECDSA and of the curve, one behind
    /// the other (RFC 5480 §2.1.1). It is a hint for what to offer, and nothing is judged by it.
    init?(ofKeyIn certificate: [UInt8]) {
        let key: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let curves: [(NamedGroup, [UInt8])] = [
            (.secp256r1, [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]),
            (.secp384r1, [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]),
            (.secp521r1, [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]),
        ]
        guard let place = certificate.firstRange(of: key)?.upperBound,
            let curve = curves.first(where: { certificate[place...].starts(with: $0.1) })
        else { return nil }
        self = curve.0
    }
}
