//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The plan that finds the versions, suites, groups, chains and features of a server, in about as many connections as it has
/// suites.
struct StandardPlan {
    private let session: ProbeSession
    private let offers: ClientOffers
    /// `true` to offer every suite of each version, even if samples would suffice.
    private let isThorough: Bool

    init(_ session: ProbeSession, _ offers: ClientOffers, isThorough: Bool = false) {
        self.session = session
        self.offers = offers
        self.isThorough = isThorough
    }

    func run(_ facts: inout ServerFacts) async {
        let answer = await InitialProbe(session: self.session).make()
        if case .unknown(let failure) = answer {
            facts.failure = failure
            return
        }
        let seed = answer.agreement
        if let seed { facts.selections.append(await self.session.selection(.everything, seed)) }
        async let old = self.old(seed)
        let result = await self.session.clientHandshake(self.offers, signsNothing: seed?.signsNothing == true)
        let tls13 = await self.tls13(seed, result)
        facts.handshake = HandshakeFact(result)
        if let selection = await self.session.selection(.everything, result) { facts.selections.append(selection) }
        await self.add(await self.confirmed(tls13, result), .tls13, to: &facts)
        for (version, findings) in await old { await self.add(findings, version, to: &facts) }
        await self.settle(result, &facts)
        await self.finish(&facts)
    }

    /// Finds the part of the client's own hello at which a server fails that accepts its offer in another hello.
    private func settle(_ result: HandshakeResult, _ facts: inout ServerFacts) async {
        guard result.version == nil, await self.session.notes.shows(self.offers.ats),
            let settled = await self.session.withoutRefusedPart(result, self.offers),
            let selection = await self.session.selection(.everything, settled)
        else { return }
        facts.handshake = HandshakeFact(settled)
        facts.selections.append(selection)
    }

    private func add(
        _ findings: SuiteSearch.Findings, _ version: TLSProtocolVersion, to facts: inout ServerFacts
    ) async {
        facts.versions.append(VersionFact(version, findings.support))
        if let suites = findings.suites { facts.cipherSuites.append(suites) }
        guard var groups = findings.groups else { return }
        if version < .tls13 { groups.primeSizes = await self.session.notes.primeSizes.sorted() }
        facts.groups.append(groups)
    }
}

// MARK: - Versions

extension StandardPlan {
    private func tls13(_ seed: Agreement?, _ result: HandshakeResult) async -> SuiteSearch.Findings {
        if let seed, seed.offer.versions.contains(.tls13), seed.version < .tls13 {
            return SuiteSearch.Findings(support: .refused(.otherVersion(seed.version)))
        }
        var search = TLS13Search(
            self.session, seed: seed?.version == .tls13 ? seed : nil, isThorough: self.isThorough)
        if !self.isThorough { search.client = (self.offers, result) }
        return await search.run()
    }

    /// Resolves a contradiction between a handshake in TLS 1.3 and findings that the server does not support it. Such a server
    /// requires a key share.
    private func confirmed(_ findings: SuiteSearch.Findings, _ result: HandshakeResult) async -> SuiteSearch.Findings {
        guard findings.support != .supported, result.version == .tls13 else { return findings }
        let before = await self.session.tolerance
        var tolerance = before
        tolerance.requiresKeyShare = true
        await self.session.adopt(tolerance)
        var search = TLS13Search(self.session, seed: nil, isThorough: self.isThorough)
        let again = await search.run()
        guard again.support == .supported else {
            await self.session.adopt(before)
            return SuiteSearch.Findings(support: .supported)
        }
        await self.session.remember(.needsKeyShare)
        return again
    }

    private func tls12(_ seed: Agreement?) async -> SuiteSearch.Findings {
        if let seed, seed.version < .tls12, seed.offer.versions.contains(.tls12) {
            return SuiteSearch.Findings(support: .refused(.otherVersion(seed.version)))
        }
        return await SuiteSearch(
            session: self.session, version: .tls12, seed: seed?.version == .tls12 ? seed : nil, findsGroups: true,
            isThorough: self.isThorough
        ).run()
    }

    private func old(_ seed: Agreement?) async -> [(TLSProtocolVersion, SuiteSearch.Findings)] {
        guard !self.isThorough else {
            async let tls12 = self.tls12(seed)
            async let older = self.older(seed, known: nil)
            return [(.tls12, await tls12)] + (await older)
        }
        await self.askAhead(.tls11, seed)
        let tls12 = await self.tls12(seed)
        return [(.tls12, tls12)] + (await self.older(seed, known: tls12.suites))
    }

    /// Offers an old version before the suites of TLS 1.2, which then show that the server still answers. If offers must be small,
    /// the version does not fit into a single one.
    private func askAhead(_ version: TLSProtocolVersion, _ seed: Agreement?) async {
        guard let seed, seed.version >= .tls12, await self.session.tolerance.maximumCipherSuites == nil else { return }
        let search = SuiteSearch(session: self.session, version: version)
        await self.session.askAhead(await search.firstOffer(CipherSuite.offered(in: version)))
    }

    /// Searches the versions before TLS 1.2.
    ///
    /// A server that refuses TLS 1.1 by its version supports no older one, because an offer covers its version and all older ones
    /// (RFC 5246 §E.1). This requires that the server was seen to support TLS 1.2, and so knows these version numbers. Other alerts
    /// may concern other parts of the offer.
    private func older(
        _ seed: Agreement?, known: CipherSuiteFacts?
    ) async -> [(TLSProtocolVersion, SuiteSearch.Findings)] {
        var known = known
        var found: [(TLSProtocolVersion, SuiteSearch.Findings)] = []
        var refusal: ProbeRefusal?
        let isModern = seed.map { $0.version >= .tls12 } ?? false
        for version in [TLSProtocolVersion.tls11, .tls10, .ssl30] {
            if let refusal, isModern {
                found.append((version, SuiteSearch.Findings(support: .refused(refusal))))
                continue
            }
            let findings = await self.search(
                version, seed, hasGroups: found.contains { $0.1.groups != nil }, known: self.isThorough ? nil : known)
            known = known ?? findings.suites
            if version == .tls11, case .refused(let answer) = findings.support, answer.isOfVersion { refusal = answer }
            found.append((version, findings))
        }
        return found
    }

    private func search(
        _ version: TLSProtocolVersion, _ seed: Agreement?, hasGroups: Bool, known: CipherSuiteFacts?
    ) async -> SuiteSearch.Findings {
        if let seed, seed.version < version {
            return SuiteSearch.Findings(support: .refused(.otherVersion(seed.version)))
        }
        let isNewest = seed.map { $0.version < .tls12 } ?? false
        return await SuiteSearch(
            session: self.session, version: version, seed: seed?.version == version ? seed : nil,
            findsGroups: isNewest && !hasGroups && version > .ssl30, known: version > .ssl30 ? known : nil,
            isThorough: self.isThorough
        ).run()
    }
}

// MARK: - What is left

extension StandardPlan {
    private func finish(_ facts: inout ServerFacts) async {
        let supported = facts.supportedVersions
        if supported.count > 1 { await self.fallback(supported[1], facts) }
        if facts.support(of: .tls13) == .supported, facts.support(of: .tls12) == .supported {
            await self.session.learn { $0.downgradeSentinel = $0.downgradeSentinel ?? false }
        } else {
            // Without a newer version there is no downgrade to warn of.
            await self.session.learn { $0.downgradeSentinel = nil }
        }
        if supported == [.tls13] { await self.otherChain(&facts) }
        await self.refusedChain(facts)
        if supported.contains(.tls12) { await self.clientOffers(&facts) }
        await KeyPossessionCheck(session: self.session, client: self.offers.ats).run(facts)
    }

    /// Checks that the clients get the suites found in wider offers, with their own groups and signature schemes. Often an earlier
    /// choice of the server shows it, and no offer is needed.
    private func clientOffers(_ facts: inout ServerFacts) async {
        for (offer, client) in [(ServerSelection.Offer.atsTLS12, self.offers.ats), (.fcp, self.offers.fcp)] {
            let found = facts.cipherSuites(of: .tls12)
            if let found, found.isComplete, !found.suites.contains(where: client.cipherSuites.contains) { continue }
            guard await !self.session.notes.shows(client) else { continue }
            let hello = await self.session.offer([.tls12], client.cipherSuites).made(by: client)
            switch await self.session.ask(hello) {
            case .agreed(let agreement): facts.selections.append(await self.session.selection(offer, agreement))
            case .refused: facts.refusedOffers.append(offer)
            case .unknown: facts.unclearOffers.append(offer)
            }
        }
    }

    /// Checks for protection against a fallback (RFC 7507): offers the second newest version as if the newest had failed.
    private func fallback(_ version: TLSProtocolVersion, _ facts: ServerFacts) async {
        guard let suites = facts.cipherSuites(of: version)?.suites, !suites.isEmpty else { return }
        var offer = await self.session.offer([version], suites)
        offer.isFallback = true
        switch await self.session.ask(offer) {
        case .agreed: await self.session.learn { $0.fallbackSCSV = false }
        case .refused(.alert(let alert)) where alert.rawValue == 86:
            await self.session.learn { $0.fallbackSCSV = true }
        case .refused, .unknown: break
        }
    }

    /// Fetches the chain of a server that refuses the client and shows no chain in the clear. The kind of its key may be the
    /// reason.
    private func refusedChain(_ facts: ServerFacts) async {
        guard case .failed(.alert) = facts.handshake, facts.supportedVersions == [.tls13],
            await self.session.notes.chains.isEmpty
        else { return }
        _ = await self.session.handshake(.toSeeCertificate)
    }

    /// Fetches the chain of the other kind of key. In TLS 1.3 the offered signature schemes select it.
    private func otherChain(_ facts: inout ServerFacts) async {
        guard facts.handshake == .completed else { return }
        let client = self.offers.ats
        for schemes in [client.signatureSchemes.filter(\.isRSA), client.signatureSchemes.filter { !$0.isRSA }] {
            var offer = HandshakeOffer()
            offer.groups = client.groupsBeforeTLS13
            offer.minimumVersion = .tls13
            offer.signatureSchemes = schemes.filter { !$0.usesSHA1 }
            let before = await self.session.notes.chains.count
            let result = await self.session.handshake(offer)
            if await self.session.notes.chains.count > before,
                let selection = await self.session.selection(.everything, result)
            {
                facts.selections.append(selection)
                return
            }
        }
    }
}

extension SignatureScheme {
    fileprivate var isRSA: Bool { self.signatureKind == .rsaPKCS1 || self.signatureKind == .rsaPSS }
}
