//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The URLs in a certificate for further evidence (RFC 5280 §4.2.2.1, §4.2.1.13).
///
/// The holder of the certificate may have chosen these URLs. They are shown, and fetched only if a caller decides so.
/// Only `http` is listed. An `https` connection might itself need this evidence (RFC 5280 §8), and `ldap` is not
/// supported.
extension CertificateView {
    /// The URLs of OCSP responders for the certificate that begin with `http://`, at most eight.
    public var ocspURLs: [String] { self.accessURLs(Self.ocspMethod) }

    /// The URLs of the issuer's certificates that begin with `http://`, at most eight.
    public var issuerURLs: [String] { self.accessURLs(Self.issuersMethod) }

    /// The URLs of revocation lists for the certificate that begin with `http://`, at most eight.
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

    /// The access method id-ad-ocsp. The next one is id-ad-caIssuers.
    private static let ocspMethod = PackedOID([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01])
    private static let issuersMethod = PackedOID([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x02])
}

/// The usable locations: few, short, printable and with the right scheme.
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
