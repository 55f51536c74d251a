//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who may sign revocation lists (RFC 5280 §6.3.3 (f) to (h)).
extension CertificateListChecker {
    /// Signed with the issuer's key, or with the key of another certificate of the list's issuer that is itself trusted
    /// below the same anchor. A key usage, if there is one, must allow signing lists.
    func isAuthentic(_ list: CertificateList, _ memo: inout SignatureMemo) -> Bool {
        let isIssuersOwn = DistinguishedName.areEqual(
            list.fields.issuer, of: list.bytes, self.certificate.fields.issuer, of: self.certificate.bytes)
        if isIssuersOwn, self.issuer?.maySignLists != false, memo.isSigned(list, with: self.issuerKey) {
            return true
        }
        if self.isOwnList(list), memo.isSigned(list, with: PublicKeySource(self.certificate)) { return true }
        for candidate in self.signers(of: list) where candidate.saysItSignsLists {
            guard memo.isSigned(list, with: PublicKeySource(candidate)) else { continue }
            if self.isTrusted(candidate, &memo) { return true }
        }
        return false
    }

    /// Whether the certificate is a list issuer's, on trial for its list, and the list speaks about the certificate itself:
    /// its issuer said so in the distribution point, and nobody else's list would.
    private func isOwnList(_ list: CertificateList) -> Bool {
        self.checker.depth > 0 && self.index == 0 && self.certificate.maySignLists
            && DistinguishedName.areEqual(
                self.certificate.fields.subject, of: self.certificate.bytes, list.fields.issuer, of: list.bytes)
    }

    private func signers(of list: CertificateList) -> [CertificateView] {
        let known = self.checker.path.certificates + self.checker.supplied
        return known.filter { candidate in
            candidate !== self.certificate && candidate !== self.issuer
                && DistinguishedName.areEqual(
                    candidate.fields.subject, of: candidate.bytes, list.fields.issuer, of: list.bytes)
        }
    }

    /// An indirect list whose issuer is trusted below another anchor than the path's. It clears nobody, but a certificate it
    /// lists must not pass for having a second path.
    func isAuthenticElsewhere(_ list: CertificateList, _ memo: inout SignatureMemo) -> Bool {
        guard list.fields.scope.isIndirect else { return false }
        for candidate in self.signers(of: list) where candidate.saysItSignsLists {
            guard memo.isSigned(list, with: PublicKeySource(candidate)) else { continue }
            if self.checker.trusts(listIssuer: candidate, anywhere: true, &memo) { return true }
        }
        return false
    }

    /// What stands above the certificate on its own path has been judged already.
    private func isTrusted(_ candidate: CertificateView, _ memo: inout SignatureMemo) -> Bool {
        if self.checker.path.certificates.dropFirst(self.index + 1).contains(where: { $0 === candidate }) {
            return true
        }
        return self.checker.trusts(listIssuer: candidate, &memo)
    }
}

extension CertificateView {
    /// RFC 5280 §6.3.3 (f): cRLSign, if there is a key usage at all.
    fileprivate var maySignLists: Bool { !self.has(.keyUsage) || self.saysItSignsLists }

    /// Asked of those who sign lists in an authority's name: a leaf without any key usage must not pass for one.
    fileprivate var saysItSignsLists: Bool {
        self.has(.keyUsage) && self.fields.extensions.keyUsage.contains(.cRLSign)
    }
}
