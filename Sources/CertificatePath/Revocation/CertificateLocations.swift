//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a certificate says that more is to be found (RFC 5280 §4.2.2.1, §4.2.1.13).
///
/// The holder of the certificate may have chosen these: they are shown, and fetched only where a caller decides to. Only
/// `http` is listed: `https` would need the answer to get the answer (RFC 5280 §8), `ldap` is not spoken here.
extension CertificateView {
    /// Where OCSP responders for the certificate are: URLs beginning with `http://`, at most eight.
    public var ocspURLs: [String] { self.accessURLs(Self.ocspMethod) }

    /// Where certificates of the issuer are: URLs beginning with `http://`, at most eight.
    public var issuerURLs: [String] { self.accessURLs(Self.issuersMethod) }

    /// Where revocation lists that cover the certificate are: URLs beginning with `http://`, at most eight.
    public var revocationListURLs: [String] {
        let bytes = self.bytes
        var urls = LocationList()
        var reader = DERReader(self.fields.extensions.crlDistributionPoints, in: bytes.span)
        while !reader.isAtEnd, !urls.isFull, let point = try? DistributionPoint(&reader, in: bytes.span) {
            guard let names = point.fullName else { continue }
            for name in DistributionPoint.generalNames(names, in: bytes)
            where name.form == .uniformResourceIdentifier {
                urls.add(bytes.slice(name.content))
            }
        }
        return urls.values
    }

    private func accessURLs(_ method: PackedOID) -> [String] {
        let bytes = self.bytes
        var urls = LocationList()
        var reader = DERReader(self.fields.extensions.authorityInformationAccess, in: bytes.span)
        while !reader.isAtEnd, !urls.isFull, var description = try? reader.nested(.sequence, in: bytes.span) {
            guard let identifier = try? description.objectIdentifier(in: bytes.span),
                let location = try? description.generalName(in: bytes.span),
                PackedOID(identifier, in: bytes.span) == method, location.form == .uniformResourceIdentifier
            else { continue }
            urls.add(bytes.slice(location.content))
        }
        return urls.values
    }

    /// id-ad-ocsp and id-ad-caIssuers.
    private static let ocspMethod = PackedOID([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01])
    private static let issuersMethod = PackedOID([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x02])
}

/// The locations worth knowing: few, short, printable and of the right scheme.
private struct LocationList {
    private(set) var values: [String] = []

    private static let maximumCount = 8
    private static let maximumSize = 2_048
    private static let scheme = Array("http://".utf8)

    var isFull: Bool { self.values.count >= Self.maximumCount }

    mutating func add(_ octets: ArraySlice<UInt8>) {
        guard !self.isFull, octets.count <= Self.maximumSize, octets.allSatisfy({ (0x21...0x7E).contains($0) }),
            octets.prefix(Self.scheme.count).map({ (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }) == Self.scheme
        else { return }
        let text = String(decoding: octets, as: UTF8.self)
        if !self.values.contains(text) { self.values.append(text) }
    }
}
