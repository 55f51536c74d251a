//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The status of one certificate by revocation lists (RFC 5280 §6.3.3).
///
/// The standard takes the lists in some order and stops at the first that tells. Here all are read: “revoked” counts from
/// every list that the certificate's issuer, or a signer it or those above it certified, has signed, and only a younger
/// list of the same key and scope takes it back. No order, age or number of other lists hides it.
struct CertificateListChecker {
    let certificate: CertificateView
    let issuerKey: PublicKeySource
    /// The issuer on the path; `nil` when that is an anchor without a certificate.
    let issuer: CertificateView?
    let identifiers: KeyIdentifiers
    let checker: RevocationChecker
    let index: Int

    var request: ValidationRequest { self.checker.request }
    private var time: Timestamp { self.request.time }

    /// A list with the signature of a key that may sign it.
    struct Record {
        let list: CertificateList
        let authority: ListAuthority
        let entry: CertificateListEntry
        /// The reasons it covers for the certificate; empty when it is not for it.
        let reasons: ReasonFlags

        /// Whether another record says the same: its list has the same signed octets, by the same key. There are as many writings
        /// of the signature as one likes.
        func saysNothingBeyond(_ other: Record) -> Bool {
            let (own, others) = (self.list, other.list)
            return self.authority.isSame(as: other.authority) && self.authority.mayClear == other.authority.mayClear
                && equalBytes(own.fields.tbsCertList, in: own.bytes, others.fields.tbsCertList, in: others.bytes)
        }

        /// What the list says is revoked. Only a delta list takes an entry off.
        var revocation: (RevocationReason, Timestamp)? {
            guard case .listed(let reason, let date) = self.entry else { return nil }
            return reason == .removeFromCRL && self.list.isDelta ? nil : (reason, date)
        }
    }

    /// Complete and current knowledge that a certificate is not on a list: a list, or one that a delta list brings up to date.
    struct Clearance {
        let record: Record
        let thisUpdate: Timestamp
        /// The delta list that brings it up to date, if it needs one.
        var delta: CertificateList?
    }

    /// What all lists come to, and which of them it comes from.
    struct Judged {
        let status: RevocationStatus
        let records: [Record]
        let clearances: [Clearance]
        /// The lists whose revocations no other list takes back.
        let standing: [Record]
        /// What the lists were held against.
        let points: CertificatePoints
        /// The lists that could have said nothing new.
        fileprivate(set) var unneeded: [CertificateList]
    }

    /// The lists that may be about the certificate, and what those that were looked at come to.
    struct Review {
        fileprivate let items: [(list: CertificateList, urgency: Urgency)]
        fileprivate(set) var judged: Judged
    }

    func judge(_ memo: inout SignatureMemo) -> Judged {
        var review = self.review(of: self.checker.policy.lists, &memo)
        for signers in DocumentSigners.allCases { self.look(at: signers, in: &review, &memo) }
        return review.judged
    }

    func review(of lists: [CertificateList], _ memo: inout SignatureMemo) -> Review {
        var points = lists.isEmpty ? .none : CertificatePoints(of: self.certificate, &memo.names)
        points.haveLists = lists.contains { !self.points(of: $0, among: points, &memo.names).isEmpty }
        return Review(items: self.ordered(lists, &memo), judged: self.judged([], points))
    }

    /// Looks at lists of one kind of signer. Once the certificate is cleared, only those that may revoke matter, and a copy
    /// of a list says nothing new.
    func look(at signers: DocumentSigners, in review: inout Review, _ memo: inout SignatureMemo) {
        for (list, urgency) in review.items where urgency.signers == signers {
            let judged = review.judged
            let isNeeded = urgency == .revokes || urgency == .mayRevoke || judged.status != .good
            guard isNeeded else {
                review.judged.unneeded.append(list)
                continue
            }
            let record =
                urgency == .namesAnotherKey
                ? memo.withoutWant { self.record(list, judged.points, &$0) } : self.record(list, judged.points, &memo)
            guard let record else { continue }
            guard !judged.records.contains(where: record.saysNothingBeyond) else {
                review.judged.unneeded.append(list)
                continue
            }
            review.judged = self.judged(judged.records + [record], judged.points, unneeded: judged.unneeded)
        }
    }

    private func judged(
        _ records: [Record], _ points: CertificatePoints, unneeded: [CertificateList] = []
    ) -> Judged {
        let clearances = records.filter { !$0.list.isDelta }.compactMap { self.clearance($0, among: records) }
        let standing = records.filter { record in !clearances.contains { self.lifts($0, record) } }
        return Judged(
            status: self.status(standing, clearances, points), records: records, clearances: clearances,
            standing: standing, points: points, unneeded: unneeded)
    }

    /// The order in which lists are looked at.
    fileprivate enum Urgency: Int {
        /// It has the certificate on it, or says what has changed since another list.
        case revokes
        case mayClear
        /// It names another key than the issuer's as its signer's (RFC 5280 §5.2.1): an authority keeps its name when its key
        /// changes, and keeps lists under each key.
        case namesAnotherKey
        /// It names another key, and has the certificate's number on it.
        case mayRevoke

        var signers: DocumentSigners { self == .revokes || self == .mayClear ? .issuers : .strangers }
    }

    /// The lists in the order in which they are looked at, which does not depend on how they were supplied: whatever was
    /// added, nothing is left out that revokes, and the list that clears is found first.
    private func ordered(
        _ supplied: [CertificateList], _ memo: inout SignatureMemo
    ) -> [(CertificateList, Urgency)] {
        var lists: [(CertificateList, Urgency)] = []
        for list in supplied where list.fields.scope.isIndirect || self.isDirect(list, &memo.names) {
            if list.isDelta, !self.namesAnotherKey(list) {
                lists.append((list, .revokes))
            } else if case .listed = memo.entry(for: self.certificate, on: list) {
                lists.append((list, self.namesAnotherKey(list) ? .mayRevoke : .revokes))
            } else {
                lists.append((list, self.namesAnotherKey(list) ? .namesAnotherKey : .mayClear))
            }
        }
        return lists.sorted { left, right in
            if left.1 != right.1 { return left.1.rawValue < right.1.rawValue }
            if left.0.thisUpdate != right.0.thisUpdate { return left.0.thisUpdate > right.0.thisUpdate }
            return left.0.bytes.lexicographicallyPrecedes(right.0.bytes)
        }
    }

    /// Whether the signer that a list names is not the issuer on the path; false where either has no key identifier.
    func namesAnotherKey(_ list: CertificateList) -> Bool {
        self.identifiers.exclude(list.fields.authorityKeyIdentifier, in: list.bytes)
    }

    private func status(
        _ standing: [Record], _ clearances: [Clearance], _ points: CertificatePoints
    ) -> RevocationStatus {
        if let revocation = RevocationStatus.first(of: standing.compactMap(\.revocation)) { return revocation }
        let covered = clearances.reduce(into: ReasonFlags()) { $0.formUnion($1.record.reasons) }
        if covered.isSuperset(of: .all) { return .good }
        return .unknown(points.haveLists ? .notUsable : .noInformation)
    }

    /// Looks the certificate up first where only “revoked” would count: no signature is verified in vain for lists that have
    /// nothing to do with it.
    private func record(
        _ list: CertificateList, _ points: CertificatePoints, _ memo: inout SignatureMemo
    ) -> Record? {
        let isOwn = self.isDirect(list, &memo.names)
        guard isOwn || list.fields.scope.isIndirect, !list.fields.scope.onlyAttributeCertificates else { return nil }
        let reasons = self.points(of: list, among: points, &memo.names).reduce(into: ReasonFlags()) { reasons, point in
            reasons.formUnion(self.reasons(list, point))
        }
        let isIndirectFor = !isOwn && self.mayName(issuerOf: list, points, &memo.names)
        if reasons.isEmpty {
            guard case .listed = memo.entry(for: self.certificate, on: list) else { return nil }
        }
        let entry = memo.entry(for: self.certificate, on: list)
        let isAboutCertificate = if case .listed = entry { true } else { false }
        let found =
            isAboutCertificate
            ? memo.whileRevoking { self.authority(of: list, isIndirect: isIndirectFor, &$0) }
            : self.authority(of: list, isIndirect: isIndirectFor, &memo)
        guard let authority = found else { return nil }
        return Record(list: list, authority: authority, entry: entry, reasons: reasons)
    }

    // MARK: What a list clears

    private func clearance(_ record: Record, among records: [Record]) -> Clearance? {
        guard record.authority.mayClear, !record.reasons.isEmpty, self.isUsable(record.list) else { return nil }
        guard let delta = self.currentDelta(for: record, among: records) else {
            guard self.isCurrent(record.list), case .notListed = record.entry else { return nil }
            return Clearance(record: record, thisUpdate: record.list.thisUpdate)
        }
        switch (record.entry, delta.entry) {
        case (.notListed, .notListed), (.notListed, .listed(.removeFromCRL, _)),
            // RFC 5280 §5.3.1: what is taken off a list was on hold; everything else is for ever.
            (.listed(.certificateHold, _), .listed(.removeFromCRL, _)):
            let thisUpdate = max(record.list.thisUpdate, delta.list.thisUpdate)
            return Clearance(record: record, thisUpdate: thisUpdate, delta: delta.list)
        default: return nil
        }
    }

    /// RFC 5280 §5.2.4: the same key signs a list and its updates.
    private func currentDelta(for record: Record, among records: [Record]) -> Record? {
        records.filter { delta in
            delta.list.isDelta && delta.authority.mayClear && delta.authority.isSame(as: record.authority)
                && self.updates(delta: delta.list, record.list) && self.isUsable(delta.list)
                && self.isCurrent(delta.list)
        }.max { left, right in
            let (left, right) = (left.list, right.list)
            return Self.isAtMost(left.bytes[left.fields.number ?? .empty], right.bytes[right.fields.number ?? .empty])
        }
    }

    /// Whether what a list says is overtaken: by a younger list of the same key and scope, or by its own delta list.
    private func lifts(_ clearance: Clearance, _ record: Record) -> Bool {
        if clearance.record.list === record.list { return true }
        return clearance.record.authority.isSame(as: record.authority)
            && Self.sameScope(clearance.record.list, record.list) && record.list.thisUpdate < clearance.thisUpdate
    }

    /// Whether a list may clear anything at all: begun, understood, free of contradictions, strong.
    private func isUsable(_ list: CertificateList) -> Bool { self.fault(of: list) == nil }

    private func isCurrent(_ list: CertificateList) -> Bool { self.datesFault(of: list) == nil }

    /// What keeps a list from clearing anything, its end aside.
    func fault(of list: CertificateList) -> RevocationFault? {
        guard list.thisUpdate <= self.time else { return .notBegun(list.thisUpdate) }
        guard !list.fields.contradictsItself, self.isUnderstood(list) else { return .notUnderstood }
        return self.request.fault(of: list.fields.signatureAlgorithm)
    }

    /// What keeps a list that has begun from being current.
    func datesFault(of list: CertificateList) -> RevocationFault? {
        guard let next = list.nextUpdate else { return .withoutEnd(since: list.thisUpdate) }
        guard self.time <= next else { return .ended(next) }
        let limits = self.checker.ageLimits
        let limit = self.certificate.isCertificateAuthority ? limits.authorityList : limits.list
        let age = self.time.secondsSinceEpoch - list.thisUpdate.secondsSinceEpoch
        return age <= limit ? nil : .tooOld(since: list.thisUpdate, maximumSeconds: limit)
    }

    /// RFC 5280 §5.2: an unknown critical extension makes a list useless. §5.2.3: a version 2 list has a number, which is
    /// not critical; that is asked where issuers are held to their profile.
    private func isUnderstood(_ list: CertificateList) -> Bool {
        let fields = list.fields
        guard !fields.hasUnknownCriticalExtension, !fields.hasUnreadableExtension else { return false }
        guard self.request.profile.certificateRules.contains(.criticality) else { return true }
        return fields.version == 2 && fields.number != nil && !fields.numberIsCritical
    }
}

extension RevocationStatus {
    /// Of several revocations of one certificate the earliest, so that the answer does not depend on the order of evidence.
    static func first(of revocations: [(RevocationReason, Timestamp)]) -> RevocationStatus? {
        let first = revocations.min { left, right in
            left.1 != right.1 ? left.1 < right.1 : left.0.rawValue < right.0.rawValue
        }
        return first.map { .revoked($0.0, $0.1) }
    }
}

extension ValidationRequest {
    /// What keeps an algorithm from signing what clears a certificate: the same may sign certificates.
    func fault(of algorithm: SignatureAlgorithm) -> RevocationFault? {
        guard self.profile.accepts(algorithm) else { return .algorithmNotAccepted(algorithm) }
        let isForServer = self.purposes.contains { $0.purpose == .server }
        let isSHA1Allowed = isForServer ? self.profile.allowsSHA1OnServers : self.profile.allowsSHA1
        let digest = algorithm.digest
        return digest.isBroken || (digest == .sha1 && !isSHA1Allowed) ? .weakDigest(digest) : nil
    }
}
