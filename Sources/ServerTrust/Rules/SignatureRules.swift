//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let signatures = [
        Self.badSignature, Self.signatureAlgorithmMismatch, Self.unsupportedSignatureAlgorithm,
        Self.signatureAlgorithmNotAccepted, Self.brokenDigest, Self.weakSignature,
    ]

    private static let badSignature = TrustRule(
        "bad-signature", "The signature does not hold",
        requirement: "Every certificate is signed with its issuer's key.", section: .rfc(5280, "6.1.3"),
        check: .missingIntermediate,
        remedies: [
            TrustRemedy(
                .leaf, .installAgain,
                advice:
                    "Install the certificate and its intermediates again as the authority delivered them: one was changed, or is of another authority of the same name."
            )
        ]
    ) { breach in
        guard case .badSignature = breach.reason else { return nil }
        let key = breach.issuer.map { " (sha256/\($0.publicKey.pin))" } ?? ""
        return RuleAccount(
            "The signature on \(breach.name) was not made with its issuer's key.",
            found:
                "a signature of another key than that of “\(breach.issuer?.subjectSummary ?? breach.certificate.issuer)”\(key)",
            required: "a signature of its issuer's key (\(breach.soughtIssuer))")
    }

    private static let signatureAlgorithmMismatch = TrustRule(
        "signature-algorithm-mismatch", "Two signature algorithms",
        requirement: "The signed and the unsigned signature algorithm are the same.", section: .rfc(5280, "4.1.1.2"),
        check: .missingIntermediate,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice: "Have the certificate issued again: it was changed, or its issuer writes wrong certificates.")
        ]
    ) { breach in
        guard case .signatureAlgorithmMismatch = breach.reason else { return nil }
        return RuleAccount(
            "The certificate \(breach.name) names two different signature algorithms.",
            found: breach.namedAlgorithms, required: "the same algorithm in both places")
    }

    private static let unsupportedSignatureAlgorithm = TrustRule(
        "unsupported-signature-algorithm", "The signature algorithm is not supported",
        requirement:
            "Every signature is of an algorithm that can be verified: RSA, RSA-PSS with usual parameters, ECDSA or Ed25519.",
        section: .rfc(5280, "6.1.3"), check: .missingIntermediate,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice: "Have the certificate issued again, signed with RSA or ECDSA over SHA-256 or better.")
        ]
    ) { breach in
        guard case .unsupportedSignatureAlgorithm(let algorithm) = breach.reason else { return nil }
        let found = breach.text(of: algorithm)
        return RuleAccount(
            "The signature on \(breach.name) is of an algorithm that is not supported (\(found)).", found: found,
            required: "RSA, RSA-PSS with usual parameters, ECDSA or Ed25519, over SHA-1 or SHA-2",
            evidence: ["algorithm": "\(algorithm)"])
    }

    private static let signatureAlgorithmNotAccepted = TrustRule(
        "signature-algorithm-not-accepted", "The signature algorithm does not count in certificates",
        requirement: "RSA signatures of certificates, lists and responses are of PKCS #1 v1.5, not of RSASSA-PSS.",
        section: .apple(
            "SecKeyAlgorithmFromDERAlgorithmId", file: "OSX/sec/Security/SecSignatureVerificationSupport.c"),
        check: .missingIntermediate,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice:
                    "Have the certificate issued again, signed with sha256WithRSAEncryption (PKCS #1 v1.5) or ECDSA. In openssl's command lines leave out rsa_padding_mode:pss."
            ),
            TrustRemedy(
                .intermediate, .reissue,
                advice:
                    "Have the issuer's certificate issued again, signed with sha256WithRSAEncryption (PKCS #1 v1.5) or ECDSA, with the same key. The certificates below it may stay."
            ),
        ],
        holds: { !$0.acceptsRSASSAPSS },
        account: { breach in
            guard case .signatureAlgorithmNotAccepted(let algorithm) = breach.reason else { return nil }
            return RuleAccount(
                "The signature on \(breach.name) is made by \(algorithm), which Apple's systems do not verify in certificates.",
                found: "\(algorithm)", required: "RSA PKCS#1 v1.5 (sha256WithRSAEncryption) or ECDSA",
                evidence: ["algorithm": "\(algorithm)"])
        })

    private static let brokenDigest = TrustRule(
        "broken-digest", "Signed over a broken digest",
        requirement: "No signature that counts is over MD2, MD4 or MD5.", section: .rfc(6151, "2"),
        check: .weakSignature, remedies: Self.betterDigest
    ) { breach in
        guard case .brokenDigest(let digest) = breach.reason else { return nil }
        return Self.account(
            of: digest, "The certificate \(breach.name) is signed over \(digest.rawValue), which can be forged.")
    }

    private static let weakSignature = TrustRule(
        "weak-signature", "Signed over SHA-1", requirement: "No signature that counts is over SHA-1.",
        section: .baseline("7.1.3.2"), check: .signatureHashAlgorithms, remedies: Self.betterDigest,
        holds: { !$0.allowsSHA1OnServers },
        account: { breach in
            guard case .weakDigest(let digest) = breach.reason else { return nil }
            return Self.account(
                of: digest, "The certificate \(breach.name) is signed over \(digest.rawValue), which is no longer safe."
            )
        })

    private static func account(of digest: SignatureDigest, _ message: String) -> RuleAccount {
        RuleAccount(
            message, found: digest.rawValue, required: "SHA-256, SHA-384 or SHA-512",
            evidence: ["digest": digest.rawValue])
    }

    private static let betterDigest = [
        TrustRemedy(
            .leaf, .reissue, advice: "Have the certificate issued again, signed over SHA-256 or better."),
        TrustRemedy(
            .intermediate, .changeChain,
            advice:
                "Have the server send an intermediate that is signed over SHA-256 or better. Ask the authority for it."),
        TrustRemedy(.root, .useOtherRoot, advice: "Use a root that is signed over SHA-256 or better."),
    ]
}

extension RuleBreach {
    /// The name of an algorithm, with its identifier if it has no name of its own.
    fileprivate func text(of algorithm: SignatureAlgorithm) -> String {
        guard algorithm.scheme == .unknown || algorithm.scheme == .unsupported,
            let identifier = self.certificate.view.namedAlgorithms.last?.identifier
        else { return "\(algorithm)" }
        return "\(algorithm) (\(identifier))"
    }

    /// The signed and the unsigned algorithm, with their identifiers where the names alone are the same.
    fileprivate var namedAlgorithms: String {
        let both = self.certificate.view.namedAlgorithms
        guard both.count == 2 else { return "two algorithms, of which one cannot be read" }
        let (signed, unsigned) = (both[0], both[1])
        guard signed.identifier != unsigned.identifier else {
            return "\(signed.algorithm) in both places, with different parameters"
        }
        let names = [signed, unsigned].map { named in
            signed.algorithm == unsigned.algorithm ? "\(named.algorithm) (\(named.identifier))" : "\(named.algorithm)"
        }
        return "\(names[0]) in the signed part, \(names[1]) outside of it"
    }
}
