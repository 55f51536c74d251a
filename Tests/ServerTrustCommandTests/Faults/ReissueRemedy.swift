//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

/// An authority that reads a remedy, and changes in the new certificate what the words ask for and nothing else.
struct ReissueRemedy {
    let reason: ToldReason
    let host: String
    let issuer: CertificateView?

    private typealias Change = @Sendable (ReissueRemedy, inout CraftedCertificate) -> Void

    /// Changes the certificate by every phrase that the remedy has.
    func apply(to certificate: inout CraftedCertificate) throws {
        let asked = Self.changes.filter { self.reason.remedy.contains($0.0) }
        let forms =
            self.reason.code == "certificate-rule" ? Self.forms.filter { self.reason.required.contains($0.0) } : []
        try #require(!(asked + forms).isEmpty, "no one can follow “\(self.reason.remedy)”")
        for (_, change) in asked + forms { change(self, &certificate) }
    }

    private static let changes: [(String, Change)] = [
        ("Renew the certificate", { _, certificate in Self.renew(&certificate) }),
        ("with an earlier start", { _, certificate in certificate.notBefore = DER.utcTime("260501000000Z") }),
        ("for a shorter time", { remedy, certificate in remedy.shorten(&certificate) }),
        ("ake a new key", { _, certificate in Self.renewKey(&certificate) }),
        ("signed over SHA-256", { _, certificate in certificate.signWell() }),
        ("signed with sha256WithRSAEncryption", { _, certificate in certificate.signWell() }),
        ("signed with RSA or ECDSA over SHA-256", { _, certificate in certificate.signWell() }),
        ("its issuer writes wrong certificates", { _, certificate in certificate.signWell() }),
        ("the extended key usage serverAuth", { remedy, certificate in remedy.setUsages(&certificate) }),
        ("with the usage that is required", { remedy, certificate in remedy.setUsages(&certificate) }),
        ("issue the client certificate with clientAuth", { remedy, certificate in remedy.setUsages(&certificate) }),
        ("with the key usage that is missing", { _, certificate in certificate.set(.keyUsage(0)) }),
        ("without the entry that voids", { _, certificate in Self.removeVoiding(&certificate) }),
        ("subject alternative name", { remedy, certificate in remedy.addName(&certificate) }),
        (
            "for names that the issuer may vouch for",
            { remedy, certificate in
                certificate.set(.alternativeNames([.dns(remedy.host)]))
                certificate.subject = TestDER.name([[.cn(remedy.host)]])
            }
        ),
        (
            "without the extension, or",
            { remedy, certificate in for identifier in remedy.identifiers { certificate.remove(identifier) } }
        ),
        ("correctly and once", { remedy, certificate in remedy.writeOnce(&certificate) }),
        ("each extension once and correctly encoded", { remedy, certificate in remedy.writeOnce(&certificate) }),
        ("ersion 3", { _, certificate in certificate.version = DER.element(0xA0, DER.integer(2)) }),
        ("in version 3 with basic constraints", { _, certificate in certificate.set(.basicConstraints(true)) }),
        (
            "with the key identifier of its issuer",
            { remedy, certificate in
                certificate.set(.authorityKeyIdentifier(remedy.issuer?.subjectKeyIdentifier ?? []))
            }
        ),
        ("issued with a subject", { remedy, certificate in certificate.subject = TestDER.name([[.cn(remedy.host)]]) }),
        (
            "that writes distinguished names",
            { remedy, certificate in
                certificate.subject = TestDER.name([[.cn(remedy.host)]])
            }
        ),
        (
            "with the TLS feature extension of its issuer",
            { remedy, certificate in
                certificate.set(.tlsFeature(remedy.reason.found.matches(of: /\d+/).compactMap { UInt8($0.output) }))
            }
        ),
        // Only where the first way, to staple, is not taken.
        ("issued without must-staple", { _, certificate in certificate.remove("1.3.6.1.5.5.7.1.24") }),
    ]

    /// The rules on the form of certificates, each by its sentence.
    private static let forms: [(String, Change)] = [
        ("The serial number is positive", { _, certificate in certificate.serialNumber = DER.number(4_712) }),
        (
            "Every common name of a server's certificate is one of its alternative names",
            { remedy, certificate in
                certificate.subject = TestDER.name([[.cn(remedy.host)]])
            }
        ),
        ("A server's certificate has alternative names", { remedy, certificate in remedy.addName(&certificate) }),
        (
            "Each certificate below the anchor has an authority key identifier",
            { remedy, certificate in
                certificate.set(.authorityKeyIdentifier(remedy.issuer?.subjectKeyIdentifier ?? []))
            }
        ),
        (
            "Each certificate is version 3",
            { _, certificate in certificate.version = DER.element(0xA0, DER.integer(2)) }
        ),
    ]

    // MARK: Parts

    /// The object identifiers in what was found.
    private var identifiers: [String] {
        self.reason.found.matches(of: /\d+(?:\.\d+){2,}/).map { String($0.output) }
    }

    private static func renew(_ certificate: inout CraftedCertificate) {
        certificate.notBefore = DER.utcTime("260531000000Z")
        certificate.notAfter = DER.utcTime("260829000000Z")
        certificate.serialNumber = DER.number(4_712)
    }

    private static func renewKey(_ certificate: inout CraftedCertificate) {
        certificate.key = TestKey.p256(311).info
        certificate.serialNumber = DER.number(4_712)
    }

    private func shorten(_ certificate: inout CraftedCertificate) {
        let days = self.reason.remedy.firstMatch(of: /(\d+) days at most/).flatMap { Int64($0.1) }
        guard let days, let now = Timestamp("2026-05-31T00:00:00Z") else { return }
        certificate.notBefore = DER.utcTime("260531000000Z")
        // Both ends count, and the limit is kept by a day.
        let end = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch + (days - 1) * 86_400)
        certificate.notAfter = DER.utcTime(end.description.dropFirst(2).filter(\.isNumber) + "Z")
    }

    private func setUsages(_ certificate: inout CraftedCertificate) {
        let usages = self.reason.required.matches(of: /\d+(?:\.\d+){2,}/).map { DER.oid(String($0.output)) }
        certificate.set(TestExtension("2.5.29.37", DER.list(usages)))
    }

    private static func removeVoiding(_ certificate: inout CraftedCertificate) {
        certificate.alternativeNames = certificate.alternativeNames.filter { name in
            let content = name.dropFirst(2)
            return name[0] == 0x87
                ? [4, 16].contains(content.count) : String(validating: content, as: UTF8.self) != nil
        }
    }

    /// Adds the name that was asked for, as the remedy says: an address as an address.
    private func addName(_ certificate: inout CraftedCertificate) {
        guard !self.reason.remedy.contains("have this one") || self.reason.code == "name-mismatch" else { return }
        if self.reason.remedy.contains("critical subject alternative name") { return }
        if self.reason.remedy.contains("and without the others") { certificate.alternativeNames = [] }
        if self.reason.remedy.contains("not as a DNS name") {
            certificate.alternativeNames.removeAll { $0 == TestName.dns(self.reason.required).encoded }
        }
        let octets = self.reason.required.split(separator: ".").compactMap { UInt8($0) }
        let name = octets.count == 4 ? TestName.ip(octets) : .dns(self.host)
        certificate.alternativeNames += [name.encoded]
    }

    private func writeOnce(_ certificate: inout CraftedCertificate) {
        for identifier in self.identifiers {
            let all = certificate.extensions.filter { $0.oid == identifier }
            guard all.count > 1 else {
                certificate.set(identifier == "2.5.29.15" ? .keyUsage(0, 5, 6) : .basicConstraints(true))
                continue
            }
            certificate.remove(identifier)
            certificate.extensions.append(all[0])
        }
    }
}
