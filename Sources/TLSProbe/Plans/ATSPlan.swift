//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSWire

/// The plan that finds the facts for App Transport Security's verdict with any Info.plist.
///
/// It takes at most seven connections, unless some must be repeated. A real handshake comes first. In TLS 1.3 every Info.plist
/// leads to the same answer, and the chain is visible only to a client with keys. In any version the handshake proves that the
/// server holds its key.
struct ATSPlan {
    /// The number of connections that suffice.
    private static let connections = 7

    private let session: ProbeSession
    private let offers: ClientOffers

    init(_ session: ProbeSession, _ offers: ClientOffers) {
        self.session = session
        self.offers = offers
    }

    func run(_ facts: inout ServerFacts) async {
        let result = await self.session.clientHandshake(self.offers)
        facts.handshake = HandshakeFact(result)
        if let selection = await self.session.selection(.everything, result) { facts.selections.append(selection) }
        if let failure = result.failure, failure.isBelowTLS {
            facts.failure = failure
            return
        }
        guard await self.newest(result, &facts) else { return }
        await self.settle(result, &facts)
        await self.otherGroups(result, &facts)
        let old = facts.selections.first { $0.version <= .tls11 }
        async let older = self.older(old)
        if old == nil { await self.tls12(&facts) } else { facts.versions.append(VersionFact(.tls12, .refused(old))) }
        let (versions, selections) = await older
        facts.versions += versions
        facts.selections += selections
        await self.showCertificate(facts)
        let left = Self.connections - (await self.session.effort.connections)
        await KeyPossessionCheck(session: self.session, client: self.offers.ats, limit: min(2, left)).run(facts)
    }

    /// Finds the answer to TLS 1.3 from the handshake, or else from App Transport Security's own offer. Returns `false` if the
    /// server gave no clear answer.
    private func newest(_ result: HandshakeResult, _ facts: inout ServerFacts) async -> Bool {
        if let version = result.version {
            let support = version >= .tls13 ? VersionFact.Support.supported : .refused(.otherVersion(version))
            facts.versions.append(VersionFact(.tls13, support))
            return true
        }
        let client = self.offers.ats
        let suites = CipherSuite.offeredInTLS13 + client.cipherSuites
        switch await self.session.ask(await self.session.offer([.tls13, .tls12], suites).made(by: client)) {
        case .agreed(let agreement):
            facts.selections.append(await self.session.selection(.ats, agreement))
            let isNew = agreement.version >= .tls13
            facts.versions.append(VersionFact(.tls13, isNew ? .supported : .refused(.otherVersion(agreement.version))))
        case .refused(let refusal): facts.versions.append(VersionFact(.tls13, .refused(refusal)))
        case .unknown(let failure): return await self.withoutTLS13(failure, &facts)
        }
        return true
    }

    /// Offers TLS 1.2 alone to a server that gave no answer to TLS 1.3.
    ///
    /// A server should ignore an offer of TLS 1.3 that it does not support (RFC 8446 §D.2). The answer to TLS 1.2 decides what the
    /// silence meant. Returns `false` if there is no answer.
    private func withoutTLS13(_ failure: ConnectionFailure, _ facts: inout ServerFacts) async -> Bool {
        let client = self.offers.ats
        let older = await self.session.offer([.tls12], client.cipherSuites).made(by: client)
        guard failure.isSilence, let agreement = await self.session.agreement(on: older) else {
            return await self.withOtherHello(failure, &facts)
        }
        facts.selections.append(await self.session.selection(.atsTLS12, agreement))
        let newer = await self.session.offer([.tls13, .tls12], CipherSuite.offeredInTLS13 + client.cipherSuites)
        switch await self.session.ask(newer.made(by: client)) {
        case .agreed(let agreement):
            facts.selections.append(await self.session.selection(.ats, agreement))
            let isNew = agreement.version >= .tls13
            facts.versions.append(VersionFact(.tls13, isNew ? .supported : .refused(.otherVersion(agreement.version))))
        case .refused(let refusal):
            facts.versions.append(VersionFact(.tls13, .refused(refusal)))
            await self.session.remember(.intolerantOfNewVersions)
        case .unknown(let failure): facts.versions.append(VersionFact(.tls13, .unknown(failure)))
        }
        return true
    }

    /// Offers the same without requests for features, and then with more groups, to a server that gave no answer to a hello of the
    /// client. Returns `false` if there is no answer.
    private func withOtherHello(_ failure: ConnectionFailure, _ facts: inout ServerFacts) async -> Bool {
        let suites = CipherSuite.offeredInTLS13 + self.offers.ats.cipherSuites
        let everything = await self.session.offer([.tls13, .tls12], suites)
        var bare = everything.made(by: self.offers.ats)
        bare.offersFeatures = false
        if failure.isSilence, let agreement = await self.session.agreement(on: bare) {
            await self.session.adopt(ServerTolerance(acceptsFeatures: false))
            facts.selections.append(await self.session.selection(.ats, agreement))
            let isNew = agreement.version >= .tls13
            facts.versions.append(VersionFact(.tls13, isNew ? .supported : .refused(.otherVersion(agreement.version))))
            return true
        }
        // A server that has none of the client's groups may answer with an alert that names no cause.
        guard failure.isSilence, await self.session.agreement(on: everything) != nil,
            case .refused(let refusal) = await self.session.ask(everything.made(by: self.offers.ats))
        else {
            facts.failure = failure
            return false
        }
        facts.versions.append(VersionFact(.tls13, .refused(refusal)))
        return true
    }

    /// Repeats the handshake with other hellos, now that the server has answered, in case the length or another part was the
    /// problem.
    private func settle(_ result: HandshakeResult, _ facts: inout ServerFacts) async {
        guard result.version == nil else { return }
        var settled = await self.session.settled(result, self.offers)
        let acceptsOffer = facts.selections.contains { $0.offer == .ats || $0.offer == .atsTLS12 }
        if settled.version == nil, acceptsOffer {
            settled = await self.session.withoutRefusedPart(settled, self.offers) ?? settled
        }
        guard let selection = await self.session.selection(.everything, settled) else { return }
        facts.handshake = HandshakeFact(settled)
        facts.selections.append(selection)
    }

    /// Offers other groups to a server that chose a hybrid one. Releases of the client before 2025 have no hybrid groups.
    private func otherGroups(_ result: HandshakeResult, _ facts: inout ServerFacts) async {
        guard let group = result.group, group.kind == .hybrid else { return }
        var offer = await self.session.offer([.tls13], CipherSuite.offeredInTLS13).made(by: self.offers.ats)
        offer.groups = self.offers.ats.groupsBeforeTLS13
        switch await self.session.ask(offer) {
        case .agreed(let agreement): facts.selections.append(await self.session.selection(.ats, agreement))
        case .refused: facts.groups.append(GroupFacts(.tls13, [group], isComplete: true))
        case .unknown(let failure): facts.groups.append(GroupFacts(.tls13, [group], failure: failure))
        }
    }
}

// MARK: - TLS 1.2

extension ATSPlan {
    private func tls12(_ facts: inout ServerFacts) async {
        var support = VersionFact.Support.unknown(.cancelled)
        for (offer, suites) in self.tls12Offers where self.isOpen(offer, facts) {
            // Once another offer was accepted, only the suites of App Transport Security are open: the server may accept them with
            // other groups or signature schemes.
            let open = self.hasTLS12(facts) && offer == .everything ? suites.filter(self.isOfATS) : suites
            let hello = await self.session.offer([.tls12], open)
            // The last offer goes beyond Apple's systems and has all groups and signature schemes.
            switch await self.session.ask(offer == .everything ? hello : hello.made(by: self.offers[offer])) {
            // The server refused Apple's systems this suite because of their groups or signature schemes. If it refused them all
            // other suites, too, the answer only serves to show the certificate.
            case .agreed(let agreement)
            where offer == .everything && self.isOfATS(agreement.cipherSuite) && !self.hasTLS12(facts): break
            case .agreed(let agreement):
                facts.selections.append(await self.session.selection(offer, agreement))
                support = .supported
            case .refused(let refusal):
                facts.refusedOffers.append(offer)
                if support != .supported { support = .refused(refusal) }
            case .unknown(let failure):
                if support != .supported { support = .unknown(failure) }
                facts.unclearOffers.append(offer)
            }
        }
        if self.hasTLS12(facts) { support = .supported }
        facts.versions.append(VersionFact(.tls12, support))
    }

    /// The offers of TLS 1.2 in an order in which most servers need only the first.
    private var tls12Offers: [(ServerSelection.Offer, [CipherSuite])] {
        let everything = CipherSuite.offered(in: .tls12)
        let (ats, compatible) = (self.offers.ats.cipherSuites, self.offers.compatible.cipherSuites)
        return [
            (.atsTLS12, ats), (.fcp, self.offers.fcp.cipherSuites), (.compatible, compatible),
            (.everything, everything.filter { ats.contains($0) || !compatible.contains($0) }),
        ]
    }

    private func isOfATS(_ suite: CipherSuite) -> Bool { self.offers.ats.cipherSuites.contains(suite) }

    private func hasTLS12(_ facts: ServerFacts) -> Bool { facts.selections.contains { $0.version == .tls12 } }

    /// Makes a server show its certificate after it refused every offer with an alert, if it speaks only TLS 1.3. The kind of its
    /// key may be the reason for the refusals. In older versions the hellos have shown the certificate.
    private func showCertificate(_ facts: ServerFacts) async {
        guard case .failed(.alert)? = facts.handshake, facts.selections.isEmpty,
            await self.session.notes.chains.isEmpty, await self.session.effort.connections < Self.connections
        else { return }
        _ = await self.session.handshake(.toSeeCertificate)
    }

    private func isOpen(_ offer: ServerSelection.Offer, _ facts: ServerFacts) -> Bool {
        let chosen = facts.selections.filter { $0.version == .tls12 }
        return switch offer {
        case .fcp:
            chosen.contains { self.offers.ats.cipherSuites.contains($0.cipherSuite) }
                && !chosen.contains { $0.isSure(with: self.offers.fcp) }
        // A suite outside both lists, chosen from everything, does not show the choice from these lists.
        case .compatible:
            !chosen.contains {
                self.offers.ats.cipherSuites.contains($0.cipherSuite)
                    || self.offers.compatible.cipherSuites.contains($0.cipherSuite)
            }
        // A server may have forward secrecy only with groups or signature schemes that Apple's systems do not offer.
        case .everything: facts.refusedOffers.contains(.atsTLS12) || chosen.isEmpty
        // After an incomplete handshake, only a hello can show a request for a client certificate.
        default: !chosen.contains { self.offers.ats.cipherSuites.contains($0.cipherSuite) && $0.isComplete }
        }
    }
}

// MARK: - Before TLS 1.2

extension ATSPlan {
    /// Finds the answers to TLS 1.1 and 1.0. A server that supports neither may refuse both at the first offer, because an offer
    /// covers its version and all older ones (RFC 5246 §E.1).
    private func older(_ known: ServerSelection?) async -> ([VersionFact], [ServerSelection]) {
        var versions: [VersionFact] = []
        var selections: [ServerSelection] = []
        for (version, name) in [(TLSProtocolVersion.tls11, ServerSelection.Offer.tls11), (.tls10, .tls10)] {
            if let answered = (selections + [known].compactMap(\.self)).first(where: { $0.version == version }) {
                versions.append(VersionFact(answered.version, .supported))
                continue
            }
            if let known, known.version < version {
                versions.append(VersionFact(version, .refused(.otherVersion(known.version))))
                continue
            }
            let offered: [TLSProtocolVersion] = version == .tls11 ? [.tls11, .tls10] : [.tls10]
            switch await self.session.ask(await self.session.offer(offered, CipherSuite.offered(in: version))) {
            case .agreed(let agreement):
                selections.append(await self.session.selection(name, agreement))
                versions.append(
                    VersionFact(
                        version, agreement.version == version ? .supported : .refused(.otherVersion(agreement.version)))
                )
            case .refused(let refusal):
                versions.append(VersionFact(version, .refused(refusal)))
                if version == .tls11, refusal.isOfVersion {
                    versions.append(VersionFact(.tls10, .refused(refusal)))
                    return (versions, selections)
                }
            case .unknown(let failure): versions.append(VersionFact(version, .unknown(failure)))
            }
        }
        return (versions, selections)
    }
}

extension ServerSelection {
    /// Returns `true` if the server certainly accepts a client's offer: the offer has the suite and the signature scheme.
    fileprivate func isSure(with client: ClientOffer) -> Bool {
        client.cipherSuites.contains(self.cipherSuite)
            && self.signatureScheme.map(client.signatureSchemes.contains) == true
    }
}

extension VersionFact.Support {
    fileprivate static func refused(_ instead: ServerSelection?) -> Self {
        instead.map { .refused(.otherVersion($0.version)) } ?? .supported
    }
}

extension CipherSuite {
    fileprivate static let widelyUsed = offered(in: .tls12).filter(\.isWidelyUsed)

    /// `true` if today's clients offer the suite: those with keys on curves and AES, and those with Triple DES.
    private var isWidelyUsed: Bool {
        if [0xC008, 0xC012, 0x000A].contains(self.rawValue) { return true }
        return self.keyExchange == .ecdhe && [.rsa, .ecdsa].contains(self.authentication)
            && [.aesGCM, .aesCBC].contains(self.protection)
    }
}

extension HandshakeOffer {
    /// TLS 1.3 with all signature schemes, so that a server with any kind of key shows its certificate. A signature that cannot be
    /// verified proves nothing.
    static let toSeeCertificate: HandshakeOffer = {
        var offer = HandshakeOffer()
        (offer.minimumVersion, offer.maximumVersion) = (.tls13, .tls13)
        offer.signatureSchemes = SignatureScheme.offered
        return offer
    }()

    /// Creates an offer of everything, with the suites of App Transport Security first.
    package init(everythingAfter offers: ClientOffers) {
        self.init()
        let first = offers.whole ?? (offers.ats.cipherSuites + offers.compatible.cipherSuites)
        // A server that refuses these groups and signature schemes refuses the client.
        self.groups = offers.ats.groups
        self.signatureSchemes = offers.ats.signatureSchemes
        self.form = offers.form
        self.cipherSuites = first + CipherSuite.widelyUsed.filter { !first.contains($0) }
    }
}
