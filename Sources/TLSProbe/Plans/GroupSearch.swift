//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A search for the curves of a server in TLS 1.2 or older. It is combined with the search for suites if that is safe, and
/// continues on its own after it.
struct GroupSearch {
    /// `true` if offers of suites leave out the groups already found.
    var isCombined = false
    /// The curve of a certificate's key, which offers of suites must contain, or `nil` if no certificate has one.
    var certificateCurve: NamedGroup?
    /// `true` if the server chose the certificate's curve before all remaining groups.
    private var metCertificateCurve = false
    /// `true` if the server was seen to use none of the remaining groups, provided that it follows the client's order.
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

    mutating func note(_ agreement: Agreement) {
        guard let group = agreement.group, group.kind == .ellipticCurve, !self.facts.groups.contains(group) else {
            return
        }
        self.facts.groups.append(group)
        self.left.removeAll { $0 == group }
    }

    /// Offers suites, with only the remaining groups if that is safe.
    ///
    /// If the answer has no curve although suites with curves were offered, either no curve is left or no such suite. The same
    /// offer with all groups decides it.
    mutating func ask(_ offer: ProbeOffer) async -> ProbeAnswer {
        guard self.isCombined, !self.left.isEmpty, offer.hasExtensions else { return await self.session.ask(offer) }
        var narrow = offer
        narrow.groups = self.left + self.keptCurve
        let answer = await self.session.ask(narrow)
        guard offer.cipherSuites.contains(where: { $0.keyExchange == .ecdhe }), self.isNarrowed else { return answer }
        switch answer {
        case .agreed(let agreement) where agreement.cipherSuite.keyExchange == .ecdhe:
            // The certificate's curve was chosen before others. The others are searched for separately.
            if let group = agreement.group, !self.left.contains(group) {
                self.isCombined = false
                self.metCertificateCurve = true
            }
            return answer
        case .unknown: return answer
        case .agreed, .refused: return await self.askAgain(offer, answer)
        }
    }

    /// Offers the remaining groups together with the remaining suites, to find the end of both at once.
    ///
    /// Known suites that need a curve, but no certificate on one, come first. The search is possible once the server chose the
    /// certificate's own curve before the remaining groups. If it now chooses another suite, it uses none of these groups. That
    /// conclusion counts only if the server turns out to follow the client's order.
    ///
    /// - Parameters:
    ///   - suites: The suites that are left.
    ///   - facts: The suites found so far.
    /// - Returns: A suite found by this offer.
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
        // With all groups the server uses a curve again, so it uses none of the remaining ones.
        if let agreement = wide.agreement, agreement.cipherSuite.keyExchange == .ecdhe { self.facts.isComplete = true }
        return wide
    }

    /// Completes the search.
    ///
    /// - Parameter suites: The suites of the server, and the side that determines their order.
    mutating func finish(_ suites: CipherSuiteFacts) async -> GroupFacts? {
        let onCurves = suites.suites.filter { $0.keyExchange == .ecdhe }
        guard !onCurves.isEmpty else { return nil }
        // Without a certificate on a curve, no curve must be kept for the certificate's key.
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

    /// Searches for curves if every certificate is on a curve, which must then stay in the offer, after all others.
    ///
    /// A server that follows the client's order shows all its curves. A server with its own order shows those that it prefers to
    /// the certificate's.
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
    /// Finds the curve of a certificate's key, or returns `nil` for other keys and curves.
    ///
    /// It searches for the identifiers of an ECDSA key and its curve in sequence (RFC 5480 §2.1.1). The result is a hint for the
    /// next offer and never part of a verdict.
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
