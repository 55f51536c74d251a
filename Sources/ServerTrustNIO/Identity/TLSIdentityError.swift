//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// What is wrong with the identity of a client.
///
/// It holds neither the key nor the password.
public struct TLSIdentityError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, Hashable {
        /// There is no certificate in the text, or one that cannot be read.
        case unreadableCertificate
        /// There is no key in the text, or one that cannot be read.
        case unreadableKey
        /// The file is not PKCS#12, or has more in it than an identity has.
        case unreadablePKCS12
        /// The file is protected in a way that is not supported.
        case unsupportedPKCS12
        /// The key is of a kind that no handshake here can be signed with.
        case unusableKey
        /// There is no key in the file.
        case noKey
        /// There are several keys in the file.
        case severalKeys
        /// There is no certificate of the file's key in the file.
        case noCertificateOfKey
        /// The key or the file is encrypted, and there is no password.
        case passwordNeeded
        /// The password is not that of the key or of the file.
        case wrongPassword
        /// There is a password, and nothing is encrypted.
        case passwordNotNeeded
        /// The password has characters outside ASCII.
        case passwordNotASCII
        /// The key belongs to another certificate than the first.
        case keyOfAnotherCertificate
        /// The signer names no algorithm.
        case noSignatureAlgorithm
        /// The certificate is not valid yet.
        case notYetValid
        /// The certificate is not valid anymore.
        case expired
    }

    /// What is wrong.
    public let code: Code

    /// The error of the reader that is behind it; `nil` without one.
    public let cause: (any Error)?

    /// The kind of file or key that was found in place of the wanted one.
    private let found: String?

    init(_ code: Code, found: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.found = found
        self.cause = cause
    }

    /// What in the file is not supported.
    private var detail: String {
        switch self.cause as? PKCS12Error {
        case .unsupportedAlgorithm(let identifier): ": algorithm \(identifier)"
        case .publicKeyIntegrity: ": by a signature"
        case .tooMuchWork: ": with more iterations, or a longer salt, than programs use"
        default: ""
        }
    }

    /// What is wrong and what to do.
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
