//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The results of one evaluation for lists and responses. Each list is hashed once and each certificate is looked up
/// once, regardless of the number of paths.
struct RevocationFindings {
    /// The digests of lists. They, the entries and the readings are found by the identity of objects, which the
    /// request keeps alive during the evaluation.
    private(set) var digests: [ObjectIdentifier: MessageDigest] = [:]
    private var entries: [Key: CertificateListEntry] = [:]
    private var readings: [Key: OCSPReading] = [:]
    /// The number of octets of lists and responses that may still be read.
    private var remaining: Int

    /// The limit on reading the whole input. A path has a handful of certificates, and few of them have the same issuer.
    private static let readings = 8

    /// Creates an empty store.
    ///
    /// - Parameter octets: The size of the whole input.
    init(octets: Int) {
        self.remaining = min(max(0, octets), 1 << 40) * Self.readings
    }

    /// A document and the certificate that is looked up. Certificates with the same issuer and number are one certificate.
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

    /// Returns the entry of a list for a certificate, or `nil` if the limit is reached.
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

    /// Returns the answers of a response about a certificate, or `nil` if the limit is reached.
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
