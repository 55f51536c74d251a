//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a path was refused, and what on it was at fault.
public struct Rejection: Sendable, Hashable {
    /// The certificate at fault, counted from the leaf (0) towards the anchor.
    public let certificateIndex: Int
    /// The rule it broke, with the evidence.
    public let reason: RejectionReason

    init(_ reason: RejectionReason, at certificateIndex: Int) {
        self.certificateIndex = certificateIndex
        self.reason = reason
    }
}

/// A broken rule, with the evidence a person needs to see that it was broken.
public enum RejectionReason: Sendable, Hashable {
    /// The certificate's validity ended.
    case expired(notAfter: Timestamp, at: Timestamp)
    /// The certificate's validity has not begun.
    case notYetValid(notBefore: Timestamp, at: Timestamp)
    /// The path ends in a self-signed certificate that is no anchor.
    case untrustedRoot
    /// A root of the path is blocked, even where it is trusted by hand.
    case blockedRoot(BlockedRoot)
    /// No certificate with the issuer's name was supplied or is trusted.
    case unknownIssuer
    /// There is an issuer by name, but its key did not make the signature.
    case badSignature
    /// The signed and the unsigned signature algorithm differ.
    case signatureAlgorithmMismatch
    /// The signature is of an algorithm that cannot be verified here.
    case unsupportedSignatureAlgorithm(SignatureAlgorithm)
    /// The signature is of an algorithm that the profile does not accept in certificates.
    case signatureAlgorithmNotAccepted(SignatureAlgorithm)
    /// The key is for an algorithm alone that the profile does not accept in certificates: id-RSASSA-PSS.
    case keyAlgorithmNotAccepted
    /// The issuer's key is of a kind or size that cannot be verified with here.
    case unsupportedIssuerKey(PublicKeyKind, bits: Int)
    /// The key is too weak for any use, or of a kind that has none.
    case weakKey(PublicKeyKind, bits: Int, minimum: Int)
    /// The key is too small, or of the wrong kind, for a TLS server's path.
    case keyTooSmallForServer(PublicKeyKind, bits: Int, minimum: Int)
    /// The certificate is signed over MD2, MD4 or MD5.
    case brokenDigest(SignatureDigest)
    /// The certificate is signed over SHA-1.
    case weakDigest(SignatureDigest)
    /// The certificate is not for the name it was asked about, or that is no name a certificate can be for.
    case nameMismatch(reference: String, presented: PresentedIdentities, invalid: InvalidReferenceIdentity?)
    /// The extended key usages do not include what the certificate is used for.
    case extendedKeyUsage(required: [OID], present: [OID])
    /// The server's certificate must name serverAuth itself and does not.
    case serverAuthenticationMissing(present: [OID])
    /// The key usage lacks bits that are needed.
    case keyUsage(missing: KeyUsage)
    /// An issuer has no basic constraints.
    case basicConstraintsMissing
    /// An issuer's basic constraints say that it is no certificate authority.
    case notCertificateAuthority
    /// An issuer is a version 1 or 2 certificate, which cannot say what it may sign.
    case oldVersionIssuer(version: Int)
    /// More intermediates follow than the issuer's path length allows.
    case pathLengthExceeded(limit: Int, actual: Int)
    /// The path has more intermediates than the caller allows.
    case tooManyIntermediates(limit: Int, actual: Int)
    /// The certificates go on above the longest path that is followed.
    case pathTooLong(limit: Int)
    /// A critical extension that this library does not know.
    case unknownCriticalExtension(OID)
    /// A known extension that could not be read.
    case malformedExtension(OID)
    /// An extension that occurs twice.
    case duplicateExtension(OID)
    /// A subject or issuer that is not a distinguished name.
    case malformedName
    /// A name outside what an issuer permits, or inside what it excludes.
    case nameConstraints(NameConstraintViolation)
    /// No certificate policy survives where one is required, or anyPolicy was mapped.
    case certificatePolicies
    /// The authority key identifier names another key than the issuer's.
    case keyIdentifierMismatch
    /// A subject that must not be empty is.
    case emptySubject
    /// The server's certificate lives longer than the limit for its date of issuance.
    case lifetimeTooLong(seconds: Int64, limit: LifetimeLimit)
    /// A rule on the form of certificates is broken.
    case certificateRule(CertificateRules)
    /// The leaf's key is not among the pinned ones.
    case leafKeyNotPinned
    /// No key above the leaf is among the pinned ones.
    case authorityKeyNotPinned
    /// Nothing on the path is pinned.
    case pathNotPinned
    /// The anchor is not pinned.
    case anchorNotPinned
    /// The issuer revoked the certificate.
    case revoked(RevocationReason, since: Timestamp)
    /// Whether the certificate is revoked cannot be told, and must be.
    case revocationStatusUnknown(UnknownRevocation)
    /// The certificate promises that its server staples an OCSP response (RFC 7633), and there is no valid one.
    case stapledResponseMissing(UnknownRevocation)
    /// The issuer demands TLS features that the certificate does not promise (RFC 7633 §4.2.2).
    case tlsFeatureMissing([UInt32])
    /// A server's certificate below a public root lacks signed certificate timestamps (RFC 6962).
    case transparencyMissing(TransparencyShortfall)
    /// The work allowed for one evaluation ran out before an acceptable path was found.
    case budgetExceeded(Budget.Resource)

    /// A short, stable name for programs: logs, JSON, the conformance protocol.
    public var code: String {
        switch self {
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .untrustedRoot: "untrusted-root"
        case .blockedRoot: "blocked-root"
        case .unknownIssuer: "unknown-issuer"
        case .badSignature: "bad-signature"
        case .signatureAlgorithmMismatch: "signature-algorithm-mismatch"
        case .unsupportedSignatureAlgorithm: "unsupported-signature-algorithm"
        case .signatureAlgorithmNotAccepted: "signature-algorithm-not-accepted"
        case .keyAlgorithmNotAccepted: "key-algorithm-not-accepted"
        case .unsupportedIssuerKey: "unsupported-key"
        case .weakKey: "weak-key"
        // A key of another kind than RSA and the curves that count has no size to compare.
        case .keyTooSmallForServer(_, let bits, let minimum): bits < minimum ? "key-too-small" : "key-kind"
        case .brokenDigest: "broken-digest"
        case .weakDigest: "weak-signature"
        case .nameMismatch: "name-mismatch"
        case .extendedKeyUsage: "eku"
        case .serverAuthenticationMissing: "server-auth-missing"
        case .keyUsage: "key-usage"
        case .basicConstraintsMissing: "basic-constraints-missing"
        case .notCertificateAuthority: "not-a-ca"
        case .oldVersionIssuer: "old-version-issuer"
        case .pathLengthExceeded: "path-length"
        case .tooManyIntermediates: "too-many-intermediates"
        case .pathTooLong: "path-too-long"
        case .unknownCriticalExtension: "critical-extension"
        case .malformedExtension: "malformed-extension"
        case .duplicateExtension: "duplicate-extension"
        case .malformedName: "malformed-name"
        case .nameConstraints: "name-constraints"
        case .certificatePolicies: "policy"
        case .keyIdentifierMismatch: "key-identifier-mismatch"
        case .emptySubject: "empty-subject"
        case .lifetimeTooLong: "lifetime-too-long"
        case .certificateRule: "certificate-rule"
        case .leafKeyNotPinned: "leaf-key-not-pinned"
        case .authorityKeyNotPinned: "authority-key-not-pinned"
        case .pathNotPinned: "path-not-pinned"
        case .anchorNotPinned: "anchor-not-pinned"
        case .revoked: "revoked"
        case .revocationStatusUnknown: "revocation-unknown"
        case .stapledResponseMissing: "must-staple"
        case .tlsFeatureMissing: "tls-feature"
        case .transparencyMissing: "certificate-transparency"
        case .budgetExceeded: "budget-exceeded"
        }
    }
}
