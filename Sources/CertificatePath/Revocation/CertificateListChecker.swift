//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The status of one certificate by revocation lists (RFC 5280 §6.3.3).
struct CertificateListChecker {
    let certificate: CertificateView
    let issuerKey: PublicKeySource
    /// The issuer on the path; `nil` when that is an anchor without a certificate.
    let issuer: CertificateView?
    let checker: RevocationChecker
    let index: Int

    private var request: ValidationRequest { self.checker.request }
    private var time: Timestamp { self.request.time }

    func status(_ memo: inout SignatureMemo) -> RevocationStatus {
        let lists = self.checker.policy.lists
        // Whoever supplies an older list that is still current must not hide what a newer one says.
        let complete = lists.filter { !$0.isDelta }.sorted { $0.thisUpdate > $1.thisUpdate }
        var covered: ReasonFlags = []
        var coveredAt: Timestamp?
        var wasAnyInScope = false
        // A certificate may name one list in a thousand distribution points; it is read once.
        var entries: [ObjectIdentifier: CertificateListEntry] = [:]
        let points = self.distributionPoints
        for list in complete {
            // Of two lists of one moment neither is the newer one, and either may know more.
            let isRival = list.thisUpdate == coveredAt
            guard !covered.isSuperset(of: .all) || isRival else { continue }
            for point in points where self.isInScope(list, point) {
                wasAnyInScope = true
                let reasons = self.reasons(list, point)
                guard !covered.isSuperset(of: reasons) || isRival else { continue }
                let known = entries[ObjectIdentifier(list)] ?? self.entry(list, of: lists, &memo)
                entries[ObjectIdentifier(list)] = known
                switch known {
                case .listed(let reason, let date): return .revoked(reason, date)
                case .notListed: (covered, coveredAt) = (covered.union(reasons), list.thisUpdate)
                case .unreadable: continue
                }
            }
        }
        if covered.isSuperset(of: .all) { return .good }
        return .unknown(wasAnyInScope ? .notUsable : .noInformation)
    }

    /// The certificate's own points, and at last the list its issuer keeps for everything (§6.3.3, last paragraph).
    private var distributionPoints: [DistributionPoint] {
        let bytes = self.certificate.bytes
        var points: [DistributionPoint] = []
        var reader = DERReader(self.certificate.fields.extensions.crlDistributionPoints, in: bytes.span)
        while !reader.isAtEnd, let point = try? DistributionPoint(&reader, in: bytes.span) { points.append(point) }
        return points + [DistributionPoint()]
    }

    // MARK: Scope, (b)

    private func isInScope(_ list: CertificateList, _ point: DistributionPoint) -> Bool {
        self.isFromRightIssuer(list, point) && self.isForKind(list) && self.isForPoint(list, point)
    }

    /// (b)(1)
    private func isFromRightIssuer(_ list: CertificateList, _ point: DistributionPoint) -> Bool {
        guard let issuer = point.issuer else {
            return DistinguishedName.areEqual(
                list.fields.issuer, of: list.bytes, self.certificate.fields.issuer, of: self.certificate.bytes)
        }
        guard list.fields.scope.isIndirect else { return false }
        return DistributionPoint.generalNames(issuer, in: self.certificate.bytes).contains { name in
            name.form == .directoryName
                && DistinguishedName.areEqual(name.content, of: name.bytes, list.fields.issuer, of: list.bytes)
        }
    }

    /// (b)(2)(ii) to (iv)
    private func isForKind(_ list: CertificateList) -> Bool {
        let scope = list.fields.scope
        let isCA = self.certificate.isCertificateAuthority
        return !scope.onlyAttributeCertificates && !(scope.onlyUserCertificates && isCA)
            && !(scope.onlyAuthorityCertificates && !isCA)
    }

    /// (b)(2)(i): the names of the list's point and of the certificate's point must meet.
    private func isForPoint(_ list: CertificateList, _ point: DistributionPoint) -> Bool {
        guard let content = list.fields.scope.name else { return true }
        var listPoint = DistributionPoint()
        let bytes = list.bytes
        do {
            try listPoint.readName(content, in: bytes.span)
        } catch {
            return false
        }
        let listNames = listPoint.names(in: list.bytes, relativeTo: (list.bytes, list.fields.issuer))
        return self.names(of: point).contains { name in listNames.contains { $0.isSame(as: name) } }
    }

    private func names(of point: DistributionPoint) -> [DistributionPoint.Name] {
        let (bytes, issuer) = (self.certificate.bytes, self.certificate.fields.issuer)
        let issuers = point.issuer.map { DistributionPoint.generalNames($0, in: bytes) }
        guard point.hasName else {
            return issuers ?? [DistributionPoint.Name(form: .directoryName, bytes: bytes, content: issuer)]
        }
        // A relative name is relative to the list's issuer, which is the certificate's unless another one is named.
        let base = issuers?.first { $0.form == .directoryName }.map { ($0.bytes, $0.content) } ?? (bytes, issuer)
        return point.names(in: bytes, relativeTo: (bytes: base.0, name: base.1))
    }

    /// (d)
    private func reasons(_ list: CertificateList, _ point: DistributionPoint) -> ReasonFlags {
        (list.fields.scope.onlySomeReasons ?? .all).intersection(point.reasons ?? .all).intersection(.all)
    }

    // MARK: Delta lists, (c)

    private func updates(delta: CertificateList, _ list: CertificateList) -> Bool {
        let (own, base) = (delta.fields, list.fields)
        guard DistinguishedName.areEqual(own.issuer, of: delta.bytes, base.issuer, of: list.bytes),
            Self.sameScope(delta, list),
            delta.bytes[own.authorityKeyIdentifier] == list.bytes[base.authorityKeyIdentifier],
            let from = own.baseNumber, let number = own.number, let listNumber = base.number
        else { return false }
        let (start, end, current) = (delta.bytes[from], delta.bytes[number], list.bytes[listNumber])
        return Self.isAtMost(start, current) && Self.isAtMost(current, end)
    }

    /// (c)(2): both lists have the same issuing distribution point, or none.
    private static func sameScope(_ delta: CertificateList, _ list: CertificateList) -> Bool {
        switch (delta.fields.issuingDistributionPoint, list.fields.issuingDistributionPoint) {
        case (nil, nil): true
        case (let left?, let right?): equalBytes(delta.bytes, left, list.bytes, right)
        default: false
        }
    }

    /// Whether one non-negative INTEGER in the fewest octets is at most another.
    private static func isAtMost(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count != right.count ? left.count < right.count : !right.lexicographicallyPrecedes(left)
    }

    /// The entry of the complete list, as the current delta lists change it; (i) to (k).
    private func entry(
        _ list: CertificateList, of lists: [CertificateList], _ memo: inout SignatureMemo
    ) -> CertificateListEntry {
        guard self.isAuthentic(list, &memo) else { return self.disavowal(list, &memo) }
        let deltas = lists.filter { $0.isDelta && self.updates(delta: $0, list) }
        let current = deltas.filter { self.isCurrent($0) && self.isUnderstood($0) }
            .filter { self.isAuthentic($0, &memo) }
            .max { Self.isAtMost($0.bytes[$0.fields.number ?? .empty], $1.bytes[$1.fields.number ?? .empty]) }
        let base = list.entry(for: self.certificate)
        let isUsable = self.isUnderstood(list) && list.thisUpdate <= self.time
        guard let current, isUsable else {
            if case .listed = base { return base }
            // Without a delta list the complete one must itself be current.
            return isUsable && self.isCurrent(list) ? base : .unreadable
        }
        if case .unreadable = base { return .unreadable }
        switch current.entry(for: self.certificate) {
        case .listed(.removeFromCRL, _): return .notListed
        case .listed(let reason, let date): return .listed(reason, date)
        case .unreadable: return .unreadable
        case .notListed: return base
        }
    }

    /// A list of the key that signed the certificate, which may not sign lists: it clears nobody, but when the issuer says
    /// that a certificate of its own is revoked, no other path through the same key must make up for it.
    private func disavowal(_ list: CertificateList, _ memo: inout SignatureMemo) -> CertificateListEntry {
        guard case .listed(let reason, let date) = list.entry(for: self.certificate),
            memo.isSigned(list, with: self.issuerKey) || self.isAuthenticElsewhere(list, &memo)
        else { return .unreadable }
        return .listed(reason, date)
    }

    private func isCurrent(_ list: CertificateList) -> Bool {
        guard list.thisUpdate <= self.time, let next = list.nextUpdate else { return false }
        return self.time <= next
    }

    /// RFC 5280 §5.2: an unknown critical extension makes a list useless. §5.2.3: a version 2 list has a number, which is
    /// not critical; that is asked where issuers are held to their profile.
    private func isUnderstood(_ list: CertificateList) -> Bool {
        let fields = list.fields
        guard !fields.hasUnknownCriticalExtension else { return false }
        guard self.request.profile.certificateRules.contains(.criticality) else { return true }
        return fields.version == 2 && fields.number != nil && !fields.numberIsCritical
    }
}
