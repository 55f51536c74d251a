//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    /// Rules about paths, by the code of the reason that breaking them is.
    static let paths: [TrustRule] = [
        TrustRule(
            "expired", "The moment is not after the end of any certificate's validity, the anchor's included.",
            section: .rfc(5280, "4.1.2.5"), check: .temporalValidity, test: "PathRuleTests"),
        TrustRule(
            "not-yet-valid", "The moment is not before the start of any certificate's validity, the anchor's included.",
            section: .rfc(5280, "4.1.2.5"), check: .temporalValidity, test: "PathRuleTests"),
        TrustRule(
            "untrusted-root", "The path ends at a trust anchor.", section: .rfc(5280, "6.1"), check: .anchorTrusted,
            test: "PathBuildingTests"),
        TrustRule(
            "unknown-issuer", "The issuer of every certificate up to the anchor was sent, or is trusted.",
            section: .rfc(5280, "6.1"), check: .missingIntermediate, test: "PathBuildingTests"),
        TrustRule(
            "bad-signature", "Every certificate is signed with its issuer's key.", section: .rfc(5280, "6.1.3"),
            check: .missingIntermediate, test: "SignatureTests"),
        TrustRule(
            "signature-algorithm-mismatch", "The signed and the unsigned signature algorithm are the same.",
            section: .rfc(5280, "4.1.1.2"), check: .missingIntermediate, test: "SignatureTests"),
        TrustRule(
            "unsupported-signature-algorithm",
            "Every signature is of an algorithm that can be verified: RSA, RSA-PSS with usual parameters, ECDSA or Ed25519.",
            section: .rfc(5280, "6.1.3"), check: .missingIntermediate, test: "SignatureTests"),
        TrustRule(
            "unsupported-key", "Every issuer's key is of a kind and size that signatures can be verified with.",
            section: .rfc(5280, "6.1.3"), check: .missingIntermediate, test: "SignatureTests"),
        TrustRule(
            "weak-key", "Every key is usable and not hopelessly weak.",
            section: .apple("SecCertificateIsWeakKey", file: "OSX/sec/Security/SecCertificate.c"), check: .weakKeySize,
            test: "ProfileTests"),
        TrustRule(
            "key-too-small", "Every key on a server's path has the size that the profile asks for.",
            section: .baseline("6.1.5"), check: .keySize, test: "ProfileTests"),
        TrustRule(
            "broken-digest", "No signature that counts is over MD2, MD4 or MD5.", section: .rfc(6151, "2"),
            check: .weakSignature, test: "SignatureTests"),
        TrustRule(
            "weak-signature", "No signature that counts is over SHA-1.", section: .baseline("7.1.3.2"),
            check: .signatureHashAlgorithms, test: "ProfileTests", holds: { !$0.allowsSHA1OnServers }),
        TrustRule(
            "name-mismatch", "The certificate is for the name that was asked for.", section: .rfc(9525, "6"),
            check: .sslHostname, test: "ServerIdentityTests"),
        TrustRule(
            "eku", "The extended key usages of leaf and intermediates allow the use.", section: .rfc(5280, "4.2.1.12"),
            check: .extendedKeyUsage, test: "UsageTests"),
        TrustRule(
            "server-auth-missing", "A server's certificate names serverAuth.", section: .baseline("7.1.2.7.10"),
            check: .serverAuthEKU, test: "ProfileTests", holds: { $0.serverAuthentication != .ifUsagesArePresent }),
        TrustRule(
            "key-usage", "Key usages allow the use: keyCertSign for those who issue.", section: .rfc(5280, "4.2.1.3"),
            check: .keyUsage, test: "UsageTests"),
        TrustRule(
            "basic-constraints-missing", "Every issuer has basic constraints.", section: .rfc(5280, "6.1.4"),
            check: .basicConstraints, test: "PathRuleTests"),
        TrustRule(
            "not-a-ca", "Every issuer is a certificate authority.", section: .rfc(5280, "6.1.4"),
            check: .basicConstraintsCA, test: "PathRuleTests"),
        TrustRule(
            "old-version-issuer", "Every issuer below the anchor is a version 3 certificate.",
            section: .rfc(5280, "6.1.4"), check: .basicConstraints, test: "ProfileTests",
            holds: { !$0.dangerouslyAcceptsOldIntermediatesBelowOldAnchors }),
        TrustRule(
            "path-length", "No more intermediates follow than an issuer's path length allows.",
            section: .rfc(5280, "4.2.1.9"), check: .basicConstraintsPathLen, test: "PathRuleTests"),
        TrustRule(
            "too-many-intermediates", "The path has no more intermediates than the caller allows.",
            section: .rfc(5280, "6.1.1"), check: .chainLength, test: "PathRuleTests"),
        TrustRule(
            "path-too-long", "The path has no more certificates than are followed.", section: .ownLimits,
            check: .workLimit, test: "PathBuildingTests"),
        TrustRule(
            "critical-extension", "Every critical extension is known and processed.", section: .rfc(5280, "4.2"),
            check: .criticalExtensions, test: "PathRuleTests"),
        TrustRule(
            "malformed-extension", "Every known extension can be read.", section: .rfc(5280, "4.2"),
            check: .unparseableExtension, test: "ExtensionParserTests"),
        TrustRule(
            "duplicate-extension", "No extension stands twice.", section: .rfc(5280, "4.2"), check: .duplicateExtension,
            test: "ExtensionParserTests"),
        TrustRule(
            "malformed-name", "Subject and issuer are distinguished names.", section: .rfc(5280, "4.1.2.4"),
            check: .missingIntermediate, test: "NamePathTests"),
        TrustRule(
            "name-constraints", "Every name is one that the issuers above permit.", section: .rfc(5280, "4.2.1.10"),
            check: .nameConstraints, test: "NameConstraintsTests"),
        TrustRule(
            "policy", "Certificate policies allow the path, where one is required.", section: .rfc(5280, "6.1"),
            check: .policyConstraints, test: "PolicyTests"),
        TrustRule(
            "key-identifier-mismatch",
            "The authority key identifier is the issuer's subject key identifier, where both are there.",
            section: .rfc(5280, "4.2.1.1"), check: .idLinkage, test: "CostTests",
            holds: { $0.requiresKeyIdentifierLinkage }),
        TrustRule(
            "empty-subject", "An authority has a subject; a leaf without one has critical alternative names.",
            section: .rfc(5280, "4.1.2.6"), check: .nonEmptySubject, test: "PathRuleTests"),
        TrustRule(
            "lifetime-too-long", "A server's certificate lives no longer than the limit for its date of issuance.",
            section: .apple("set_ssl_validity_periods", file: "OSX/sec/Security/SecPolicy.c"),
            check: .otherTrustValidityPeriod, test: "ProfileTests", holds: { !$0.serverLifetimeLimits.isEmpty }),
        TrustRule(
            "leaf-key-not-pinned", "The leaf's key is one of the pinned keys.", section: .rfc(7469, "2.6"),
            check: .leafSPKISHA256, test: "PinTests"),
        TrustRule(
            "authority-key-not-pinned", "A key above the leaf is one of the pinned keys.", section: .rfc(7469, "2.6"),
            check: .caspkiSHA256, test: "PinTests"),
        TrustRule(
            "path-not-pinned", "A key or certificate of the path is pinned.", section: .rfc(7469, "2.6"),
            check: .pinnedPath, test: "PinTests"),
        TrustRule(
            "anchor-not-pinned", "The anchor is pinned.", section: .rfc(7469, "2.6"), check: .pinnedPath,
            test: "PinTests"),
        TrustRule(
            "revoked", "No certificate below the anchor is revoked.", section: .rfc(5280, "6.3"), check: .revocation,
            test: "RevocationListTests"),
        TrustRule(
            "revocation-unknown", "The revocation status is known, where it must be.", section: .rfc(6960, "3.2"),
            check: .revocationResponseRequired, test: "RevocationPolicyTests"),
        TrustRule(
            "must-staple", "The server staples a valid OCSP response, where its certificate promises one.",
            section: .rfc(7633, "4.3.1"), check: .stapledResponseRequired, test: "MustStapleTests"),
        TrustRule(
            "tls-feature", "A certificate has the TLS features that its issuer demands.", section: .rfc(7633, "4.2.2"),
            check: .certificateProfile, test: "MustStapleTests"),
        TrustRule(
            "certificate-transparency",
            "Below a public root, enough logs of certificate transparency have signed a server's certificate, where a list of logs is at hand.",
            section: .apple("SecPolicyCheckSystemTrustedCTRequired", file: "trust/trustd/SecPolicyServer.c"),
            check: .systemTrustedCTRequired, test: "TransparencyTests", holds: { _ in false }),
        TrustRule(
            "budget-exceeded", "The work allowed for one evaluation suffices.", section: .ownLimits, check: .workLimit,
            test: "BudgetTests"),
    ]
}
