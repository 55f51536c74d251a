//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The matching of lists with a certificate (RFC 5280 §6.3.3 (b), (d)).
extension CertificateListChecker {
    /// Returns `true` if a list is in the name of the certificate's own issuer.
    func isDirect(_ list: CertificateList, _ names: inout NameTable) -> Bool {
        names.isSame(list.issuerName, in: list, self.certificate.issuerName, in: self.certificate)
    }

    /// Returns the points that a list covers.
    func points(
        of list: CertificateList, among points: CertificatePoints, _ names: inout NameTable
    ) -> [CertificatePoint] {
        guard self.isForKind(list), let listNames = ListNames(of: list, &names) else { return [] }
        return points.read.filter { self.isFromRightIssuer(list, $0, names: &names) && listNames.meet($0) }
    }

    /// Returns `true` if the certificate names the issuer of an indirect list, or may name it in a part that was not read.
    func mayName(issuerOf list: CertificateList, _ points: CertificatePoints, _ names: inout NameTable) -> Bool {
        points.areCut || points.read.contains { $0.issuers != nil && self.isFromRightIssuer(list, $0, names: &names) }
    }

    /// Returns `true` if the list's issuer is the one that the point requires (b)(1).
    func isFromRightIssuer(_ list: CertificateList, _ point: CertificatePoint, names: inout NameTable) -> Bool {
        guard let issuers = point.issuers else { return self.isDirect(list, &names) }
        return list.fields.scope.isIndirect && issuers.contains(names.number(of: list.issuerName, in: list))
    }

    /// Returns `true` if the list covers this kind of certificate (b)(2)(ii) to (iv).
    private func isForKind(_ list: CertificateList) -> Bool {
        let scope = list.fields.scope
        let isCA = self.certificate.isCertificateAuthority
        return !scope.onlyAttributeCertificates && !(scope.onlyUserCertificates && isCA)
            && !(scope.onlyAuthorityCertificates && !isCA)
    }

    /// Returns the reasons that a list covers for a point (d).
    func reasons(_ list: CertificateList, _ point: CertificatePoint) -> ReasonFlags {
        (list.fields.scope.onlySomeReasons ?? .all).intersection(point.reasons ?? .all).intersection(.all)
    }
}
