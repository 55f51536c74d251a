//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A broken rule, with the certificate that broke it.
public struct Rejection: Sendable, Hashable {
    /// The index of the certificate that broke the rule, counted from the leaf (0) towards the anchor.
    public let certificateIndex: Int
    /// The broken rule, with the evidence.
    public let reason: RejectionReason

    init(_ reason: RejectionReason, at certificateIndex: Int) {
        self.certificateIndex = certificateIndex
        self.reason = reason
    }
}

/// A rule that a path broke, with the evidence that shows it.
///
/// ``code`` is a stable name for programs. A case's values are the facts that a report needs.
public enum RejectionReason: Sendable, Hashable {
    /// The certificate's validity ended.
    case expired(notAfter: Timestamp, at: Timestamp)
    /// The certificate's validity has not begun.
    case notYetValid(notBefore: Timestamp, at: Timestamp)
    /// The path ends with a self-signed certificate that is not an anchor.
    case untrustedRoot
    /// A root of the path is blocked, even if the user or the program trusts it.
    case blockedRoot(BlockedRoot)
    /// No supplied certificate and no anchor has the issuer's name.
    case unknownIssuer
    /// A certificate with the issuer's name exists, but its key did not make the signature.
    case badSignature
    /// The signed and the unsigned signature algorithm differ.
    case signatureAlgorithmMismatch
    /// The algorithm of the signature cannot be verified here.
    case unsupportedSignatureAlgorithm(SignatureAlgorithm)
    /// The profile does not accept the algorithm of the signature in certificates.
    case signatureAlgorithmNotAccepted(SignatureAlgorithm)
    /// The key is restricted to id-RSASSA-PSS, which the profile does not accept in certificates.
    case keyAlgorithmNotAccepted
    /// The kind or size of the issuer's key is not supported.
    case unsupportedIssuerKey(PublicKeyKind, bits: Int)
    /// The key is too weak for any use, or of a kind that is never accepted.
    case weakKey(PublicKeyKind, bits: Int, minimum: Int)
    /// The key is too small, or of the wrong kind, for a TLS server's path.
    case keyTooSmallForServer(PublicKeyKind, bits: Int, minimum: Int)
    /// The certificate's signature uses MD2, MD4 or MD5.
    case brokenDigest(SignatureDigest)
    /// The certificate's signature uses SHA-1.
    case weakDigest(SignatureDigest)
    /// The certificate does not have the sought name, or the sought name is not valid.
    case nameMismatch(reference: String, presented: PresentedIdentities, invalid: InvalidReferenceIdentity?)
    /// The extended key usages do not include the purpose of the evaluation.
    case extendedKeyUsage(required: [OID], present: [OID])
    /// The server's certificate must have the usage serverAuth and does not.
    case serverAuthenticationMissing(present: [OID])
    /// The key usage lacks required bits.
    case keyUsage(missing: KeyUsage)
    /// An issuer has no basic constraints.
    case basicConstraintsMissing
    /// An issuer's basic constraints do not make it a certificate authority.
    case notCertificateAuthority
    /// An issuer has version 1 or 2, and such a certificate cannot be marked as an authority.
    case oldVersionIssuer(version: Int)
    /// More intermediates follow than the issuer's path length allows.
    case pathLengthExceeded(limit: Int, actual: Int)
    /// The path has more intermediates than the caller allows.
    case tooManyIntermediates(limit: Int, actual: Int)
    /// The path reaches the maximum length without an anchor.
    case pathTooLong(limit: Int)
    /// The certificate has an unknown critical extension.
    case unknownCriticalExtension(OID)
    /// A known extension is malformed.
    case malformedExtension(OID)
    /// An extension occurs twice.
    case duplicateExtension(OID)
    /// A subject or issuer is not a well-formed distinguished name.
    case malformedName
    /// A name is not in an issuer's permitted subtrees, or is in an excluded one.
    case nameConstraints(NameConstraintViolation)
    /// A certificate policy is required and none remains, or anyPolicy was mapped.
    case certificatePolicies
    /// The authority key identifier names another key than the issuer's.
    case keyIdentifierMismatch
    /// The subject is empty and must not be.
    case emptySubject
    /// The lifetime of the server's certificate exceeds the limit for its date of issue.
    case lifetimeTooLong(seconds: Int64, limit: LifetimeLimit)
    /// The certificate breaks a rule on its form.
    case certificateRule(CertificateRules)
    /// The leaf's key is not pinned.
    case leafKeyNotPinned
    /// No key above the leaf is pinned.
    case authorityKeyNotPinned
    /// No key and no certificate of the path is pinned.
    case pathNotPinned
    /// The anchor is not pinned.
    case anchorNotPinned
    /// The issuer revoked the certificate.
    case revoked(RevocationReason, since: Timestamp)
    /// The revocation status of the certificate is unknown and must be known.
    case revocationStatusUnknown(UnknownRevocation)
    /// The certificate promises that its server staples an OCSP response (RFC 7633), and no valid one was stapled.
    case stapledResponseMissing(UnknownRevocation)
    /// The issuer requires TLS features that the certificate does not promise (RFC 7633 §4.2.2).
    case tlsFeatureMissing([UInt32])
    /// A server's certificate below a public root lacks signed certificate timestamps (RFC 6962).
    case transparencyMissing(TransparencyShortfall)
    /// The evaluation reached a limit of its ``Budget`` before it found an acceptable path.
    case budgetExceeded(Budget.Resource)

    /// A short, stable name for logs, JSON and the conformance protocol.
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
        // A key of a kind without a comparable size has the code for its kind.
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
