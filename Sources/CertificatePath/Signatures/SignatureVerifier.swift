//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras

/// Whether a signature could be checked, and what came of it.
enum SignatureOutcome: Sendable, Hashable {
    case valid
    case invalid
    /// The signed and the unsigned AlgorithmIdentifier differ (RFC 5280 §4.1.1.2).
    case algorithmMismatch
    /// Nothing here can verify signatures of this algorithm.
    case unsupportedAlgorithm
    /// Nothing here can verify with keys of this kind or size.
    case unsupportedKey
    case budgetExhausted
}

/// Verifies the signature of a certificate with an issuer's key.
///
/// The arithmetic is swift-crypto's (BoringSSL); what stands here is only which algorithm goes with which key. SHA-1 is
/// verified where a profile allows it, MD2, MD4 and MD5 never are: rules refuse them by name before it would matter.
enum SignatureVerifier {
    static func verify(_ certificate: CertificateView, with key: PublicKeySource) -> SignatureOutcome {
        let fields = certificate.fields
        guard fields.signatureAlgorithmsAgree else { return .algorithmMismatch }
        return Self.verify(
            signature: certificate.bytes.slice(fields.signature),
            of: certificate.bytes.slice(fields.tbsCertificate),
            algorithm: fields.signatureAlgorithm,
            with: key
        )
    }

    static func verify(
        signature: ArraySlice<UInt8>,
        of message: ArraySlice<UInt8>,
        algorithm: SignatureAlgorithm,
        with key: PublicKeySource
    ) -> SignatureOutcome {
        switch algorithm.scheme {
        case .rsaPKCS1, .rsaPSS: return Self.verifyRSA(signature, message, algorithm, key)
        case .ecdsa: return Self.verifyECDSA(signature, message, algorithm.digest, key)
        case .ed25519: return Self.verifyEd25519(signature, message, key)
        case .unsupported, .unknown: return .unsupportedAlgorithm
        }
    }

    private static func verifyRSA(
        _ signature: ArraySlice<UInt8>, _ message: ArraySlice<UInt8>, _ algorithm: SignatureAlgorithm,
        _ key: PublicKeySource
    ) -> SignatureOutcome {
        guard key.info.kind == .rsa else { return .invalid }
        guard let publicKey = Self.rsaKey(key) else { return .unsupportedKey }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        let padding: _RSA.Signing.Padding = algorithm.scheme == .rsaPSS ? .PSS : .insecurePKCS1v1_5
        let isValid: Bool
        switch algorithm.digest {
        case .sha256: isValid = publicKey.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
        case .sha384: isValid = publicKey.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
        case .sha512: isValid = publicKey.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
        case .sha1:
            isValid = publicKey.isValidSignature(signature, for: Insecure.SHA1.hash(data: message), padding: padding)
        case .md2, .md4, .md5, .sha224, .intrinsic: return .unsupportedAlgorithm
        }
        return isValid ? .valid : .invalid
    }

    /// swift-crypto reads no RSA key below 1,024 bits; every profile refuses those as weak anyway.
    private static func rsaKey(_ key: PublicKeySource) -> _RSA.Signing.PublicKey? {
        if key.info.bits >= 2_048 {
            return try? _RSA.Signing.PublicKey(
                n: key.bytes.slice(key.info.rsa.modulus), e: key.bytes.slice(key.info.rsa.exponent))
        }
        return try? _RSA.Signing.PublicKey(unsafeDERRepresentation: key.bytes.slice(key.info.key))
    }

    private static func verifyECDSA(
        _ signature: ArraySlice<UInt8>, _ message: ArraySlice<UInt8>, _ digest: SignatureDigest, _ key: PublicKeySource
    ) -> SignatureOutcome {
        switch digest {
        case .sha1: return Self.verifyECDSA(signature, Insecure.SHA1.hash(data: message), key)
        case .sha256: return Self.verifyECDSA(signature, SHA256.hash(data: message), key)
        case .sha384: return Self.verifyECDSA(signature, SHA384.hash(data: message), key)
        case .sha512: return Self.verifyECDSA(signature, SHA512.hash(data: message), key)
        case .md2, .md4, .md5, .sha224, .intrinsic: return .unsupportedAlgorithm
        }
    }

    /// A key or signature swift-crypto cannot read verifies nothing.
    private static func verifyECDSA(
        _ signature: ArraySlice<UInt8>, _ digest: some Digest, _ key: PublicKeySource
    ) -> SignatureOutcome {
        let point = key.bytes.slice(key.info.key)
        let isCompressed = point.first != 0x04
        do {
            let isValid: Bool
            switch key.info.kind {
            case .p256:
                let publicKey = try isCompressed
                    ? P256.Signing.PublicKey(compressedRepresentation: point)
                    : P256.Signing.PublicKey(x963Representation: point)
                isValid = try publicKey.isValidSignature(.init(derRepresentation: signature), for: digest)
            case .p384:
                let publicKey = try isCompressed
                    ? P384.Signing.PublicKey(compressedRepresentation: point)
                    : P384.Signing.PublicKey(x963Representation: point)
                isValid = try publicKey.isValidSignature(.init(derRepresentation: signature), for: digest)
            case .p521:
                let publicKey = try isCompressed
                    ? P521.Signing.PublicKey(compressedRepresentation: point)
                    : P521.Signing.PublicKey(x963Representation: point)
                isValid = try publicKey.isValidSignature(.init(derRepresentation: signature), for: digest)
            case .p192, .p224, .otherCurve, .explicitCurve: return .unsupportedKey
            case .rsa, .ed25519, .ed448, .unknown: return .invalid
            }
            return isValid ? .valid : .invalid
        } catch {
            return .invalid
        }
    }

    private static func verifyEd25519(
        _ signature: ArraySlice<UInt8>, _ message: ArraySlice<UInt8>, _ key: PublicKeySource
    ) -> SignatureOutcome {
        guard key.info.kind == .ed25519 else { return .invalid }
        let raw = key.bytes.slice(key.info.key)
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: raw) else { return .invalid }
        return publicKey.isValidSignature(signature, for: message) ? .valid : .invalid
    }
}
