//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let chain = [
        Self.untrustedRoot, Self.blockedRoot, Self.unknownIssuer, Self.keyIdentifierMismatch, Self.pathLength,
        Self.tooManyIntermediates,
    ]

    private static let untrustedRoot = TrustRule(
        "untrusted-root", "The root is not trusted", requirement: "The path ends at a trust anchor.",
        section: .rfc(5280, "6.1"), check: .anchorTrusted,
        remedies: [
            TrustRemedy(
                .root, .trustRoot, .useOtherAuthority,
                advice:
                    "If the root is your own, trust it, and install it on the devices. If not, get a certificate from a public authority."
            ),
            TrustRemedy(
                .selfSignedServer, .trustRoot, .useOtherAuthority,
                advice:
                    "If the certificate is your own, trust it, or better have it issued by an authority of your own. If not, get a certificate from a public authority."
            ),
        ]
    ) { breach in
        guard case .untrustedRoot = breach.reason else { return nil }
        let isLeaf = breach.role == .leaf
        return RuleAccount(
            isLeaf
                ? "The server's certificate \(breach.name) is signed with its own key and is not trusted."
                : "The path ends at the root \(breach.name), which is self-signed and not trusted.",
            found: "self-signed, SHA-256 \(breach.certificate.sha256Fingerprint.colonedHexadecimal)",
            required: "a trusted root at the end of the path", circumstance: isLeaf ? .selfSignedServer : .root)
    }

    private static let blockedRoot = TrustRule(
        "blocked-root", "A root that Apple blocks",
        requirement:
            "No root of the path is one that Apple blocks, by certificate or by key, even where it is added by hand.",
        section: .apple("SecPolicyServer.c, BlackListedKey", file: "trust/trustd/SecPolicyServer.c"),
        check: .blackListedKey,
        remedies: [
            TrustRemedy(
                .leaf, .useOtherAuthority,
                advice:
                    "Get a certificate from another public authority: Apple's systems refuse everything below this root, even where it is installed."
            )
        ]
    ) { breach in
        guard case .blockedRoot(let blocked) = breach.reason else { return nil }
        let (certificate, isByKey) = (breach.certificate, blocked.match == .key)
        return RuleAccount(
            isByKey
                ? "Apple blocks the root with the key of \(breach.name) (\(blocked.source))."
                : "Apple blocks the root \(breach.name) (\(blocked.source)).",
            found: isByKey
                ? "the key sha256/\(certificate.publicKey.pin), which is a blocked root's"
                : "a blocked root, SHA-256 \(certificate.sha256Fingerprint.colonedHexadecimal)",
            required: "a root that is not blocked",
            evidence: ["blockedBy": blocked.match.rawValue, "source": blocked.source])
    }

    private static let unknownIssuer = TrustRule(
        "unknown-issuer", "The issuer is missing or not trusted",
        requirement: "The issuer of every certificate up to the anchor was sent, or is trusted.",
        section: .rfc(5280, "6.1"), check: .missingIntermediate,
        remedies: [
            TrustRemedy(
                .leaf, .sendIntermediate, .trustRoot,
                advice:
                    "If the issuer is an intermediate, have the server send it behind its own certificate (the file is often named fullchain). If it is a root of your own, trust it."
            ),
            TrustRemedy(
                .intermediate, .trustRoot, .sendIntermediate,
                advice:
                    "If the issuer is a root of your own, trust it: a server does not send roots. If it is another intermediate, have the server send it. If it is neither, get a certificate from a public authority."
            ),
            TrustRemedy(
                .fetchableIssuer, .sendIntermediate, .fetchIssuer,
                advice:
                    "Have the server send the issuer, which the certificate says where to get. Apple's systems and Windows fetch it from there. curl, OpenSSL, Java, Android and most other clients do not."
            ),
        ]
    ) { breach in
        guard case .unknownIssuer = breach.reason else { return nil }
        let isFetchable = !breach.certificate.view.issuerURLs.isEmpty
        return RuleAccount(
            "The issuer of \(breach.name), \(breach.certificate.issuer), was not sent and is not a trusted root.",
            found: "no such certificate", required: breach.soughtIssuer,
            circumstance: isFetchable ? .fetchableIssuer : breach.role == .leaf ? .leaf : .intermediate)
    }

    private static let keyIdentifierMismatch = TrustRule(
        "key-identifier-mismatch", "The key identifiers do not agree",
        requirement: "The authority key identifier is the issuer's subject key identifier, where both are there.",
        section: .rfc(5280, "4.2.1.1"), check: .idLinkage,
        remedies: [
            TrustRemedy(
                .leaf, .reissue, .changeChain,
                advice:
                    "Have the certificate issued again with the key identifier of its issuer, which did sign it. Or have the server send the issuer with the subject key identifier that the certificate names."
            )
        ],
        holds: { $0.requiresKeyIdentifierLinkage },
        account: { breach in
            guard case .keyIdentifierMismatch = breach.reason else { return nil }
            let identifier = breach.certificate.view.authorityKeyIdentifier ?? []
            let key = breach.issuer?.view.subjectKeyIdentifier.map { "\($0.colonedHexadecimal), " } ?? ""
            return RuleAccount(
                "The certificate \(breach.name) names another key as its issuer's (authority key identifier).",
                found: "authority key identifier \(identifier.colonedHexadecimal)",
                required: key + "the subject key identifier of its issuer")
        })

    private static let pathLength = TrustRule(
        "path-length", "The path is longer than an issuer allows",
        requirement: "No more intermediates follow than an issuer's path length allows.",
        section: .rfc(5280, "4.2.1.9"), check: .basicConstraintsPathLen,
        remedies: [
            TrustRemedy(
                .intermediate, .useOtherIssuer,
                advice: "Use an intermediate that may issue this far down, or a path with fewer intermediates.")
        ]
    ) { breach in
        guard case .pathLengthExceeded(let limit, let actual) = breach.reason else { return nil }
        return RuleAccount(
            "The issuer \(breach.name) allows at most \(limit.counted("intermediate")) below it. The path has \(actual).",
            found: "\(actual.counted("intermediate")) below it", required: "at most \(limit) (pathLenConstraint)",
            evidence: ["limit": "\(limit)", "actual": "\(actual)"])
    }

    private static let tooManyIntermediates = TrustRule(
        "too-many-intermediates", "Too many intermediates",
        requirement: "The path has no more intermediates than the caller allows.", section: .rfc(5280, "6.1.1"),
        check: .chainLength,
        remedies: [
            TrustRemedy(
                .leaf, .changeChain, .raiseLimit, advice: "Use a path with fewer intermediates, or raise the limit.")
        ]
    ) { breach in
        guard case .tooManyIntermediates(let limit, let actual) = breach.reason else { return nil }
        return RuleAccount(
            "The path has \(actual.counted("intermediate")), more than the \(limit) allowed.",
            found: actual.counted("intermediate"),
            required: "at most \(limit)", evidence: ["limit": "\(limit)", "actual": "\(actual)"])
    }
}
