//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras

/// The result of verifying a signature.
enum SignatureOutcome: Sendable, Hashable {
    case valid
    case invalid
    /// The signed and the unsigned AlgorithmIdentifier differ (RFC 5280 §4.1.1.2).
    case algorithmMismatch
    /// The algorithm is not supported.
    case unsupportedAlgorithm
    /// The kind or size of the key is not supported.
    case unsupportedKey
    case budgetExhausted
}

/// The verification of a certificate's signature with an issuer's key.
///
/// The arithmetic is swift-crypto's (BoringSSL). This code only matches algorithms with keys. SHA-1 is verified for
/// profiles that allow it. MD2, MD4 and MD5 never are, and a rule rejects each by name.
enum SignatureVerifier {
    static func verify(_ certificate: CertificateView, with key: PublicKeySource) -> SignatureOutcome {
        let fields = certificate.fields
        guard fields.signatureAlgorithmsAgree else { return .algorithmMismatch }
        return Self.verify(
            signature: certificate.bytes.slice(fields.signature),
            of: certificate.bytes.slice(fields.tbsCertificate),
            algorithm: fields.signatureAlgorithm,
            with: key,
            digest: certificate.signedDigest
        )
    }

    static func verify(
        signature: ArraySlice<UInt8>,
        of message: ArraySlice<UInt8>,
        algorithm: SignatureAlgorithm,
        with key: PublicKeySource,
        digest: @autoclosure () -> MessageDigest? = nil
    ) -> SignatureOutcome {
        guard Self.canVerify(algorithm) else { return .unsupportedAlgorithm }
        guard Self.fits(algorithm, key.info) else { return .invalid }
        return Self.verify(signature, of: message, algorithm: algorithm, with: key.verificationKey, digest: digest())
    }

    /// Verifies a signature with a key that is not in a certificate.
    static func verify(
        signature: ArraySlice<UInt8>, of message: ArraySlice<UInt8>, algorithm: SignatureAlgorithm,
        with key: SubjectPublicKeyInfo, in bytes: [UInt8]
    ) -> SignatureOutcome {
        guard Self.canVerify(algorithm) else { return .unsupportedAlgorithm }
        guard Self.fits(algorithm, key) else { return .invalid }
        return Self.verify(
            signature, of: message, algorithm: algorithm, with: VerificationKey(key, in: bytes), digest: nil)
    }

    private static func verify(
        _ signature: ArraySlice<UInt8>, of message: ArraySlice<UInt8>, algorithm: SignatureAlgorithm,
        with verificationKey: VerificationKey, digest: @autoclosure () -> MessageDigest?
    ) -> SignatureOutcome {
        switch verificationKey {
        case .unsupported: return .unsupportedKey
        case .malformed: return .invalid
        case .ed25519(let key): return key.isValidSignature(signature, for: message) ? .valid : .invalid
        case .rsa, .p256, .p384, .p521: break
        }
        guard let digest = digest() ?? MessageDigest(of: message, algorithm.digest) else { return .invalid }
        let isValid =
            switch digest {
            case .sha1(let digest): verificationKey.verifies(signature, digest, algorithm.scheme)
            case .sha256(let digest): verificationKey.verifies(signature, digest, algorithm.scheme)
            case .sha384(let digest): verificationKey.verifies(signature, digest, algorithm.scheme)
            case .sha512(let digest): verificationKey.verifies(signature, digest, algorithm.scheme)
            }
        return isValid ? .valid : .invalid
    }

    /// Returns `true` if the form of a signature shows that another key made it, so that a verification would fail.
    /// Such a signature is of another kind or size than the key's.
    static func isRuledOut(
        _ signature: ArraySlice<UInt8>, _ algorithm: SignatureAlgorithm, with key: SubjectPublicKeyInfo
    ) -> Bool {
        guard Self.canVerify(algorithm) else { return false }
        guard Self.fits(algorithm, key) else { return true }
        return switch key.kind {
        case .rsa: key.bits >= 1_024 && signature.count != (key.bits + 7) / 8
        case .p256: Self.isOfAnotherCurve(signature, width: 32)
        case .p384: Self.isOfAnotherCurve(signature, width: 48)
        case .p521: Self.isOfAnotherCurve(signature, width: 66)
        default: false
        }
    }

    /// Returns `true` if a signature is not of a curve: it is malformed, or both of its numbers are far too small. Both
    /// numbers of a genuine signature lack this many octets with a probability of 1 in 2^144.
    private static func isOfAnotherCurve(_ signature: ArraySlice<UInt8>, width: Int) -> Bool {
        guard let plain = try? ECDSASignatureValue(der: signature, width: width).plain else { return true }
        let (r, s) = (plain.prefix(Self.missingOctets), plain[width...].prefix(Self.missingOctets))
        return r.allSatisfy { $0 == 0 } && s.allSatisfy { $0 == 0 }
    }

    private static let missingOctets = 10

    private static func canVerify(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (algorithm.scheme, algorithm.digest) {
        case (.unsupported, _), (.unknown, _): false
        case (.ed25519, _): true
        case (_, .sha1), (_, .sha256), (_, .sha384), (_, .sha512): true
        case (_, .md2), (_, .md4), (_, .md5), (_, .sha224), (_, .intrinsic): false
        }
    }

    /// Returns `true` if the algorithm and the key are of the same kind.
    private static func fits(_ algorithm: SignatureAlgorithm, _ key: SubjectPublicKeyInfo) -> Bool {
        switch algorithm.scheme {
        case .rsaPKCS1, .rsaPSS: key.kind == .rsa && Self.fits(algorithm, key.restriction)
        case .ecdsa: key.kind.isEllipticCurve
        case .ed25519: key.kind == .ed25519
        case .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unsupported, .unknown: false
        }
    }
}

extension CertificateView {
    /// `true` if the certificate is signed with its own key under its own name (SecCertificate.c
    /// `_SecCertificateIsSelfSigned`). Reading it verifies the signature.
    public var isSelfSigned: Bool {
        self.isSelfIssued && self.keyIdentifierMatches(issuer: self) != false && self.holdsOwnSignature
    }

    /// `true` if the certificate's own key made its signature.
    var holdsOwnSignature: Bool { SignatureVerifier.verify(self, with: PublicKeySource(self)) == .valid }
}

extension SignatureVerifier {
    private static func fits(_ algorithm: SignatureAlgorithm, _ restriction: RSARestriction) -> Bool {
        switch restriction {
        case .none: true
        case .pss: algorithm.scheme == .rsaPSS
        case .pssWithParameters(let parameters):
            algorithm.scheme == .rsaPSS && parameters.allowsSignatures(over: algorithm.digest)
        case .unusable: false
        }
    }
}

extension VerificationKey {
    /// Returns `true` if the key made a signature over a digest. A signature that the library cannot read belongs to no key.
    fileprivate func verifies(
        _ signature: ArraySlice<UInt8>, _ digest: some Digest, _ scheme: SignatureAlgorithm.Scheme
    ) -> Bool {
        do {
            switch self {
            case .rsa(let key):
                let padding: _RSA.Signing.Padding = scheme == .rsaPSS ? .PSS : .insecurePKCS1v1_5
                let plain = unsafe signature.withUnsafeBytes { unsafe _RSA.Signing.RSASignature(rawRepresentation: $0) }
                return key.isValidSignature(plain, for: digest, padding: padding)
            case .p256(let key):
                let plain = try ECDSASignatureValue(der: signature, width: 32).plain
                return try key.isValidSignature(
                    unsafe plain.withUnsafeBytes { try unsafe .init(rawRepresentation: $0) }, for: digest)
            case .p384(let key):
                let plain = try ECDSASignatureValue(der: signature, width: 48).plain
                return try key.isValidSignature(
                    unsafe plain.withUnsafeBytes { try unsafe .init(rawRepresentation: $0) }, for: digest)
            case .p521(let key):
                let plain = try ECDSASignatureValue(der: signature, width: 66).plain
                return try key.isValidSignature(
                    unsafe plain.withUnsafeBytes { try unsafe .init(rawRepresentation: $0) }, for: digest)
            case .ed25519, .unsupported, .malformed: return false
            }
        } catch {
            return false
        }
    }
}
