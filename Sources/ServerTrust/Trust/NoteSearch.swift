//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Finds the facts about a chain that do not affect its verdict.
struct NoteSearch {
    let trust: Trust
    let result: TrustResult

    func notes() -> [TrustNote] {
        self.order() + self.fetching() + self.staple() + self.serialNumbers() + self.keyUsage() + self.lifetime()
            + self.publicLifetime() + self.timestamps() + self.leafForm() + self.crossCertificates() + self.ends()
            + self.comparison()
    }

    private var path: [Certificate] { self.result.path }
    private var isForServer: Bool { self.trust.policies.contains { $0.requirement.purpose == .server } }

    // MARK: What was sent

    private func order() -> [TrustNote] {
        // The use of lists and responses is left out: it costs signatures and makes no note.
        let items = self.result.certificateEvidence
        let positions = { (wanted: TrustEvidence.Needlessness) in
            items.filter { $0.use == .notNeeded(wanted) }.map(\.position)
        }
        var notes: [TrustNote] = []
        if let note = self.leafNotFirst() {
            // If the wrong certificate was evaluated, the other certificates' relation to it means nothing.
            return [note]
        }
        let sent = self.path.compactMap { self.trust.certificates.firstIndex(of: $0) }
        if sent != sent.sorted() { notes.append(TrustNote(.wrongOrder(sent))) }
        let strangers = self.strangers(among: positions(.stranger))
        if !strangers.isEmpty { notes.append(self.note(.strangers(strangers), about: strangers)) }
        let duplicates = positions(.duplicate)
        if !duplicates.isEmpty { notes.append(self.note(.duplicates(duplicates), about: duplicates)) }
        return notes
    }

    private func note(_ fact: TrustNote.Fact, about positions: [Int]) -> TrustNote {
        TrustNote(fact, subjects: positions.map { self.trust.certificates[$0].subjectSummary })
    }

    /// Leaves out issuers of certificates that were sent: servers send cross-certificates for older clients.
    private func strangers(among positions: [Int]) -> [Int] {
        guard !positions.isEmpty else { return [] }
        let issuers = Set((self.path + self.trust.certificates).filter { !$0.isSelfIssued }.map(\.issuer))
        return positions.filter { !issuers.contains(self.trust.certificates[$0].subject) }
    }

    private func leafNotFirst() -> TrustNote? {
        guard self.isForServer, let first = self.trust.certificates.first, first.isCertificateAuthority else {
            return nil
        }
        let authorities = Set(self.trust.certificates.map(\.subject))
        let leaf = self.trust.certificates.firstIndex { certificate in
            !certificate.isCertificateAuthority && !certificate.isSelfIssued && authorities.contains(certificate.issuer)
        }
        return leaf.map { TrustNote(.leafNotFirst(position: $0), about: first, at: 0) }
    }

    private func fetching() -> [TrustNote] {
        guard let top = self.path.last, self.result.anchorClass == nil, let url = top.view.issuerURLs.first,
            self.result.allReasons.contains(where: { $0.reason == .unknownIssuer })
        else { return [] }
        return [TrustNote(.issuerFetchable(url: url), about: top, at: self.path.count - 1)]
    }

    // MARK: The server's certificate

    /// Returns a note about a stapled response that does not count, or about a promised one that is missing. A reason names it
    /// instead if the server is refused for it.
    private func staple() -> [TrustNote] {
        // Nothing can revoke a certificate that is trusted by itself.
        guard self.isForServer, self.path.count > 1, let leaf = self.path.first,
            !self.result.allReasons.contains(where: { ["must-staple", "revocation-unknown"].contains($0.code) })
        else { return [] }
        let items = self.result.stapleEvidence
        if !items.contains(where: \.isUsed), let item = items.first(where: \.isUselessStaple) {
            return [TrustNote(.stapleUnusable(item), about: leaf, at: 0)]
        }
        guard items.isEmpty, leaf.view.promisesStapledResponse else { return [] }
        return [TrustNote(.stapleMissing, about: leaf, at: 0)]
    }

    private func keyUsage() -> [TrustNote] {
        guard self.isForServer, let leaf = self.path.first, !leaf.isCertificateAuthority,
            let usage = leaf.view.keyUsage,
            !usage.contains(.digitalSignature),
            !self.result.allReasons.contains(where: { $0.code == "key-usage" && $0.certificateIndex == 0 })
        else { return [] }
        return [TrustNote(.keyUsage(usage), about: leaf, at: 0)]
    }

    /// Returns a note about a long lifetime. Below system roots the profile already refuses it.
    private func lifetime() -> [TrustNote] {
        guard self.isForServer, let leaf = self.path.first, self.result.anchorClass != .system, !leaf.isSelfIssued,
            !self.result.allReasons.contains(where: { $0.code == "lifetime-too-long" })
        else { return [] }
        let seconds = leaf.view.notAfter.secondsSinceEpoch - leaf.view.notBefore.secondsSinceEpoch
        let limits = ValidationProfile.apple.serverLifetimeLimits.filter { limit in
            limit.issuedFrom <= leaf.view.notBefore && limit.maximumSeconds < seconds
                && limit.anchorClasses.contains(.system)
        }
        let least = limits.min { $0.maximumSeconds < $1.maximumSeconds }
        return least.map { [TrustNote(.lifetime(seconds: seconds, limit: $0), about: leaf, at: 0)] } ?? []
    }

    /// Returns a note about a lifetime that public authorities may no longer issue. A lifetime that Apple's systems refuse has a reason
    /// instead.
    private func publicLifetime() -> [TrustNote] {
        guard self.isForServer, let leaf = self.path.first, self.path.count > 1, self.result.anchorClass == .system,
            !self.result.allReasons.contains(where: { $0.code == "lifetime-too-long" })
        else { return [] }
        let life = CertificateLife(of: leaf, at: Timestamp(self.result.evaluationDate))
        guard let limit = PublicLifetimes.limit(brokenBy: life) else { return [] }
        return [TrustNote(.publicLifetime(seconds: life.seconds + 1, limit: limit), about: leaf, at: 0)]
    }

    /// The published policy is of interest where the engine's is met: otherwise the reason says what is missing.
    private func timestamps() -> [TrustNote] {
        guard self.isForServer, let leaf = self.path.first, self.result.isTrusted,
            let report = self.result.transparency, report.isRequired, report.meetsPolicy,
            let request = self.trust.transparency, request.rules == .apple
        else { return [] }
        let life = CertificateLife(of: leaf, at: Timestamp(self.result.evaluationDate))
        guard let gap = TransparencyPageGap(report, logs: request.logs, life: life) else { return [] }
        return [TrustNote(.applesPageOnTimestamps(gap), about: leaf, at: 0)]
    }

    /// Returns notes about facts of the server's certificate for which no rule refuses it.
    private func leafForm() -> [TrustNote] {
        guard self.isForServer, let leaf = self.path.first else { return [] }
        var facts: [TrustNote.Fact] = []
        if leaf.publicKey.kind == .p521 { facts.append(.leafKeyNotOffered) }
        if leaf.isCertificateAuthority, self.path.count > 1, self.leafNotFirst() == nil {
            facts.append(.leafIsAuthority)
        }
        // A name mismatch lists these names in its reason.
        if !self.result.allReasons.contains(where: { $0.code == "name-mismatch" }) {
            let names = UncountedName.names(of: leaf.view, publicSuffixes: self.trust.publicSuffixes)
            if !names.isEmpty { facts.append(.uselessNames(names)) }
        }
        return facts.map { TrustNote($0, about: leaf, at: 0) }
    }

    /// Returns notes about expired cross-certificates that the server sent although their root is trusted.
    private func crossCertificates() -> [TrustNote] {
        guard self.result.anchorClass != nil else { return [] }
        let now = Timestamp(self.result.evaluationDate)
        return self.trust.certificates.compactMap { sent in
            guard sent.isCertificateAuthority, !sent.isSelfIssued, sent.view.notAfter < now,
                !self.path.contains(sent),
                self.path.contains(where: { $0.publicKey == sent.publicKey && $0.subject == sent.subject })
            else { return nil }
            return TrustNote(.expiredCrossCertificate(notAfter: sent.view.notAfter), about: sent)
        }
    }

    // MARK: Every certificate

    private func serialNumbers() -> [TrustNote] {
        self.path.enumerated().compactMap { index, certificate in
            let octets = certificate.serialNumber
            // Apple and most others accept them, while RFC 5280 §4.1.2.2 does not. Issuers of numbers with 20 octets write a zero
            // before the sign bit, which is not counted.
            let significant = octets.drop { $0 == 0 }.count
            let isOdd = significant > 20 || (octets.first ?? 0x80) >= 0x80 || significant == 0
            let isRoot = index > 0 && certificate.isSelfIssued
            guard isOdd, !isRoot, !self.isToldOfForm(index, .serialNumber) else { return nil }
            return TrustNote(.serialNumber(octets), about: certificate, at: index)
        }
    }

    private func isToldOfForm(_ index: Int, _ rule: CertificateRules) -> Bool {
        self.result.allReasons.contains { reason in
            guard reason.certificateIndex == index, case .certificateRule(let rules) = reason.reason else {
                return false
            }
            return rules.contains(rule)
        }
    }

    private func ends() -> [TrustNote] {
        let now = Timestamp(self.result.evaluationDate)
        return self.path.enumerated().compactMap { index, certificate in
            let life = CertificateLife(of: certificate, at: now)
            // A certificate that has ended is a reason, and no note.
            guard let level = self.trust.configuration.expiryThreshold.level(of: life), level < .expired else {
                return nil
            }
            return TrustNote(.endsSoon(life, level), about: certificate, at: index)
        }
    }

    // MARK: Apple and others

    /// Compares the verdict by Apple's rules with the verdict by RFC 5280. One of the two is the result at hand.
    private func comparison() -> [TrustNote] {
        if let version = self.oldVersionNote() { return [version] }
        // The second evaluation costs as much as the first.
        guard !self.isOverForAll else { return [] }
        var other = self.trust
        let isApple = self.trust.profile.name == ValidationProfile.apple.name
        other.profile = isApple ? .rfc5280 : .apple
        (other.transparency, other.revocation) = (nil, .off)
        other.verifyDate = self.result.evaluationDate
        let (mine, theirs) = (self.rules(of: self.result), self.rules(of: other.evaluate()))
        let (apple, others) = isApple ? (mine, theirs) : (theirs, mine)
        if apple.isEmpty, !others.isEmpty { return [TrustNote(.appleIsLaxer(others))] }
        if !apple.isEmpty, others.isEmpty { return [TrustNote(.appleIsStricter(apple))] }
        return []
    }

    /// `true` if the dates of the first certificate fail by any rules, on every path.
    private var isOverForAll: Bool {
        self.result.allReasons.contains { $0.certificateIndex == 0 && ["expired", "not-yet-valid"].contains($0.code) }
    }

    /// Returns the codes of the broken path rules, without failures that depend on more than the rules of a profile.
    private func rules(of result: TrustResult) -> [String] {
        var codes: [String] = []
        for reason in result.allReasons where !reason.check.dependsOnEvidence && !codes.contains(reason.code) {
            codes.append(reason.code)
        }
        return codes
    }

    /// Returns a note if the only failure is the one in which this library's Apple profile is stricter than Apple on purpose.
    private func oldVersionNote() -> TrustNote? {
        let reasons = Set(self.result.allReasons.map(\.code))
        return reasons == ["old-version-issuer"] && self.trust.profile.name == ValidationProfile.apple.name
            ? TrustNote(.appleIsLaxer(["old-version-issuer"])) : nil
    }
}

extension TrustEvidence.Item {
    fileprivate var isUselessStaple: Bool {
        switch self.use {
        // These are limits of this program, which the server does not know.
        case .unusable(.revocation(.wrongNonce, _)), .unusable(.revocation(.tooOld, _)),
            .unusable(.revocation(.limitReached, _)):
            false
        case .unusable, .notNeeded(.aboutOthers): true
        case .used, .notNeeded: false
        }
    }
}

extension TrustCheck {
    /// `true` if the check depends on data other than the certificates.
    fileprivate var dependsOnEvidence: Bool {
        switch self {
        case .revocation, .revocationResponseRequired, .stapledResponseRequired, .systemTrustedCTRequired,
            .chromeTransparency, .workLimit:
            true
        default: self.isPinning
        }
    }
}
