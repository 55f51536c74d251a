//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension TestCertificate {
    /// The certificate as ServerTrust has it; ``certificate`` is swift-certificates'.
    ///
    /// - Throws: `CertificateError` if it was described in a way that ServerTrust does not read.
    public var trustCertificate: ServerTrust.Certificate {
        get throws(CertificateError) {
            try ServerTrust.Certificate(der: self.der)
        }
    }

    /// The public key in the certificate.
    ///
    /// - Throws: `CertificateError` if the certificate was described in a way that ServerTrust does not read.
    public var publicKey: ServerTrust.PublicKey {
        get throws(CertificateError) {
            try self.trustCertificate.publicKey
        }
    }

    /// The pin of the key in the certificate, which outlives the certificate.
    ///
    /// - Throws: `CertificateError` if the certificate was described in a way that ServerTrust does not read.
    public var pin: Pin {
        get throws(CertificateError) {
            Pin(try self.publicKey)
        }
    }

    /// The pin of the whole certificate, which changes with every renewal.
    ///
    /// - Throws: `CertificateError` if it was described in a way that ServerTrust does not read.
    public var certificatePin: Pin {
        get throws(CertificateError) {
            Pin(certificate: try self.trustCertificate)
        }
    }
}

extension TestAuthority {
    /// The root as all that is trusted.
    ///
    /// - Throws: `CertificateError` if the root was described in a way that ServerTrust does not read.
    public var anchors: TrustAnchors {
        get throws(CertificateError) {
            .only([try self.root.trustCertificate])
        }
    }
}
