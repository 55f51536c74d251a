//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What one evaluation has found in lists and responses, so that it hashes each list once and looks a certificate up once,
/// however many paths there are.
struct RevocationFindings {
    /// The digests of lists, the certificates' entries and answers by the objects that hold them, which the request keeps
    /// alive as long as the evaluation lasts.
    private(set) var digests: [ObjectIdentifier: MessageDigest] = [:]
    private var entries: [Key: CertificateListEntry] = [:]
    private var readings: [Key: OCSPReading] = [:]
    /// How many more octets of lists and responses may be read.
    private var remaining: Int

    /// A path has a handful of certificates, and few of them are on one list's issuer.
    private static let readings = 8

    /// - Parameter octets: The size of everything that was supplied.
    init(octets: Int) {
        self.remaining = min(max(0, octets), 1 << 40) * Self.readings
    }

    /// A document and the certificate it is asked about: certificates of one issuer and number are one certificate.
    private struct Key: Hashable {
        let document: ObjectIdentifier
        let serialNumber: [UInt8]
        let issuer: [UInt8]
        var issuerKey: [UInt8] = []

        init(_ document: AnyObject, _ certificate: CertificateView) {
            self.document = ObjectIdentifier(document)
            self.serialNumber = certificate.bytes[certificate.fields.serialNumber]
            self.issuer = certificate.bytes[certificate.fields.issuer]
        }
    }

    mutating func digest(of list: CertificateList) -> MessageDigest? {
        let key = ObjectIdentifier(list)
        if let known = self.digests[key] { return known }
        let message = list.bytes.slice(list.fields.tbsCertList)
        let digest = MessageDigest(of: message, list.fields.signatureAlgorithm.digest)
        self.digests[key] = digest
        return digest
    }

    /// What a list says about a certificate; `nil` when no more may be read.
    mutating func entry(
        for certificate: CertificateView, on list: CertificateList, _ names: inout NameTable
    ) -> CertificateListEntry? {
        let key = Key(list, certificate)
        if let known = self.entries[key] { return known }
        guard self.spend(list.fields.revoked.count) else { return nil }
        let entry = list.entry(for: certificate, &names)
        self.entries[key] = entry
        return entry
    }

    /// What a response says about a certificate; `nil` when no more may be read.
    mutating func reading(
        of response: OCSPResponse, about certificate: CertificateView, issuerKey: PublicKeySource
    ) -> OCSPReading? {
        var key = Key(response, certificate)
        key.issuerKey = issuerKey.bytes[issuerKey.info.whole]
        if let known = self.readings[key] { return known }
        guard self.spend(response.fields.responses.count) else { return nil }
        let reading = OCSPReading(of: response, about: certificate, issuerKey: issuerKey)
        self.readings[key] = reading
        return reading
    }

    private mutating func spend(_ octets: Int) -> Bool {
        guard octets <= self.remaining else { return false }
        self.remaining -= octets
        return true
    }
}
