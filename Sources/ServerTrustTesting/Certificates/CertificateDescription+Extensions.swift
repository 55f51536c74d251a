//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SwiftASN1
import X509

import struct CertificatePath.IPAddress

extension CertificateDescription {
    /// Returns the extensions of the certificate.
    ///
    /// - Parameters:
    ///   - publicKey: The key being certified.
    ///   - issuer: The certificate of the issuer, or `nil` if self-signed.
    /// - Returns: The extensions, in a fixed order.
    /// - Throws: An error if a value cannot be encoded or an extension would occur twice.
    func extensions(for publicKey: Certificate.PublicKey, issuer: TestCertificate?) throws -> Certificate.Extensions {
        var extensions = Certificate.Extensions()
        try extensions.append(self.makeBasicConstraints())
        if let keyUsage = self.keyUsage {
            try extensions.append(Certificate.Extension(keyUsage, critical: true))
        }
        if let usages = self.extendedKeyUsages {
            try extensions.append(Certificate.Extension(ExtendedKeyUsage(usages), critical: false))
        }
        if let nameConstraints = self.nameConstraints {
            try extensions.append(Certificate.Extension(nameConstraints, critical: true))
        }
        if let names = try self.makeSubjectAlternativeNames() {
            try extensions.append(names)
        }
        try self.appendKeyIdentifiers(to: &extensions, publicKey: publicKey, issuer: issuer)
        for extra in self.extraExtensions {
            try extensions.append(extra)
        }
        return extensions
    }

    private func makeBasicConstraints() throws -> Certificate.Extension {
        let constraints: BasicConstraints =
            self.isCA ? .isCertificateAuthority(maxPathLength: self.pathLength) : .notCertificateAuthority
        return try Certificate.Extension(constraints, critical: true)
    }

    private func makeSubjectAlternativeNames() throws -> Certificate.Extension? {
        let names =
            self.dnsNames.map { GeneralName.dnsName($0) }
            + (try self.ipAddresses.map { .ipAddress(ASN1OctetString(contentBytes: try Self.bytes(ofIP: $0)[...])) })
            + self.emailAddresses.map { GeneralName.rfc822Name($0) }
            + self.uniformResourceIdentifiers.map { GeneralName.uniformResourceIdentifier($0) }
        guard !names.isEmpty else {
            return nil
        }
        // Critical if the subject is empty: RFC 5280, section 4.2.1.6.
        return try Certificate.Extension(SubjectAlternativeNames(names), critical: self.commonName == nil)
    }

    private func appendKeyIdentifiers(
        to extensions: inout Certificate.Extensions,
        publicKey: Certificate.PublicKey,
        issuer: TestCertificate?
    ) throws {
        if self.includesSubjectKeyIdentifier {
            try extensions.append(Certificate.Extension(SubjectKeyIdentifier(hash: publicKey), critical: false))
        }
        if self.includesAuthorityKeyIdentifier, let issuer {
            let identifier =
                try issuer.certificate.extensions.subjectKeyIdentifier
                ?? SubjectKeyIdentifier(hash: issuer.certificate.publicKey)
            let authority = AuthorityKeyIdentifier(keyIdentifier: identifier.keyIdentifier)
            try extensions.append(Certificate.Extension(authority, critical: false))
        }
    }

    /// Returns the 4 or 16 bytes of an IP address.
    private static func bytes(ofIP text: String) throws -> [UInt8] {
        guard let address = IPAddress(text) else {
            throw TestCertificateError("\(text.debugDescription) is not an IP address")
        }
        return address.octets
    }
}
