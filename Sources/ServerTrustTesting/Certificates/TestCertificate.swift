//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SwiftASN1
public import X509

/// A throw-away certificate together with its private key.
///
/// A ``TestAuthority`` issues certificates. Send ``der`` or ``pem`` from a server of your own, or start one with
/// `withTestServer`.
public struct TestCertificate: Hashable, Sendable {
    /// The certificate.
    public let certificate: Certificate

    /// The private key of the public key in ``certificate``.
    public let privateKey: TestPrivateKey

    /// The certificate in DER.
    public let der: [UInt8]

    /// The certificate in PEM.
    public var pem: String {
        PEMDocument(type: "CERTIFICATE", derBytes: self.der).pemString + "\n"
    }

    /// Creates a certificate.
    ///
    /// - Parameters:
    ///   - description: The description of the certificate.
    ///   - key: The key to certify.
    ///   - issuer: The issuer, or `nil` for a self-signed certificate.
    /// - Throws: An error if the certificate cannot be created as described.
    init(_ description: CertificateDescription, key: TestPrivateKey, issuer: TestCertificate?) throws {
        let subject = try DistinguishedName {
            if let commonName = description.commonName {
                CommonName(commonName)
            }
        }
        let signer = issuer?.privateKey ?? key
        self.certificate = try Certificate(
            version: .v3,
            serialNumber: description.serialNumber ?? Certificate.SerialNumber(),
            publicKey: key.key.publicKey,
            notValidBefore: description.notBefore,
            notValidAfter: description.notAfter,
            issuer: issuer?.certificate.subject ?? subject,
            subject: subject,
            signatureAlgorithm: signer.signatureAlgorithm(hash: description.signatureHash),
            extensions: description.extensions(for: key.key.publicKey, issuer: issuer),
            issuerPrivateKey: signer.key
        )
        self.privateKey = key
        var serializer = DER.Serializer()
        try self.certificate.serialize(into: &serializer)
        self.der = serializer.serializedBytes
    }
}
