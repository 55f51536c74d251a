//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    /// Rules about paths, by the code of the reason that breaking them is.
    static let paths: [TrustRule] = [
        TrustRule(
            "expired", "The certificate has expired",
            requirement: "The moment is not after the end of any certificate's validity, the anchor's included.",
            section: .rfc(5280, "4.1.2.5"), check: .temporalValidity),
        TrustRule(
            "not-yet-valid", "The certificate is not valid yet",
            requirement: "The moment is not before the start of any certificate's validity, the anchor's included.",
            section: .rfc(5280, "4.1.2.5"), check: .temporalValidity),
        TrustRule(
            "untrusted-root", "The root is not trusted", requirement: "The path ends at a trust anchor.",
            section: .rfc(5280, "6.1"), check: .anchorTrusted),
        TrustRule(
            "blocked-root", "A root that Apple blocks",
            requirement:
                "No root of the path is one that Apple blocks, by certificate or by key, even where it is added by hand.",
            section: .apple("SecPolicyServer.c, BlackListedKey", file: "trust/trustd/SecPolicyServer.c"),
            check: .blackListedKey),
        TrustRule(
            "unknown-issuer", "The issuer is missing or not trusted",
            requirement: "The issuer of every certificate up to the anchor was sent, or is trusted.",
            section: .rfc(5280, "6.1"), check: .missingIntermediate),
        TrustRule(
            "bad-signature", "The signature does not hold",
            requirement: "Every certificate is signed with its issuer's key.", section: .rfc(5280, "6.1.3"),
            check: .missingIntermediate),
        TrustRule(
            "signature-algorithm-mismatch", "Two signature algorithms",
            requirement: "The signed and the unsigned signature algorithm are the same.",
            section: .rfc(5280, "4.1.1.2"), check: .missingIntermediate),
        TrustRule(
            "unsupported-signature-algorithm", "The signature algorithm is not supported",
            requirement:
                "Every signature is of an algorithm that can be verified: RSA, RSA-PSS with usual parameters, ECDSA or Ed25519.",
            section: .rfc(5280, "6.1.3"), check: .missingIntermediate),
        TrustRule(
            "signature-algorithm-not-accepted", "The signature algorithm does not count in certificates",
            requirement: "RSA signatures of certificates, lists and responses are of PKCS #1 v1.5, not of RSASSA-PSS.",
            section: .apple(
                "SecKeyAlgorithmFromDERAlgorithmId", file: "OSX/sec/Security/SecSignatureVerificationSupport.c"),
            check: .missingIntermediate, holds: { !$0.acceptsRSASSAPSS }),
        TrustRule(
            "key-algorithm-not-accepted", "The kind of the key does not count in certificates",
            requirement: "RSA keys are of the kind rsaEncryption, not of id-RSASSA-PSS.",
            section: .apple("SecCertificateIsWeakKey", file: "OSX/sec/Security/SecCertificate.c"),
            check: .weakKeySize, holds: { !$0.acceptsRSASSAPSS }),
        TrustRule(
            "unsupported-key", "The issuer's key is not supported",
            requirement: "Every issuer's key is of a kind and size that signatures can be verified with.",
            section: .rfc(5280, "6.1.3"), check: .missingIntermediate),
        TrustRule(
            "weak-key", "The key is too weak for any use", requirement: "Every key is usable and not hopelessly weak.",
            section: .apple("SecCertificateIsWeakKey", file: "OSX/sec/Security/SecCertificate.c"), check: .weakKeySize),
        TrustRule(
            "key-too-small", "The key is too small for a TLS server",
            requirement: "Every key on a server's path has the size that the profile asks for.",
            section: .baseline("6.1.5"), check: .keySize),
        TrustRule(
            "key-kind", "The key is of a kind that TLS servers are not accepted with",
            requirement:
                "Every key on a server's path is of RSA, or on P-256, P-384 or P-521, and no key is Ed25519 or Ed448. A server's own key on P-521 passes this rule, and Apple's systems refuse it in TLS 1.3 all the same.",
            section: .baseline("6.1.5"), check: .keySize),
        TrustRule(
            "broken-digest", "Signed over a broken digest",
            requirement: "No signature that counts is over MD2, MD4 or MD5.", section: .rfc(6151, "2"),
            check: .weakSignature),
        TrustRule(
            "weak-signature", "Signed over SHA-1", requirement: "No signature that counts is over SHA-1.",
            section: .baseline("7.1.3.2"),
            check: .signatureHashAlgorithms, holds: { !$0.allowsSHA1OnServers }),
        TrustRule(
            "name-mismatch", "The certificate is for another name",
            requirement: "The certificate is for the name that was asked for.", section: .rfc(9525, "6"),
            check: .sslHostname),
        TrustRule(
            "eku", "The extended key usage does not allow the use",
            requirement: "The extended key usages of leaf and intermediates allow the use.",
            section: .rfc(5280, "4.2.1.12"),
            check: .extendedKeyUsage),
        TrustRule(
            "server-auth-missing", "serverAuth is missing", requirement: "A server's certificate names serverAuth.",
            section: .baseline("7.1.2.7.10"),
            check: .serverAuthEKU, holds: { $0.serverAuthentication != .ifUsagesArePresent }),
        TrustRule(
            "key-usage", "The key usage does not allow the use",
            requirement: "Key usages allow the use: keyCertSign for those who issue.", section: .rfc(5280, "4.2.1.3"),
            check: .keyUsage),
        TrustRule(
            "basic-constraints-missing", "The issuer has no basic constraints",
            requirement: "Every issuer has basic constraints.", section: .rfc(5280, "6.1.4"),
            check: .basicConstraints),
        TrustRule(
            "not-a-ca", "The issuer is not a certificate authority",
            requirement: "Every issuer is a certificate authority.", section: .rfc(5280, "6.1.4"),
            check: .basicConstraintsCA),
        TrustRule(
            "old-version-issuer", "The issuer is a version 1 or 2 certificate",
            requirement: "Every issuer below the anchor is a version 3 certificate.",
            section: .rfc(5280, "6.1.4"), check: .basicConstraints,
            holds: { !$0.dangerouslyAcceptsOldIntermediatesBelowOldAnchors }),
        TrustRule(
            "path-length", "The path is longer than an issuer allows",
            requirement: "No more intermediates follow than an issuer's path length allows.",
            section: .rfc(5280, "4.2.1.9"), check: .basicConstraintsPathLen),
        TrustRule(
            "too-many-intermediates", "Too many intermediates",
            requirement: "The path has no more intermediates than the caller allows.",
            section: .rfc(5280, "6.1.1"), check: .chainLength),
        TrustRule(
            "path-too-long", "The path is too long to follow",
            requirement: "The path has no more certificates than are followed.", section: .ownLimits,
            check: .workLimit),
        TrustRule(
            "critical-extension", "An unknown critical extension",
            requirement: "Every critical extension is known and processed.", section: .rfc(5280, "4.2"),
            check: .criticalExtensions),
        TrustRule(
            "malformed-extension", "An extension cannot be read", requirement: "Every known extension can be read.",
            section: .rfc(5280, "4.2"),
            check: .unparseableExtension),
        TrustRule(
            "duplicate-extension", "An extension stands twice", requirement: "No extension stands twice.",
            section: .rfc(5280, "4.2"), check: .duplicateExtension),
        TrustRule(
            "malformed-name", "A name cannot be read", requirement: "Subject and issuer are distinguished names.",
            section: .rfc(5280, "4.1.2.4"),
            check: .missingIntermediate),
        TrustRule(
            "name-constraints", "A name that the issuer must not vouch for",
            requirement: "Every name is one that the issuers above permit.", section: .rfc(5280, "4.2.1.10"),
            check: .nameConstraints),
        TrustRule(
            "policy", "No certificate policy holds",
            requirement: "Certificate policies allow the path, where one is required.", section: .rfc(5280, "6.1"),
            check: .policyConstraints),
        TrustRule(
            "key-identifier-mismatch", "The key identifiers do not agree",
            requirement: "The authority key identifier is the issuer's subject key identifier, where both are there.",
            section: .rfc(5280, "4.2.1.1"), check: .idLinkage,
            holds: { $0.requiresKeyIdentifierLinkage }),
        TrustRule(
            "empty-subject", "The subject is empty",
            requirement: "An authority has a subject; a leaf without one has critical alternative names.",
            section: .rfc(5280, "4.1.2.6"), check: .nonEmptySubject),
        TrustRule(
            "lifetime-too-long", "The certificate is valid for too long",
            requirement: "A server's certificate lives no longer than the limit for its date of issuance.",
            section: .apple("set_ssl_validity_periods", file: "OSX/sec/Security/SecPolicy.c"),
            check: .otherTrustValidityPeriod, holds: { !$0.serverLifetimeLimits.isEmpty }),
        TrustRule(
            "leaf-key-not-pinned", "The server's key is not pinned",
            requirement: "The leaf's key is one of the pinned keys.", section: .rfc(7469, "2.6"),
            check: .leafSPKISHA256),
        TrustRule(
            "authority-key-not-pinned", "No authority's key is pinned",
            requirement: "A key above the leaf is one of the pinned keys.", section: .rfc(7469, "2.6"),
            check: .caspkiSHA256),
        TrustRule(
            "path-not-pinned", "Nothing of the path is pinned",
            requirement: "A key or certificate of the path is pinned.", section: .rfc(7469, "2.6"),
            check: .pinnedPath),
        TrustRule(
            "anchor-not-pinned", "The anchor is not pinned", requirement: "The anchor is pinned.",
            section: .rfc(7469, "2.6"), check: .pinnedPath),
        TrustRule(
            "revoked", "The certificate is revoked", requirement: "No certificate below the anchor is revoked.",
            section: .rfc(5280, "6.3"), check: .revocation),
        TrustRule(
            "revocation-unknown", "The revocation status is unknown",
            requirement: "The revocation status is known, where it must be.", section: .rfc(6960, "3.2"),
            check: .revocationResponseRequired),
        TrustRule(
            "must-staple", "A promised OCSP response is not stapled",
            requirement: "The server staples a valid OCSP response, where its certificate promises one.",
            section: .rfc(7633, "4.3.1"), check: .stapledResponseRequired),
        TrustRule(
            "tls-feature", "TLS features are missing",
            requirement: "A certificate has the TLS features that its issuer demands.", section: .rfc(7633, "4.2.2"),
            check: .certificateProfile),
        TrustRule(
            "certificate-transparency", "Too few timestamps of certificate transparency",
            requirement:
                "Below a public root, enough logs of certificate transparency have signed a server's certificate, where a list of logs is at hand.",
            section: .apple("SecPolicyCheckSystemTrustedCTRequired", file: "trust/trustd/SecPolicyServer.c"),
            check: .systemTrustedCTRequired, holds: { _ in false }),
        TrustRule(
            "certificate-transparency/chrome", "Too few timestamps for Chrome's policy",
            requirement:
                "Below a public root, enough logs of two operators have signed a server's certificate, as Chrome counts them.",
            section: .chromeTransparency, check: .chromeTransparency,
            holds: { _ in false }),
        TrustRule(
            "budget-exceeded", "Too much work for one evaluation",
            requirement: "The work allowed for one evaluation suffices.", section: .ownLimits, check: .workLimit),
    ]
}
