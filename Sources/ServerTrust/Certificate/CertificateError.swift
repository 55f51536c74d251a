//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// An error for bytes that are not a readable certificate.
///
/// The description says how to correct the input.
public struct CertificateError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// The DER encoding breaks a rule.
        case malformed(DERError)
        /// The bytes are PEM text where DER is expected.
        case pemInsteadOfDER
        /// The input has no `BEGIN CERTIFICATE` block.
        case noCertificate
        /// A line of the PEM text cannot be read.
        case pem(PEMError)
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    init(_ error: DERError, looksLikePEM: Bool) {
        self.code = looksLikePEM ? .pemInsteadOfDER : .malformed(error)
    }
}

extension CertificateError: CustomStringConvertible {
    /// The error and its remedy, in a sentence.
    public var description: String {
        switch self.code {
        case .malformed(let error) where error.code == .empty:
            "there is no data: give a certificate in PEM or DER"
        case .malformed(let error) where error.code == .trailingBytes:
            "octets follow the end of the certificate, or of a part of it (\(error)): give several certificates in PEM, and "
                + "one in DER without what follows it"
        case .malformed(let error):
            "not a valid X.509 certificate (\(error)): ask its issuer for a correctly encoded one"
        case .pemInsteadOfDER:
            "this is PEM text where DER bytes are expected: read it with `Certificate(pem:)`, or convert it with "
                + "`openssl x509 -outform der`"
        case .noCertificate:
            "no certificate in it: expected a `-----BEGIN CERTIFICATE-----` block or DER bytes"
        case .pem(let error):
            "\(error)"
        }
    }
}
