//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The distribution points of a certificate, read once for all lists, and at last the list that its issuer keeps for everything
/// (RFC 5280 §6.3.3, last paragraph).
///
/// Each list is held against each name of each point, so that only as many are read as any authority uses.
struct CertificatePoints {
    /// Certificates in use have one or two points.
    private static let maximumCount = 16

    /// Those that were read.
    let read: [CertificatePoint]
    /// Whether there are more points, or more issuers of a point, than are read. Their lists clear nothing. The issuer of an indirect
    /// list may be named there, so that what the list revokes counts.
    let areCut: Bool

    /// No points, for where there are no lists.
    static let none = CertificatePoints(read: [], areCut: false)

    private init(read: [CertificatePoint], areCut: Bool) { (self.read, self.areCut) = (read, areCut) }

    init(of certificate: CertificateView) {
        let bytes = certificate.bytes
        var points: [CertificatePoint] = []
        var reader = DERReader(certificate.fields.extensions.crlDistributionPoints, in: bytes.span)
        while !reader.isAtEnd, points.count < Self.maximumCount,
            let point = try? DistributionPoint(&reader, in: bytes.span)
        { points.append(CertificatePoint(point, of: certificate)) }
        self.areCut = !reader.isAtEnd || points.contains(where: \.hasUnreadIssuers)
        self.read = points + [CertificatePoint(DistributionPoint(), of: certificate)]
    }
}

/// A distribution point of a certificate with its names.
struct CertificatePoint {
    /// Points in use have one to four names: mirrors of one list.
    static let maximumNames = 16

    let reasons: ReasonFlags?
    /// Those who issue its lists; `nil` where that is the issuer of the certificate, and none where there are more than are read.
    let issuers: [DistributionPoint.Name]?
    /// What its lists go by; none where there are more than are read.
    let names: [DistributionPoint.Name]

    /// Whether it names more issuers than are read, or none that can be read.
    fileprivate var hasUnreadIssuers: Bool { self.issuers?.isEmpty == true }

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
struct ListNames {
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
