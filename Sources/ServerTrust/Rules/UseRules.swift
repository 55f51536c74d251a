//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

extension TrustRule {
    static let uses = [
        Self.extendedKeyUsage, Self.serverAuthMissing, Self.keyUsage, Self.basicConstraintsMissing,
        Self.notCertificateAuthority, Self.oldVersionIssuer,
    ]

    private static let extendedKeyUsage = TrustRule(
        "eku", "The extended key usage does not allow the use",
        requirement: "The extended key usages of leaf and intermediates allow the use.",
        section: .rfc(5280, "4.2.1.12"), check: .extendedKeyUsage,
        remedies: [
            TrustRemedy(.leaf, .reissue, advice: "Have the certificate issued with the usage that is required."),
            TrustRemedy(
                .intermediate, .useOtherAuthority,
                advice:
                    "Have the certificate issued by an authority that may issue for this use: this one's extended key usage does not include it."
            ),
            TrustRemedy(
                .oldVersion, .reissue,
                advice:
                    "Have the certificate issued as version 3 with the usage that is required (openssl x509 -req needs -extfile)."
            ),
            TrustRemedy(
                .serverCertificateOfClient, .reissue, .useOtherAuthority,
                advice:
                    "Have a private authority issue the client certificate with clientAuth (1.3.6.1.5.5.7.3.2), and trust that authority. Public authorities stopped issuing clientAuth in 2026."
            ),
        ]
    ) { breach in
        guard case .extendedKeyUsage(let required, let present) = breach.reason else { return nil }
        let isServersAsClient =
            breach.role == .leaf && required.names.contains("clientAuth") && present.names.contains("serverAuth")
        return RuleAccount(
            present.isEmpty
                ? "The certificate \(breach.name) is not for this use: its extended key usage lacks \(required.names)."
                : "The certificate \(breach.name) is for \(present.names) only. This use needs \(required.names).",
            found: breach.usages(present), required: required.names,
            evidence: ["required": required.names, "present": present.names],
            circumstance: breach.certificate.view.version < 3
                ? .oldVersion : isServersAsClient ? .serverCertificateOfClient : nil)
    }

    private static let serverAuthMissing = TrustRule(
        "server-auth-missing", "serverAuth is missing", requirement: "A server's certificate names serverAuth.",
        section: .baseline("7.1.2.7.10"), check: .serverAuthEKU,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice: "Have the certificate issued with the extended key usage serverAuth (1.3.6.1.5.5.7.3.1)."),
            TrustRemedy(
                .oldVersion, .reissue,
                advice:
                    "Have the certificate issued as version 3 with the extended key usage serverAuth: version 1 has no extensions (openssl x509 -req needs -extfile)."
            ),
        ],
        holds: { $0.serverAuthentication != .ifUsagesArePresent },
        account: { breach in
            guard case .serverAuthenticationMissing(let present) = breach.reason else { return nil }
            let version = breach.certificate.view.version
            return RuleAccount(
                version < 3
                    ? "The certificate \(breach.name) is of version \(version), without extensions: it does not say that it is for TLS servers (serverAuth)."
                    : "The certificate \(breach.name) does not say that it is for TLS servers: its extended key usage lacks serverAuth.",
                found: breach.usages(present), required: "serverAuth (1.3.6.1.5.5.7.3.1)",
                evidence: ["present": present.names], circumstance: version < 3 ? .oldVersion : nil)
        })

    private static let keyUsage = TrustRule(
        "key-usage", "The key usage does not allow the use",
        requirement: "A server's key usage has digitalSignature, and an authority's has keyCertSign.",
        section: .rfc(5280, "4.2.1.3"),
        check: .keyUsage,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice: "Have the certificate issued with the key usage that is missing, or without the extension."),
            TrustRemedy(
                .intermediate, .useOtherAuthority,
                advice:
                    "Have the leaf issued by an authority with keyCertSign in its key usage. Ask the authority for its right certificate."
            ),
            TrustRemedy(.root, .useOtherRoot, advice: "Trust a root with keyCertSign in its key usage."),
            TrustRemedy(
                .staticRSA, .reissue,
                advice:
                    "Have the server take cipher suites with ECDHE, for which the certificate may stay. Or have the certificate issued with keyEncipherment in its key usage."
            ),
        ]
    ) { breach in
        guard case .keyUsage(let missing) = breach.reason else { return nil }
        let isOfIssuer = missing.contains(.keyCertSign) || missing.contains(.cRLSign)
        let isOfStaticRSA = missing.contains(.keyEncipherment)
        let why = isOfStaticRSA ? ", which the exchange of keys by RSA needs (RFC 5246 §7.4.2)" : ""
        return RuleAccount(
            "The key of \(breach.name) may not be used for this: its key usage lacks \(missing.names)\(why).",
            found: breach.keyUsages, required: missing.names,
            evidence: ["missing": missing.names], circumstance: isOfStaticRSA ? .staticRSA : isOfIssuer ? nil : .leaf)
    }

    private static let basicConstraintsMissing = TrustRule(
        "basic-constraints-missing", "The issuer has no basic constraints",
        requirement: "Every issuer has basic constraints.", section: .rfc(5280, "6.1.4"), check: .basicConstraints,
        remedies: Self.authority
    ) { breach in
        guard case .basicConstraintsMissing = breach.reason else { return nil }
        return RuleAccount(
            "The issuer \(breach.name) has no basic constraints, so it may not issue certificates.",
            found: "no basic constraints", required: "basic constraints with cA TRUE")
    }

    private static let notCertificateAuthority = TrustRule(
        "not-a-ca", "The issuer is not a certificate authority",
        requirement: "Every issuer is a certificate authority.", section: .rfc(5280, "6.1.4"),
        check: .basicConstraintsCA, remedies: Self.authority
    ) { breach in
        guard case .notCertificateAuthority = breach.reason else { return nil }
        return RuleAccount(
            "The issuer \(breach.name) is not a certificate authority.", found: "basic constraints with cA FALSE",
            required: "basic constraints with cA TRUE")
    }

    private static let oldVersionIssuer = TrustRule(
        "old-version-issuer", "The issuer is a version 1 or 2 certificate",
        requirement: "Every issuer below the anchor is a version 3 certificate.", section: .rfc(5280, "6.1.4"),
        check: .basicConstraints,
        remedies: [
            TrustRemedy(
                .intermediate, .reissue, .acceptOldIssuers,
                advice:
                    "Have the issuer's certificate issued again in version 3 with basic constraints. Apple's systems accept a version 1 issuer below a version 1 root."
            )
        ],
        holds: { !$0.dangerouslyAcceptsOldIntermediatesBelowOldAnchors },
        account: { breach in
            guard case .oldVersionIssuer(let version) = breach.reason else { return nil }
            return RuleAccount(
                "The issuer \(breach.name) is a version \(version) certificate, which may not issue.",
                found: "version \(version)", required: "version 3", evidence: ["version": "\(version)"])
        })

    private static let authority = [
        TrustRemedy(
            .intermediate, .useOtherAuthority,
            advice:
                "Have the leaf issued by a certificate authority: version 3, with basic constraints that say cA. The certificate above it is a server's or a person's."
        )
    ]
}

extension RuleBreach {
    fileprivate var keyUsages: String {
        guard let usage = self.certificate.view.keyUsage else { return "no key usage" }
        return usage.names.isEmpty ? "a key usage that allows nothing" : usage.names
    }

    /// Returns the certificate's extended key usages as text for the comparison.
    fileprivate func usages(_ present: [OID]) -> String {
        let version = self.certificate.view.version
        guard version >= 3 else { return "a certificate of version \(version), which has no extensions" }
        return present.isEmpty ? "no extended key usage" : present.names
    }
}

extension KeyUsage {
    /// The names of the bits in RFC 5280 §4.2.1.3.
    public var names: String {
        let table: [(KeyUsage, String)] = [
            (.digitalSignature, "digitalSignature"), (.contentCommitment, "contentCommitment"),
            (.keyEncipherment, "keyEncipherment"), (.dataEncipherment, "dataEncipherment"),
            (.keyAgreement, "keyAgreement"), (.keyCertSign, "keyCertSign"), (.cRLSign, "cRLSign"),
            (.encipherOnly, "encipherOnly"), (.decipherOnly, "decipherOnly"),
        ]
        return table.filter { self.contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
