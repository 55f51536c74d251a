//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The error for an unusable client identity.
///
/// It contains neither the key nor the password.
public struct TLSIdentityError: Error, Sendable, CustomStringConvertible {
    /// The kinds of problem with an identity.
    public enum Code: String, Sendable, Hashable {
        /// The text has no certificate, or one that cannot be read.
        case unreadableCertificate
        /// The text has no key, or one that cannot be read.
        case unreadableKey
        /// The file is not PKCS#12, or has more items than an identity has.
        case unreadablePKCS12
        /// The protection of the file is not supported.
        case unsupportedPKCS12
        /// The key is of a kind that this package cannot sign handshakes with.
        case unusableKey
        /// The file has no key.
        case noKey
        /// The file has several keys.
        case severalKeys
        /// The file has no certificate of its key.
        case noCertificateOfKey
        /// The key or the file is encrypted, and no password was given.
        case passwordNeeded
        /// The password does not open the key or the file.
        case wrongPassword
        /// A password was given, and nothing is encrypted.
        case passwordNotNeeded
        /// The password has characters outside ASCII.
        case passwordNotASCII
        /// The key does not belong to the first certificate.
        case keyOfAnotherCertificate
        /// The signer names no algorithm.
        case noSignatureAlgorithm
        /// The validity of the certificate has not begun.
        case notYetValid
        /// The certificate has expired.
        case expired
    }

    /// The kind of problem.
    public let code: Code

    /// The underlying error of the reader, or `nil` if there is none.
    public let cause: (any Error)?

    /// The kind of file or key that was found instead of the expected one.
    private let found: String?

    init(_ code: Code, found: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.found = found
        self.cause = cause
    }

    /// The unsupported part of the file, as the end of a sentence.
    private var detail: String {
        switch self.cause as? PKCS12Error {
        case .unsupportedAlgorithm(let identifier): ": algorithm \(identifier)"
        case .publicKeyIntegrity: ": by a signature"
        case .tooMuchWork: ": with more iterations, or a longer salt, than programs use"
        default: ""
        }
    }

    /// The problem and a remedy.
    public var description: String {
        switch self.code {
        case .unreadableCertificate:
            "The client's certificate cannot be read. Give a PEM text that begins with BEGIN CERTIFICATE."
        case .unreadableKey: "The client's key cannot be read. Give a PEM text with a PRIVATE KEY."
        case .unreadablePKCS12 where self.found != nil:
            "The file cannot be read as PKCS#12: \(self.found ?? "")."
        case .unusableKey:
            "The key of the PKCS#12 file is of the kind \(self.found ?? "unknown"), which signs no handshake here. "
                + "Have a certificate issued for a key on P-256 or P-384, or of RSA (rsaEncryption)."
        case .unreadablePKCS12:
            "The file cannot be read as PKCS#12. Write it anew: openssl pkcs12 -in OLD -out NEW.pem, and give NEW.pem."
        case .unsupportedPKCS12:
            "The PKCS#12 file is protected in a way that is not supported\(self.detail). Write it anew: "
                + "openssl pkcs12 -legacy -in OLD -out NEW.pem, and give NEW.pem."
        case .noKey: "The PKCS#12 file has no private key. Export the certificate together with its key."
        case .severalKeys:
            "The PKCS#12 file has several private keys. Export the identity that is meant into a file of its own."
        case .noCertificateOfKey:
            "The PKCS#12 file has no certificate of its private key. Export the key together with its certificate."
        case .passwordNeeded: "The client's key is encrypted. Give its password."
        case .wrongPassword:
            "The password does not open the client's key or PKCS#12 file, or the file is damaged. Check the password."
        case .passwordNotNeeded:
            "The client's key is not encrypted, and there is a password. Give the encrypted key, or no password."
        case .passwordNotASCII:
            "The password of the client's key has characters outside ASCII. Encrypt the key with another: openssl pkcs8 -topk8."
        case .keyOfAnotherCertificate:
            "The key does not belong to the first certificate. Put the client's own certificate first, and give its key."
        case .noSignatureAlgorithm: "The signer names no signature algorithm. Name those that the key can sign with."
        case .notYetValid: "The client's certificate is not valid yet. Check this machine's clock."
        case .expired: "The client's certificate has expired. Have it renewed."
        }
    }
}
