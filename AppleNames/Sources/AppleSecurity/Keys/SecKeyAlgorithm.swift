//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import ServerTrust

/// An algorithm for signatures.
///
/// All of Apple's names exist, but only algorithms for the verification of messages are supported.
/// ``SecKeyIsAlgorithmSupported(_:_:_:)`` tells them apart.
public struct SecKeyAlgorithm: RawRepresentable, Sendable, Hashable {
    /// Apple's name of the algorithm.
    public let rawValue: String

    /// Creates an algorithm by Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `algid:sign:RSA:raw`
    public static let rsaSignatureRaw = SecKeyAlgorithm(rawValue: "algid:sign:RSA:raw")
    /// `algid:sign:RSA:digest-PKCS1v15:SHA1`
    public static let rsaSignatureDigestPKCS1v15SHA1 = SecKeyAlgorithm(rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA1")
    /// `algid:sign:RSA:digest-PKCS1v15:SHA224`
    public static let rsaSignatureDigestPKCS1v15SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA224")
    /// `algid:sign:RSA:digest-PKCS1v15:SHA256`
    public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA256")
    /// `algid:sign:RSA:digest-PKCS1v15:SHA384`
    public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA384")
    /// `algid:sign:RSA:digest-PKCS1v15:SHA512`
    public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA512")
    /// `algid:sign:RSA:message-PKCS1v15:SHA1`
    public static let rsaSignatureMessagePKCS1v15SHA1 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA1")
    /// `algid:sign:RSA:message-PKCS1v15:SHA224`
    public static let rsaSignatureMessagePKCS1v15SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA224")
    /// `algid:sign:RSA:message-PKCS1v15:SHA256`
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA256")
    /// `algid:sign:RSA:message-PKCS1v15:SHA384`
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA384")
    /// `algid:sign:RSA:message-PKCS1v15:SHA512`
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA512")
    /// `algid:sign:RSA:digest-PSS:SHA1:SHA1:20`
    public static let rsaSignatureDigestPSSSHA1 = SecKeyAlgorithm(rawValue: "algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
    /// `algid:sign:RSA:digest-PSS:SHA224:SHA224:28`
    public static let rsaSignatureDigestPSSSHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA224:SHA224:28")
    /// `algid:sign:RSA:digest-PSS:SHA256:SHA256:32`
    public static let rsaSignatureDigestPSSSHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
    /// `algid:sign:RSA:digest-PSS:SHA384:SHA384:48`
    public static let rsaSignatureDigestPSSSHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
    /// `algid:sign:RSA:digest-PSS:SHA512:SHA512:64`
    public static let rsaSignatureDigestPSSSHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
    /// `algid:sign:RSA:message-PSS:SHA1:SHA1:20`
    public static let rsaSignatureMessagePSSSHA1 = SecKeyAlgorithm(rawValue: "algid:sign:RSA:message-PSS:SHA1:SHA1:20")
    /// `algid:sign:RSA:message-PSS:SHA224:SHA224:28`
    public static let rsaSignatureMessagePSSSHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA224:SHA224:28")
    /// `algid:sign:RSA:message-PSS:SHA256:SHA256:32`
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA256:SHA256:32")
    /// `algid:sign:RSA:message-PSS:SHA384:SHA384:48`
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA384:SHA384:48")
    /// `algid:sign:RSA:message-PSS:SHA512:SHA512:64`
    public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA512:SHA512:64")
    /// `algid:sign:ECDSA:digest-X962:SHA1`
    public static let ecdsaSignatureDigestX962SHA1 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA1")
    /// `algid:sign:ECDSA:digest-X962:SHA224`
    public static let ecdsaSignatureDigestX962SHA224 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA224")
    /// `algid:sign:ECDSA:digest-X962:SHA256`
    public static let ecdsaSignatureDigestX962SHA256 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA256")
    /// `algid:sign:ECDSA:digest-X962:SHA384`
    public static let ecdsaSignatureDigestX962SHA384 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA384")
    /// `algid:sign:ECDSA:digest-X962:SHA512`
    public static let ecdsaSignatureDigestX962SHA512 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA512")
    /// `algid:sign:ECDSA:message-X962:SHA1`
    public static let ecdsaSignatureMessageX962SHA1 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:message-X962:SHA1")
    /// `algid:sign:ECDSA:message-X962:SHA224`
    public static let ecdsaSignatureMessageX962SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA224")
    /// `algid:sign:ECDSA:message-X962:SHA256`
    public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA256")
    /// `algid:sign:ECDSA:message-X962:SHA384`
    public static let ecdsaSignatureMessageX962SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA384")
    /// `algid:sign:ECDSA:message-X962:SHA512`
    public static let ecdsaSignatureMessageX962SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA512")
}

/// An operation with a key.
public enum SecKeyOperationType: Int, Sendable {
    /// The key makes a signature.
    case sign
    /// The key verifies a signature.
    case verify
    /// The key encrypts data.
    case encrypt
    /// The key decrypts data.
    case decrypt
    /// The key agrees on a shared secret.
    case keyExchange
}

/// Returns `true` if a key supports an operation with an algorithm. Keys support only the verification of signatures over
/// messages, with SHA-1, SHA-256, SHA-384 or SHA-512.
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
    operation == .verify && algorithm.verification(with: key.key) != nil
}

/// Verifies a signature.
///
/// - Parameters:
///   - key: The key.
///   - algorithm: An algorithm for messages. Signatures over a precomputed digest are not supported.
///   - signedData: The signed message.
///   - signature: The signature.
///   - error: Receives the reason if the signature was not verified or is not valid.
/// - Returns: `true` if the signature is valid.
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<CFError?>?
) -> Bool {
    guard let (scheme, digest) = algorithm.verification(with: key.key) else {
        error.report(errSecParam, "A key \(key.key) does not verify \(algorithm.rawValue).")
        return false
    }
    let isValid = key.key.isValidSignature(Array(signature), over: Array(signedData), scheme: scheme, digest: digest)
    if !isValid { error.report(errSecVerifyFailed, "The signature is not the key's.") }
    return isValid
}

extension SecKeyAlgorithm {
    /// Returns the scheme and the digest, or `nil` if the key does not match them or they are not supported.
    fileprivate func verification(with key: PublicKey) -> (SignatureAlgorithm.Scheme, SignatureDigest)? {
        guard let (scheme, digest) = Self.verifications[self] else { return nil }
        let isForRSA = scheme != .ecdsa
        guard isForRSA == (key.kind == .rsa), isForRSA || [.p256, .p384, .p521].contains(key.kind) else { return nil }
        return (scheme, digest)
    }

    private static let verifications: [SecKeyAlgorithm: (SignatureAlgorithm.Scheme, SignatureDigest)] = [
        .rsaSignatureMessagePKCS1v15SHA1: (.rsaPKCS1, .sha1),
        .rsaSignatureMessagePKCS1v15SHA256: (.rsaPKCS1, .sha256),
        .rsaSignatureMessagePKCS1v15SHA384: (.rsaPKCS1, .sha384),
        .rsaSignatureMessagePKCS1v15SHA512: (.rsaPKCS1, .sha512),
        .rsaSignatureMessagePSSSHA1: (.rsaPSS, .sha1),
        .rsaSignatureMessagePSSSHA256: (.rsaPSS, .sha256),
        .rsaSignatureMessagePSSSHA384: (.rsaPSS, .sha384),
        .rsaSignatureMessagePSSSHA512: (.rsaPSS, .sha512),
        .ecdsaSignatureMessageX962SHA1: (.ecdsa, .sha1),
        .ecdsaSignatureMessageX962SHA256: (.ecdsa, .sha256),
        .ecdsaSignatureMessageX962SHA384: (.ecdsa, .sha384),
        .ecdsaSignatureMessageX962SHA512: (.ecdsa, .sha512),
    ]
}
