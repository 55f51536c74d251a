//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let keys = [
        Self.keyAlgorithmNotAccepted, Self.unsupportedKey, Self.weakKey, Self.keyTooSmall, Self.keyKind,
    ]

    private static let keyAlgorithmNotAccepted = TrustRule(
        "key-algorithm-not-accepted", "The kind of the key does not count in certificates",
        requirement: "RSA keys are of the kind rsaEncryption, not of id-RSASSA-PSS.",
        section: .apple("SecCertificateIsWeakKey", file: "OSX/sec/Security/SecCertificate.c"), check: .weakKeySize,
        remedies: [
            TrustRemedy(
                .leaf, .makeKey,
                advice: "Make a new key of the kind rsaEncryption or on P-256, and have it certified."),
            TrustRemedy(
                .intermediate, .useOtherAuthority,
                advice:
                    "Have the certificate issued by an authority with a key of the kind rsaEncryption or on P-256."),
            TrustRemedy(
                .root, .useOtherRoot,
                advice:
                    "Have the certificate issued below a root with a key of the kind rsaEncryption or on P-256."),
        ],
        holds: { !$0.acceptsRSASSAPSS },
        account: { breach in
            guard case .keyAlgorithmNotAccepted = breach.reason else { return nil }
            return RuleAccount(
                "The key of \(breach.name) is for RSASSA-PSS alone (id-RSASSA-PSS), which is no key to Apple's systems.",
                found: "a key of the kind id-RSASSA-PSS", required: "a key of the kind rsaEncryption, or on a curve")
        })

    private static let unsupportedKey = TrustRule(
        "unsupported-key", "The issuer's key is not supported",
        requirement: "Every issuer's key is of a kind and size that signatures can be verified with.",
        section: .rfc(5280, "6.1.3"), check: .missingIntermediate,
        remedies: [
            TrustRemedy(
                .leaf, .useOtherIssuer,
                advice: "Use an issuer with an RSA key from 1,024 bits or a key on P-256, P-384 or P-521.")
        ]
    ) { breach in
        guard case .unsupportedIssuerKey(let kind, let bits) = breach.reason else { return nil }
        let isMalformed = breach.issuer?.view.hasMalformedKey == true
        let found = kind.text(bits: bits) + (isMalformed ? ", \(kind.malformation)" : "")
        return RuleAccount(
            "The issuer of \(breach.name) has a key that is not supported (\(found)).", found: found,
            required: "RSA of 1,024 to 8,192 bits, P-256, P-384, P-521 or Ed25519",
            evidence: ["key": kind.rawValue, "bits": "\(bits)"])
    }

    private static let weakKey = TrustRule(
        "weak-key", "The key is too weak for any use", requirement: "Every key is usable and not hopelessly weak.",
        section: .apple("SecCertificateIsWeakKey", file: "OSX/sec/Security/SecCertificate.c"), check: .weakKeySize,
        remedies: Self.newKey
    ) { breach in
        guard case .weakKey(let kind, let bits, let minimum) = breach.reason else { return nil }
        // The size of an RSA key tells how weak it is, whatever else its numbers are.
        if breach.certificate.view.hasMalformedKey, kind != .rsa || bits >= minimum {
            let found = "\(kind.text(bits: bits)), \(kind.malformation)"
            return RuleAccount(
                "The key of \(breach.name) is no key that can be used (\(found)).", found: found,
                required: "a key that signatures can be verified with",
                evidence: ["key": kind.rawValue, "bits": "\(bits)", "minimumBits": "\(minimum)"])
        }
        return Self.account(
            of: breach, kind, bits: bits, minimum: minimum, small: "is too weak for any use",
            other: "is of a kind that is not accepted")
    }

    private static let keyTooSmall = TrustRule(
        "key-too-small", "The key is too small for a TLS server",
        requirement: "Every key on a server's path has the size that the profile asks for.",
        section: .baseline("6.1.5"), check: .keySize, remedies: Self.newKey, account: Self.accountOfServerKey)

    private static let keyKind = TrustRule(
        "key-kind", "The key is of a kind that TLS servers are not accepted with",
        requirement:
            "Every key on a server's path is of RSA, or on P-256, P-384 or P-521, and no key is Ed25519 or Ed448. A server's own key on P-521 passes this rule, and Apple's systems refuse it in TLS 1.3 all the same.",
        section: .baseline("6.1.5"), check: .keySize, remedies: Self.newKey, account: Self.accountOfServerKey)

    private static let accountOfServerKey: Account = { breach in
        guard case .keyTooSmallForServer(let kind, let bits, let minimum) = breach.reason else { return nil }
        return Self.account(
            of: breach, kind, bits: bits, minimum: minimum, small: "is too small for a TLS server",
            other: "is of a kind not accepted for TLS servers")
    }

    private static func account(
        of breach: RuleBreach, _ kind: PublicKeyKind, bits: Int, minimum: Int, small: String, other: String
    ) -> RuleAccount {
        let (found, isSmall) = (kind.text(bits: bits), kind == .rsa || bits > 0 && bits < minimum)
        let fault = isSmall ? "\(small) (\(found), at least \(minimum) bits)" : "\(other) (\(found))"
        // Apple's systems accept no TLS 1.3 handshake signed with a server's key on P-521.
        let kinds =
            breach.certificate.isCertificateAuthority
            ? "RSA, or a key on P-256, P-384 or P-521" : "RSA, or a key on P-256 or P-384"
        return RuleAccount(
            "The key of \(breach.name) \(fault).", found: found,
            required: isSmall ? "at least \(minimum) bits" : kinds,
            evidence: ["key": kind.rawValue, "bits": "\(bits)", "minimumBits": "\(minimum)"])
    }

    private static let newKey = [
        TrustRemedy(.leaf, .makeKey, advice: "Make a new key, RSA of 2,048 bits or on P-256, and have it certified."),
        TrustRemedy(
            .intermediate, .useOtherAuthority,
            advice:
                "Have the certificate issued by an authority with a key of RSA of 2,048 bits or on P-256 at least: this one's is not yours to change."
        ),
        TrustRemedy(
            .root, .useOtherRoot,
            advice: "Have the certificate issued below a root with a key of RSA of 2,048 bits or on P-256 at least."),
    ]
}

extension PublicKeyKind {
    /// The fault of a key of this kind that the library cannot read.
    fileprivate var malformation: String {
        switch self {
        case .rsa: "with numbers that no RSA key has"
        case .ed25519, .ed448: "of another length than such keys have"
        default: "with octets that are no point of the curve"
        }
    }

    fileprivate func text(bits: Int) -> String {
        switch self {
        case .rsa: "RSA \(bits) bits"
        case .unknown: "unknown kind"
        default: self.title
        }
    }
}
