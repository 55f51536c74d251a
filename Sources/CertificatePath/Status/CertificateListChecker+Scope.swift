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
    ///
    /// Each list is held against each name of each point, so that only as many are read as any authority uses: lists for the
    /// points beyond clear nothing.
    var distributionPoints: [CertificatePoint] {
        let bytes = self.certificate.bytes
        var points: [CertificatePoint] = []
        var reader = DERReader(self.certificate.fields.extensions.crlDistributionPoints, in: bytes.span)
        while !reader.isAtEnd, points.count < CertificatePoint.maximumCount,
            let point = try? DistributionPoint(&reader, in: bytes.span)
        { points.append(CertificatePoint(point, of: self.certificate)) }
        return points + [CertificatePoint(DistributionPoint(), of: self.certificate)]
    }

    /// The points that a list is for.
    func points(of list: CertificateList, among points: [CertificatePoint]) -> [CertificatePoint] {
        guard self.isForKind(list), let names = ListNames(of: list) else { return [] }
        return points.filter { self.isFromRightIssuer(list, $0) && names.meet($0) }
    }

    /// (b)(1)
    func isFromRightIssuer(_ list: CertificateList, _ point: CertificatePoint) -> Bool {
        guard let issuers = point.issuers else { return self.isDirect(list) }
        guard list.fields.scope.isIndirect else { return false }
        return issuers.contains { name in
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

    /// (d)
    func reasons(_ list: CertificateList, _ point: CertificatePoint) -> ReasonFlags {
        (list.fields.scope.onlySomeReasons ?? .all).intersection(point.reasons ?? .all).intersection(.all)
    }
}

/// A distribution point of a certificate with its names, which are read once for all lists.
struct CertificatePoint {
    /// Certificates in use have one or two points, of one to four names each: mirrors of one list.
    static let maximumCount = 16
    static let maximumNames = 16

    let reasons: ReasonFlags?
    /// Those who issue its lists; `nil` where that is the issuer of the certificate.
    let issuers: [DistributionPoint.Name]?
    /// What its lists go by; none where there are more than anyone uses.
    let names: [DistributionPoint.Name]

    init(_ point: DistributionPoint, of certificate: CertificateView) {
        let (bytes, issuer) = (certificate.bytes, certificate.fields.issuer)
        self.reasons = point.reasons
        let issuers = point.issuer.map { Self.names($0, in: bytes) }
        self.issuers = issuers
        guard point.hasName else {
            self.names = issuers ?? [DistributionPoint.Name(form: .directoryName, bytes: bytes, content: issuer)]
            return
        }
        // A relative name is relative to the list's issuer, which is the certificate's unless another one is named.
        let base = issuers?.first { $0.form == .directoryName }.map { ($0.bytes, $0.content) } ?? (bytes, issuer)
        let names = point.names(in: bytes, relativeTo: (bytes: base.0, name: base.1), upTo: Self.maximumNames + 1)
        self.names = names.count <= Self.maximumNames ? names : []
    }

    private static func names(_ content: ByteRange, in bytes: [UInt8]) -> [DistributionPoint.Name] {
        let names = DistributionPoint.generalNames(content, in: bytes, upTo: Self.maximumNames + 1)
        return names.count <= Self.maximumNames ? names : []
    }
}

/// (b)(2)(i): the names of a list's own point, which must meet those of the certificate's; `nil` where they cannot be read, or
/// are more than anyone uses.
private struct ListNames {
    /// `nil` for a list that names no point, and is for all of them.
    private let names: [DistributionPoint.Name]?

    init?(of list: CertificateList) {
        guard let content = list.fields.scope.name else {
            self.names = nil
            return
        }
        var point = DistributionPoint()
        let bytes = list.bytes
        guard (try? point.readName(content, in: bytes.span)) != nil else { return nil }
        let limit = CertificatePoint.maximumNames
        let names = point.names(in: bytes, relativeTo: (bytes, list.fields.issuer), upTo: limit + 1)
        guard names.count <= limit else { return nil }
        self.names = names
    }

    func meet(_ point: CertificatePoint) -> Bool {
        guard let names else { return true }
        return point.names.contains { name in names.contains { $0.isSame(as: name) } }
    }
}
