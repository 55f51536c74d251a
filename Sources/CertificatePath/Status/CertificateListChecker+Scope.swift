//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Which lists are for a certificate (RFC 5280 §6.3.3 (b), (d)).
extension CertificateListChecker {
    /// Whether a list is in the name of the certificate's own issuer.
    func isDirect(_ list: CertificateList) -> Bool {
        DistinguishedName.areEqual(
            list.fields.issuer, of: list.bytes, self.certificate.fields.issuer, of: self.certificate.bytes)
    }

    /// The certificate's own points, and at last the list its issuer keeps for everything (§6.3.3, last paragraph).
    var distributionPoints: [DistributionPoint] {
        let bytes = self.certificate.bytes
        var points: [DistributionPoint] = []
        var reader = DERReader(self.certificate.fields.extensions.crlDistributionPoints, in: bytes.span)
        while !reader.isAtEnd, let point = try? DistributionPoint(&reader, in: bytes.span) { points.append(point) }
        return points + [DistributionPoint()]
    }

    func isInScope(_ list: CertificateList, _ point: DistributionPoint) -> Bool {
        self.isFromRightIssuer(list, point) && self.isForKind(list) && self.isForPoint(list, point)
    }

    /// (b)(1)
    func isFromRightIssuer(_ list: CertificateList, _ point: DistributionPoint) -> Bool {
        guard let issuer = point.issuer else { return self.isDirect(list) }
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
        let names = self.names(of: point)
        // All are compared with all, and for every point: more than a few would be work for its own sake.
        guard names.count <= Self.maximumNames, listNames.count <= Self.maximumNames else { return false }
        return names.contains { name in listNames.contains { $0.isSame(as: name) } }
    }

    /// Distribution points in use have one to four names, mirrors of one list.
    private static let maximumNames = 16

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
    func reasons(_ list: CertificateList, _ point: DistributionPoint) -> ReasonFlags {
        (list.fields.scope.onlySomeReasons ?? .all).intersection(point.reasons ?? .all).intersection(.all)
    }
}
