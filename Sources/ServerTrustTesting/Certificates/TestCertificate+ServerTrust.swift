//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension TestCertificate {
    /// The certificate as a type of ServerTrust. ``certificate`` is the same certificate as a type of swift-certificates.
    ///
    /// - Throws: `CertificateError` if the description has values that ServerTrust does not read.
    public var trustCertificate: ServerTrust.Certificate {
        get throws(CertificateError) {
            try ServerTrust.Certificate(der: self.der)
        }
    }

    /// The public key of the certificate.
    ///
    /// - Throws: `CertificateError` if the description has values that ServerTrust does not read.
    public var publicKey: ServerTrust.PublicKey {
        get throws(CertificateError) {
            try self.trustCertificate.publicKey
        }
    }

    /// The pin of the certificate's key. It remains valid when the certificate is renewed with the same key.
    ///
    /// - Throws: `CertificateError` if the description has values that ServerTrust does not read.
    public var pin: Pin {
        get throws(CertificateError) {
            Pin(try self.publicKey)
        }
    }

    /// The pin of the whole certificate, which changes with every renewal.
    ///
    /// - Throws: `CertificateError` if the description has values that ServerTrust does not read.
    public var certificatePin: Pin {
        get throws(CertificateError) {
            Pin(certificate: try self.trustCertificate)
        }
    }
}

extension TestAuthority {
    /// The root as the only trust anchor.
    ///
    /// - Throws: `CertificateError` if the root's description has values that ServerTrust does not read.
    public var anchors: TrustAnchors {
        get throws(CertificateError) {
            .only([try self.root.trustCertificate])
        }
    }
}
