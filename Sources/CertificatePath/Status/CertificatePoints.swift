//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The distribution points of a certificate, parsed once for all lists. The last one stands for the list that its
/// issuer keeps for all certificates (RFC 5280 §6.3.3, last paragraph).
///
/// Each list is compared with each name of each point, so only a realistic number of them is read.
struct CertificatePoints {
    /// The limit on points. Certificates in use have one or two.
    private static let maximumCount = 16

    let read: [CertificatePoint]
    /// `true` if there are more points, or more issuers of a point, than are read. Lists of unread points clear no
    /// certificate. An unread part may name the issuer of an indirect list, so the revocations on that list count.
    let areCut: Bool
    /// `true` if a supplied list covers one of the points.
    var haveLists = false

    /// The value without points, for evaluations without lists.
    static let none = CertificatePoints(read: [], areCut: false)

    private init(read: [CertificatePoint], areCut: Bool) { (self.read, self.areCut) = (read, areCut) }

    init(of certificate: CertificateView, _ names: inout NameTable) {
        let bytes = certificate.bytes
        var points: [CertificatePoint] = []
        var reader = DERReader(certificate.fields.extensions.crlDistributionPoints, in: bytes.span)
        while !reader.isAtEnd, points.count < Self.maximumCount,
            let point = try? DistributionPoint(&reader, in: bytes.span)
        { points.append(CertificatePoint(point, of: certificate, &names)) }
        self.areCut = !reader.isAtEnd || points.contains(where: \.hasUnreadIssuers)
        self.read = points + [CertificatePoint(DistributionPoint(), of: certificate, &names)]
    }
}

/// A distribution point of a certificate with its names.
struct CertificatePoint {
    /// The limit on names. Points in use have one to four names, which are mirrors of one list.
    fileprivate static let maximumNames = 16

    let reasons: ReasonFlags?
    /// The numbers of the names of its list issuers, or `nil` if the issuer of the certificate issues the lists. The
    /// set is empty if there are more names than are read.
    let issuers: Set<Int>?
    /// The names of the point, or none if there are more than are read.
    fileprivate let names: Set<PointName>
    /// `true` if the point names more issuers than are read, or none that can be parsed.
    fileprivate let hasUnreadIssuers: Bool

    fileprivate init(_ point: DistributionPoint, of certificate: CertificateView, _ names: inout NameTable) {
        let (bytes, issuer) = (certificate.bytes, certificate.fields.issuer)
        self.reasons = point.reasons
        let issuers = point.issuer.map { Self.names($0, in: bytes) }
        let directories = issuers?.filter { $0.form == .directoryName }
        self.issuers = directories.map { directories in Set(directories.map { names.number(of: $0.source) }) }
        self.hasUnreadIssuers = issuers?.isEmpty == true
        guard point.hasName else {
            let own = [DistributionPoint.Name(form: .directoryName, bytes: bytes, content: issuer)]
            self.names = Set((issuers ?? own).map { PointName($0, &names) })
            return
        }
        // A relative name is appended to the list issuer's name, which is the certificate issuer's unless the point names another.
        let base = directories?.first.map { ($0.bytes, $0.content) } ?? (bytes, issuer)
        let found = point.names(in: bytes, relativeTo: (bytes: base.0, name: base.1), upTo: Self.maximumNames + 1)
        self.names = found.count <= Self.maximumNames ? Set(found.map { PointName($0, &names) }) : []
    }

    private static func names(_ content: ByteRange, in bytes: [UInt8]) -> [DistributionPoint.Name] {
        let names = DistributionPoint.generalNames(content, in: bytes, upTo: Self.maximumNames + 1)
        return names.count <= Self.maximumNames ? names : []
    }
}

/// A name for comparing points with lists: the number of a directory name, or the octets of another name.
private enum PointName: Hashable {
    case directory(Int)
    case other(GeneralNameForm, [UInt8])

    init(_ name: DistributionPoint.Name, _ names: inout NameTable) {
        self =
            name.form == .directoryName
            ? .directory(names.number(of: name.source)) : .other(name.form, name.bytes[name.content])
    }
}

/// The names of the points that a list covers.
struct ListNames {
    /// The names, or `nil` if the list covers all points.
    private let names: Set<PointName>?

    init?(of list: CertificateList, _ names: inout NameTable) {
        guard let content = list.fields.scope.name else {
            self.names = nil
            return
        }
        var point = DistributionPoint()
        let bytes = list.bytes
        guard (try? point.readName(content, in: bytes.span)) != nil else { return nil }
        let limit = CertificatePoint.maximumNames
        let found = point.names(in: bytes, relativeTo: (bytes, list.fields.issuer), upTo: limit + 1)
        guard found.count <= limit else { return nil }
        self.names = Set(found.map { PointName($0, &names) })
    }

    func meet(_ point: CertificatePoint) -> Bool { self.names.map { !$0.isDisjoint(with: point.names) } ?? true }
}
