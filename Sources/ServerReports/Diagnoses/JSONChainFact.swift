//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import TLSProbe
import TLSWire

/// A presented chain, in JSON.
struct JSONChainFact: Codable, Hashable, Sendable {
    let versions: [String]
    let isProven: Bool
    let hasOCSPResponse: Bool
    let certificates: [JSONPresentedCertificate]

    init(_ chain: ChainFact) {
        self.versions = chain.versions.map(\.description)
        self.isProven = chain.isProven
        self.hasOCSPResponse = chain.ocspResponse != nil
        self.certificates = chain.certificates.map(JSONPresentedCertificate.init)
    }
}

/// A presented certificate, in JSON. A certificate that cannot be read has only an error.
struct JSONPresentedCertificate: Codable, Hashable, Sendable {
    var subject: String?
    var issuer: String?
    var serialNumber: String?
    var notBefore: String?
    var notAfter: String?
    var key: String?
    var keyBits: Int?
    var signatureAlgorithm: String?
    var spkiSHA256: String?
    var sha256: String?
    var dnsNames: [String]?
    var ipAddresses: [String]?
    var error: String?

    init(_ der: [UInt8]) {
        do {
            let certificate = try Certificate(der: der)
            self.subject = DisplayText.text(certificate.subject)
            self.issuer = DisplayText.text(certificate.issuer)
            self.serialNumber = JSONText.hexadecimal(certificate.serialNumber)
            self.notBefore = ISO8601.text(certificate.notValidBefore)
            self.notAfter = ISO8601.text(certificate.notValidAfter)
            self.key = "\(certificate.publicKey)"
            self.keyBits = certificate.publicKey.sizeInBits
            self.signatureAlgorithm = certificate.signatureAlgorithm
            self.spkiSHA256 = certificate.publicKey.pin
            self.sha256 = JSONText.hexadecimal(certificate.sha256Fingerprint)
            self.dnsNames = certificate.dnsNames.map(DisplayText.text)
            self.ipAddresses = certificate.ipAddresses.map(\.description)
        } catch {
            self.error = DisplayText.text("\(error)")
        }
    }
}
