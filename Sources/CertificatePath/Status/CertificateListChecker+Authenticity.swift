//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who signed a list, and what it may say about the certificate.
struct ListAuthority {
    let key: PublicKeySource
    /// Whether it may clear the certificate. If not, only “revoked” counts.
    let mayClear: Bool

    func isSame(as other: ListAuthority) -> Bool { self.key.isSameKey(as: other.key) }
}

/// Who may sign lists about a certificate (RFC 5280 §6.3.3 (f) to (h)), read more narrowly than there.
///
/// The standard lets any certificate in the list issuer's name sign that is valid below the same anchor. Names prove nothing
/// between the authorities below one root: each could take back what another one revoked. Therefore a list in the name of
/// the certificate's own issuer needs that issuer's key, or one that this issuer, an authority above it on the path, or a
/// roll-over of either certified for it.
extension CertificateListChecker {
    func authority(
        of list: CertificateList, isIndirect: Bool, _ memo: inout SignatureMemo
    ) -> ListAuthority? {
        let isIssuerKeys = self.isIssuers(list, &memo)
        if isIssuerKeys, self.isDirect(list, &memo.names) {
            let mayClear = self.issuer?.maySignLists != false && self.isStrong(self.issuerKey)
            return ListAuthority(key: self.issuerKey, mayClear: mayClear)
        }
        let found = isIndirect ? self.indirectAuthority(of: list, &memo) : self.directAuthority(of: list, &memo)
        return found ?? (isIssuerKeys ? ListAuthority(key: self.issuerKey, mayClear: false) : nil)
    }

    /// Whether the issuer's key signed a list. One that names another key is verified as far as the budget goes: the
    /// issuer's key may have several identifiers, and its other keys have lists of their own.
    private func isIssuers(_ list: CertificateList, _ memo: inout SignatureMemo) -> Bool {
        guard self.namesAnotherKey(list) else { return memo.isSigned(list, with: self.issuerKey) }
        return memo.withoutWant { $0.isSigned(list, with: self.issuerKey) }
    }

    /// A key of an anchor that is a name and a key stands on no certificate that would have been judged.
    private func isStrong(_ key: PublicKeySource) -> Bool {
        let checks = PathChecks(path: self.checker.path, request: self.request)
        return checks.isStrong(key.info)
    }

    // MARK: Lists of the certificate's own issuer

    private func directAuthority(of list: CertificateList, _ memo: inout SignatureMemo) -> ListAuthority? {
        guard self.isDirect(list, &memo.names) else { return nil }
        if let own = self.ownList(list, &memo) { return own }
        let anchors = self.checker.anchors(named: self.certificate.issuerName)
        for anchor in anchors where anchor.certificate == nil && memo.isSigned(list, with: anchor.key) {
            return ListAuthority(key: anchor.key, mayClear: self.isStrong(anchor.key))
        }
        let above = Array(self.checker.path.certificates.dropFirst(self.index + 1))
        let roots = anchors.compactMap(\.certificate)
        return self.best(of: list, above + roots, &memo) { signer, memo in
            if above.contains(where: { $0 === signer }) { return .clears }
            let namesakes = self.namesakes(&memo.names) + roots
            let worth = self.worth(of: signer, below: above, self.checker.path.anchor, namesakes: namesakes, &memo)
            return worth == .nothing ? self.worthElsewhere(of: signer, on: list, namesakes: namesakes, &memo) : worth
        }
    }

    /// The other supplied certificates in the name of the certificate's issuer.
    private func namesakes(_ names: inout NameTable) -> [CertificateView] {
        self.checker.signers.group(named: self.certificate.issuerName, in: self.certificate, &names).all
            .filter { $0 != self.certificate }
    }

    /// Nothing but what stands above the certificate, and what these certified in the issuer's name, leads to the anchor.
    private func worth(
        of signer: CertificateView, below above: [CertificateView], _ anchor: TrustAnchor?,
        namesakes: [CertificateView],
        _ memo: inout SignatureMemo
    ) -> SignerWorth {
        let anchors = self.checker.anchors(named: self.certificate.issuerName) + (anchor.map { [$0] } ?? [])
        return self.checker.verdict(
            onSigner: signer, intermediates: above + namesakes, anchors: [TrustAnchorSet(anchors)], &memo
        ).judged { $0.isFormality(isCertifiedByIssuer: true) }
    }

    /// The issuer's key may have certificates of several authorities, and the server chooses which it sends first. A signer
    /// that an authority above another of them certified revokes, so that no choice of the path hides it.
    private func worthElsewhere(
        of signer: CertificateView, on list: CertificateList, namesakes: [CertificateView], _ memo: inout SignatureMemo
    ) -> SignerWorth {
        guard case .listed = memo.entry(for: self.certificate, on: list) else { return .nothing }
        for twin in namesakes where twin !== self.issuer && PublicKeySource(twin).isSameKey(as: self.issuerKey) {
            let verdict = self.checker.verdict(
                onSigner: twin, intermediates: self.checker.signers.certificates, anchors: self.checker.anchors, &memo)
            let isTwinTrusted = verdict.judged { reason in
                reason.isFormality(isCertifiedByIssuer: true) || reason == .keyUsage(missing: .cRLSign)
            }
            guard let verdict, isTwinTrusted != .nothing,
                self.worth(of: signer, below: verdict.path, verdict.anchor, namesakes: namesakes, &memo) != .nothing
            else { continue }
            return .revokes
        }
        return .nothing
    }

    /// A list issuer's certificate on trial for its list, where the list speaks about the certificate itself: its issuer
    /// gave it the name of the list, and no other list would say anything about it.
    private func ownList(_ list: CertificateList, _ memo: inout SignatureMemo) -> ListAuthority? {
        let own = self.certificate
        guard self.checker.depth > 0, self.index == 0, own.maySignLists,
            DistinguishedName.areEqual(own.fields.subject, of: own.bytes, list.fields.issuer, of: list.bytes),
            memo.isSigned(list, with: PublicKeySource(own))
        else { return nil }
        return ListAuthority(key: PublicKeySource(own), mayClear: true)
    }

    // MARK: Lists of another issuer, which the certificate names

    /// Any certificate in that name below the path's anchor may sign, if everything on its path may speak about the
    /// certificate: the issuer of the certificate chose the name. Below another anchor, it may only revoke.
    private func indirectAuthority(of list: CertificateList, _ memo: inout SignatureMemo) -> ListAuthority? {
        if let own = self.ownList(list, &memo) { return own }
        if let anchor = self.checker.path.anchor, anchor.certificate == nil,
            anchor.name.isSameName(as: list.issuerName), memo.isSigned(list, with: anchor.key)
        {
            return ListAuthority(key: anchor.key, mayClear: self.isStrong(anchor.key))
        }
        let above = self.checker.path.certificates.dropFirst(self.index + 1)
        let anchor = [TrustAnchorSet(self.checker.path.anchor.map { [$0] } ?? [])]
        let everywhere = self.checker.anchors
        return self.best(of: list, Array(above), &memo) { signer, memo in
            if above.contains(where: { $0 === signer }) { return .clears }
            for (anchors, mayClear) in [(anchor, true), (everywhere, false)] {
                let verdict = self.checker.verdict(
                    onSigner: signer, intermediates: self.checker.signers.certificates, anchors: anchors, &memo)
                let worth = verdict.judged { $0.isFormality(isCertifiedByIssuer: false) }
                guard worth != .nothing, self.isWithinConstraints(of: verdict) else { continue }
                return mayClear ? worth : .revokes
            }
            return .nothing
        }
    }

    /// Whether a list's signer and the authorities above it may issue certificates such as this one: those that may not have
    /// no say about it (RFC 5280 §4.2.1.10).
    private func isWithinConstraints(of verdict: Verdict?) -> Bool {
        guard let verdict else { return false }
        let path = CandidatePath(
            certificates: [self.certificate] + verdict.path, anchor: verdict.anchor, deadEnd: nil)
        var checks = PathChecks(path: path, request: self.request)
        var comparisons = self.request.budget.nameComparisons
        checks.checkNameConstraints(budget: &comparisons)
        return checks.rejections.isEmpty
    }

    // MARK: Signers

    /// Whether a list names another key than a signer's.
    private func isContradicted(_ signer: CertificateView, by list: CertificateList) -> Bool {
        self.checker.signers.identifiers(of: signer).exclude(list.fields.authorityKeyIdentifier, in: list.bytes)
    }

    /// The first signer of the list that may clear, or else one that may revoke. No key clears its own certificate. Those with
    /// the key that the list names come first, then those on the path.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - others: Certificates that were not supplied, or are known to be good.
    ///   - worth: Judges the path of a signer, once its key is known to have made the signature.
    private func best(
        of list: CertificateList, _ others: [CertificateView], _ memo: inout SignatureMemo,
        _ worth: (CertificateView, inout SignatureMemo) -> SignerWorth
    ) -> ListAuthority? {
        let group = self.checker.signers.group(named: list.issuerName, in: list, &memo.names)
        let own = others.filter { signer in
            signer.saysItSignsLists
                && memo.names.isSame(signer.subjectName, in: signer, list.issuerName, in: list)
        }
        let named = own.filter { $0.hasKey(namedBy: list) } + group.signers(namedBy: list)
        var best: ListAuthority?
        for (place, signers) in [named, own, group.signers].enumerated() {
            for signer in signers where signer != self.certificate {
                guard memo.spendPair() else { return best }
                let isLater = place > 0 && (signer.hasKey(namedBy: list) || (place > 1 && own.contains(signer)))
                guard !isLater, let authority = self.authority(signer, of: list, &memo, worth) else { continue }
                if authority.mayClear { return authority }
                best = best ?? authority
            }
        }
        return best
    }

    /// Returns a signer as the authority of a list; `nil` where its key did not sign the list, or its path lets it say nothing.
    private func authority(
        _ signer: CertificateView, of list: CertificateList, _ memo: inout SignatureMemo,
        _ worth: (CertificateView, inout SignatureMemo) -> SignerWorth
    ) -> ListAuthority? {
        let key = PublicKeySource(signer)
        let isSigned =
            self.isContradicted(signer, by: list)
            ? memo.withoutWant { $0.isSigned(list, with: key) } : memo.isSigned(list, with: key)
        guard isSigned else { return nil }
        switch worth(signer, &memo) {
        case .clears:
            return ListAuthority(key: key, mayClear: !key.isSameKey(as: PublicKeySource(self.certificate)))
        case .revokes: return ListAuthority(key: key, mayClear: false)
        case .nothing: return nil
        }
    }
}

extension CertificateView {
    fileprivate func hasKey(namedBy list: CertificateList) -> Bool {
        let identifier = list.fields.authorityKeyIdentifier
        return !identifier.isEmpty
            && equalBytes(self.fields.extensions.subjectKeyIdentifier, in: self.bytes, identifier, in: list.bytes)
    }
}

/// What the path of a signer lets it say.
enum SignerWorth {
    case nothing
    /// It is the one that was certified for the task, and something about it is not in order.
    case revokes
    case clears
}

extension Verdict? {
    /// What the path of a signer lets it say, given what does not matter for “revoked”.
    func judged(_ isFormality: (RejectionReason) -> Bool) -> SignerWorth {
        guard let verdict = self, verdict.anchor != nil else { return .nothing }
        if verdict.isAccepted { return .clears }
        return verdict.rejections.allSatisfy { isFormality($0.reason) } ? .revokes : .nothing
    }
}
