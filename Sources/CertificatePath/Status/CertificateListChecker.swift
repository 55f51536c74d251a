//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The status of one certificate by revocation lists (RFC 5280 §6.3.3).
///
/// The RFC takes the lists in some order and stops at the first one with an answer. This checker reads all of them.
/// "Revoked" counts on every list that is signed by the certificate's issuer, or by a signer that the issuer or an
/// authority above it certified. Only a newer list of the same key and scope cancels it. No order, age or number of
/// other lists hides a revocation.
struct CertificateListChecker {
    let certificate: CertificateView
    let issuerKey: PublicKeySource
    /// The issuer on the path, or `nil` if it is an anchor without a certificate.
    let issuer: CertificateView?
    let identifiers: KeyIdentifiers
    let checker: RevocationChecker
    let index: Int

    var request: ValidationRequest { self.checker.request }
    private var time: Timestamp { self.request.time }

    /// A list with a signature by a key that may sign it.
    struct Record {
        let list: CertificateList
        /// The number of the issuer's name. Equal names have the same number.
        let issuerName: Int
        let authority: ListAuthority
        let entry: CertificateListEntry
        /// The reasons that it covers for the certificate. Empty if it does not cover the certificate.
        let reasons: ReasonFlags

        /// Returns `true` if another record has the same list: the same signed octets, by the same key. One signature
        /// has any number of encodings.
        func saysNothingBeyond(_ other: Record) -> Bool {
            let (own, others) = (self.list, other.list)
            return self.authority.isSame(as: other.authority) && self.authority.mayClear == other.authority.mayClear
                && equalBytes(own.fields.tbsCertList, in: own.bytes, others.fields.tbsCertList, in: others.bytes)
        }

        /// The revocation on the list. Only a delta list removes an entry.
        var revocation: (RevocationReason, Timestamp)? {
            guard case .listed(let reason, let date) = self.entry else { return nil }
            return reason == .removeFromCRL && self.list.isDelta ? nil : (reason, date)
        }
    }

    /// Complete and current evidence that a certificate is not on a list: a list, or one with its delta list.
    struct Clearance {
        let record: Record
        let thisUpdate: Timestamp
        /// The delta list that updates the list, if there is one.
        var delta: CertificateList?
    }

    /// The status by all lists, and the lists that decide it.
    struct Judged {
        let status: RevocationStatus
        let records: [Record]
        let clearances: [Clearance]
        /// The lists with revocations that no other list cancels.
        let standing: [Record]
        /// The distribution points that the lists were compared with.
        let points: CertificatePoints
        /// The lists that could not change the status.
        fileprivate(set) var unneeded: [CertificateList]

        fileprivate init(
            status: RevocationStatus, records: [Record], clearances: [Clearance], standing: [Record],
            points: CertificatePoints, unneeded: [CertificateList]
        ) {
            self.status = status
            self.records = records
            self.clearances = clearances
            self.standing = standing
            self.points = points
            self.unneeded = unneeded
        }

        /// Creates the status before any list is examined.
        fileprivate init(noLists points: CertificatePoints) {
            self.init(
                status: .unknown(points.haveLists ? .notUsable : .noInformation), records: [], clearances: [],
                standing: [], points: points, unneeded: [])
        }
    }

    /// The lists that may be about the certificate, and the status by those that were examined.
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
        return Review(items: self.ordered(lists, &memo), judged: Judged(noLists: points))
    }

    /// Examines the lists of one kind of signer. Once the certificate is cleared, only lists that may revoke matter. A
    /// copy of a list changes nothing, and neither does a list that clears no certificate for a fault of its own.
    func look(at signers: DocumentSigners, in review: inout Review, _ memo: inout SignatureMemo) {
        let hasDelta = review.items.contains { $0.list.isDelta && self.mayClear($0.list, besideDelta: false) }
        for (list, urgency) in review.items where urgency.signers == signers {
            let mayRevoke =
                urgency == .mayRevoke || (urgency == .revokes && !self.isUselessDelta(list, &memo))
            guard mayRevoke || review.judged.status != .good else {
                review.judged.unneeded.append(list)
                continue
            }
            guard mayRevoke || self.mayClear(list, besideDelta: hasDelta && !list.isDelta) else { continue }
            memo.whileExamining { memo in
                let before = review.judged.status
                self.examine(list, isOptional: urgency == .namesAnotherKey, in: &review.judged, &memo)
                return review.judged.status != before
            }
        }
    }

    /// Adds the record of a list to those that decide.
    ///
    /// - Parameter isOptional: `true` if an exhausted budget for the list does not count as a missing answer.
    private func examine(
        _ list: CertificateList, isOptional: Bool, in judged: inout Judged, _ memo: inout SignatureMemo
    ) {
        let points = judged.points
        let found =
            isOptional
            ? memo.withoutWant { self.record(list, points, &$0) } : self.record(list, points, &memo)
        guard let record = found else { return }
        guard !judged.records.contains(where: record.saysNothingBeyond) else {
            judged.unneeded.append(list)
            return
        }
        judged = self.judged(judged, adding: record)
    }

    /// Returns `true` if a list is a delta list that neither revokes the certificate nor updates another list.
    private func isUselessDelta(_ list: CertificateList, _ memo: inout SignatureMemo) -> Bool {
        guard list.isDelta, !self.mayClear(list, besideDelta: false) else { return false }
        if case .notListed = memo.entry(for: self.certificate, on: list) { return true }
        return false
    }

    /// Returns `true` if a list may clear a certificate that it does not name. Its signer does not matter here. A
    /// delta list may update a list that has ended.
    private func mayClear(_ list: CertificateList, besideDelta hasDelta: Bool) -> Bool {
        self.fault(of: list) == nil && (hasDelta || self.datesFault(of: list) == nil)
    }

    /// Returns the status with one more record. Only a delta list changes the clearances of other lists.
    private func judged(_ judged: Judged, adding record: Record) -> Judged {
        let records = judged.records + [record]
        var clearances = judged.clearances
        if record.list.isDelta {
            clearances = records.filter { !$0.list.isDelta }.compactMap { self.clearance($0, among: records) }
        } else if let clearance = self.clearance(record, among: records) {
            clearances.append(clearance)
        }
        let standing = records.filter { record in !clearances.contains { self.lifts($0, record) } }
        return Judged(
            status: self.status(standing, clearances, judged.points), records: records, clearances: clearances,
            standing: standing, points: judged.points, unneeded: judged.unneeded)
    }

    /// The order in which lists are examined.
    fileprivate enum Urgency: Int {
        /// The list has an entry for the certificate, or is a delta list.
        case revokes
        case mayClear
        /// The list names another key than the issuer's (RFC 5280 §5.2.1). An authority keeps its name when its key
        /// changes, and issues lists under each key.
        case namesAnotherKey
        /// The list names another key, and has an entry with the certificate's number.
        case mayRevoke

        var signers: DocumentSigners { self == .revokes || self == .mayClear ? .issuers : .strangers }
    }

    /// Returns the lists in the order in which they are examined, which does not depend on the order of the input.
    /// Additional lists therefore cannot displace a revocation, and the list that clears comes early.
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

    /// Returns `true` if a list names another signer than the issuer on the path. Returns `false` if either has no key identifier.
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

    /// Returns the record of a list. If only "revoked" would count, the entry is looked up first, so that no signature
    /// of an unrelated list is verified.
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
        return Record(
            list: list, issuerName: memo.names.number(of: list.issuerName, in: list), authority: authority,
            entry: entry, reasons: reasons)
    }

    // MARK: Clearance

    private func clearance(_ record: Record, among records: [Record]) -> Clearance? {
        guard record.authority.mayClear, !record.reasons.isEmpty, self.isUsable(record.list) else { return nil }
        guard let delta = self.currentDelta(for: record, among: records) else {
            guard self.isCurrent(record.list), case .notListed = record.entry else { return nil }
            return Clearance(record: record, thisUpdate: record.list.thisUpdate)
        }
        switch (record.entry, delta.entry) {
        case (.notListed, .notListed), (.notListed, .listed(.removeFromCRL, _)),
            // RFC 5280 §5.3.1: Only a certificate that was on hold is removed from a list. Every other revocation is final.
            (.listed(.certificateHold, _), .listed(.removeFromCRL, _)):
            let thisUpdate = max(record.list.thisUpdate, delta.list.thisUpdate)
            return Clearance(record: record, thisUpdate: thisUpdate, delta: delta.list)
        default: return nil
        }
    }

    /// Returns the newest current delta list of a list. The same key must sign both (RFC 5280 §5.2.4).
    private func currentDelta(for record: Record, among records: [Record]) -> Record? {
        records.filter { delta in
            delta.list.isDelta && delta.authority.mayClear && delta.authority.isSame(as: record.authority)
                && self.updates(delta: delta, record) && self.isUsable(delta.list)
                && self.isCurrent(delta.list)
        }.max { left, right in
            let (left, right) = (left.list, right.list)
            return Self.isAtMost(left.bytes[left.fields.number ?? .empty], right.bytes[right.fields.number ?? .empty])
        }
    }

    /// Returns `true` if a clearance cancels a list: it is a newer one of the same key and scope, or comes from the list itself.
    private func lifts(_ clearance: Clearance, _ record: Record) -> Bool {
        if clearance.record.list === record.list { return true }
        return clearance.record.authority.isSame(as: record.authority)
            && Self.sameScope(clearance.record.list, record.list) && record.list.thisUpdate < clearance.thisUpdate
    }

    /// Returns `true` if a list may clear certificates at all: its time has begun, it is understood and consistent,
    /// and its signature is strong.
    private func isUsable(_ list: CertificateList) -> Bool { self.fault(of: list) == nil }

    private func isCurrent(_ list: CertificateList) -> Bool { self.datesFault(of: list) == nil }

    /// Returns the fault that keeps a list from clearing certificates, apart from its age.
    func fault(of list: CertificateList) -> RevocationFault? {
        guard list.thisUpdate <= self.time else { return .notBegun(list.thisUpdate) }
        guard !list.fields.contradictsItself, self.isUnderstood(list) else { return .notUnderstood }
        return self.request.fault(of: list.fields.signatureAlgorithm)
    }

    /// Returns the fault that keeps a list from being current.
    func datesFault(of list: CertificateList) -> RevocationFault? {
        guard let next = list.nextUpdate else { return .withoutEnd(since: list.thisUpdate) }
        guard self.time <= next else { return .ended(next) }
        let limits = self.checker.ageLimits
        let limit = self.certificate.isCertificateAuthority ? limits.authorityList : limits.list
        let age = self.time.secondsSinceEpoch - list.thisUpdate.secondsSinceEpoch
        return age <= limit ? nil : .tooOld(since: list.thisUpdate, maximumSeconds: limit)
    }

    /// Returns `true` if all extensions of a list are understood. An unknown critical extension makes a list useless
    /// (RFC 5280 §5.2).
    ///
    /// A version 2 list has a number that is not critical (§5.2.3). Only profiles with rules for issuers check this.
    private func isUnderstood(_ list: CertificateList) -> Bool {
        let fields = list.fields
        guard !fields.hasUnknownCriticalExtension, !fields.hasUnreadableExtension else { return false }
        guard self.request.profile.certificateRules.contains(.criticality) else { return true }
        return fields.version == 2 && fields.number != nil && !fields.numberIsCritical
    }
}

extension RevocationStatus {
    /// Returns the earliest of several revocations of one certificate, so that the status does not depend on the order
    /// of the evidence.
    static func first(of revocations: [(RevocationReason, Timestamp)]) -> RevocationStatus? {
        let first = revocations.min { left, right in
            left.1 != right.1 ? left.1 < right.1 : left.0.rawValue < right.0.rawValue
        }
        return first.map { .revoked($0.0, $0.1) }
    }
}

extension ValidationRequest {
    /// Returns the fault of an algorithm that may not sign evidence for clearing. The same algorithms may sign certificates.
    func fault(of algorithm: SignatureAlgorithm) -> RevocationFault? {
        guard self.profile.accepts(algorithm) else { return .algorithmNotAccepted(algorithm) }
        let isForServer = self.purposes.contains { $0.purpose == .server }
        let isSHA1Allowed = isForServer ? self.profile.allowsSHA1OnServers : self.profile.allowsSHA1
        let digest = algorithm.digest
        return digest.isBroken || (digest == .sha1 && !isSHA1Allowed) ? .weakDigest(digest) : nil
    }
}
