//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
        /// The key is encrypted, and there is no password.
        case passwordNeeded
        /// The password is not the key's.
        case wrongPassword
        /// There is a password, and the key is not encrypted.
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

    init(_ code: Code, cause: (any Error)? = nil) {
        (self.code, self.cause) = (code, cause)
    }

    /// What is wrong and what to do.
    public var description: String {
        switch self.code {
        case .unreadableCertificate:
            "The client's certificate cannot be read. Give a PEM text that begins with BEGIN CERTIFICATE."
        case .unreadableKey: "The client's key cannot be read. Give a PEM text with a PRIVATE KEY."
        case .passwordNeeded: "The client's key is encrypted. Give its password."
        case .wrongPassword: "The password does not open the client's key, or the key is damaged. Check the password."
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
