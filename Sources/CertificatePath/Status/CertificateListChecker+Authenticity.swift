//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The signer of a list, and the effect that the list may have on the certificate.
struct ListAuthority {
    let key: PublicKeySource
    /// `true` if the list may clear the certificate. Otherwise it may only revoke.
    let mayClear: Bool

    func isSame(as other: ListAuthority) -> Bool { self.key.isSameKey(as: other.key) }
}

/// The rules for signers of lists about a certificate (RFC 5280 §6.3.3 (f) to (h)), stricter than in the RFC.
///
/// The RFC accepts any certificate in the list issuer's name that is valid below the same anchor. Equal names prove
/// nothing between the authorities below one root, and each could undo the other's revocations. A list in the name of
/// the certificate's own issuer therefore needs that issuer's key, or a key that this issuer, an authority above it on
/// the path, or a rolled-over key of either certified for it.
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

    /// Returns `true` if the issuer's key signed a list. The signature of a list that names another key is verified if
    /// the budget allows it. The issuer's key may have several identifiers, and its other keys have lists of their
    /// own.
    private func isIssuers(_ list: CertificateList, _ memo: inout SignatureMemo) -> Bool {
        guard self.namesAnotherKey(list) else { return memo.isSigned(list, with: self.issuerKey) }
        return memo.withoutWant { $0.isSigned(list, with: self.issuerKey) }
    }

    /// Returns `true` if a key is strong enough. The key of an anchor without a certificate was not checked with the path.
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

    /// Returns the other supplied certificates in the name of the certificate's issuer.
    private func namesakes(_ names: inout NameTable) -> [CertificateView] {
        self.checker.signers.group(named: self.certificate.issuerName, in: self.certificate, &names).all
            .filter { $0 != self.certificate }
    }

    /// Evaluates the path of a signer. It may only contain the certificates above this one, and those that they
    /// certified in the issuer's name.
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

    /// Evaluates a signer below other certificates of the issuer's key. Several authorities may have certified that
    /// key, and the server chooses which certificate it sends first. A signer below one of the others may revoke, so
    /// that no choice of the path hides the revocation.
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

    /// Accepts a list that the certificate in question signed, if its own path is evaluated because it signed lists.
    /// Its issuer gave it the name of the list, and no other list covers it.
    private func ownList(_ list: CertificateList, _ memo: inout SignatureMemo) -> ListAuthority? {
        let own = self.certificate
        guard self.checker.depth > 0, self.index == 0, own.maySignLists,
            DistinguishedName.areEqual(own.fields.subject, of: own.bytes, list.fields.issuer, of: list.bytes),
            memo.isSigned(list, with: PublicKeySource(own))
        else { return nil }
        return ListAuthority(key: PublicKeySource(own), mayClear: true)
    }

    // MARK: Lists of an indirect issuer

    /// Returns the signer of a list by an issuer that the certificate names. Any certificate in that name below the path's
    /// anchor may sign, if every certificate of its path may issue certificates like this one. Below another anchor,
    /// it may only revoke.
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

    /// Returns `true` if a list's signer and the authorities above it may issue certificates like this one. Other
    /// signers have no authority over it (RFC 5280 §4.2.1.10).
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

    /// Returns `true` if a list names another key than the signer's.
    private func isContradicted(_ signer: CertificateView, by list: CertificateList) -> Bool {
        self.checker.signers.identifiers(of: signer).exclude(list.fields.authorityKeyIdentifier, in: list.bytes)
    }

    /// Returns the first signer of the list that may clear, or else one that may revoke. No key clears its own
    /// certificate. The signers with the key that the list names come first, followed by those on the path.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - others: Certificates that were not supplied, or are known to be good.
    ///   - worth: Evaluates the path of a signer whose key made the signature.
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

    /// Returns a signer as the authority of a list, or `nil` if its key did not sign the list or its path does not allow it.
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

/// The effect that evidence may have, by the path of its signer.
enum SignerWorth {
    case nothing
    /// The signer was certified for the task, but its path breaks a rule that does not matter for a revocation.
    case revokes
    case clears
}

extension Verdict? {
    /// Returns the effect that the evidence of a signer may have, given the reasons that do not matter for a revocation.
    func judged(_ isFormality: (RejectionReason) -> Bool) -> SignerWorth {
        guard let verdict = self, verdict.anchor != nil else { return .nothing }
        if verdict.isAccepted { return .clears }
        return verdict.rejections.allSatisfy { isFormality($0.reason) } ? .revokes : .nothing
    }
}
