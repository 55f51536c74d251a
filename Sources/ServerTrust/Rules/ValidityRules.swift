//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let validity = [Self.expired, Self.notYetValid, Self.lifetimeTooLong]

    private static let expired = TrustRule(
        "expired", "The certificate has expired",
        requirement: "The moment is not after the end of any certificate's validity, the anchor's included.",
        section: .rfc(5280, "4.1.2.5"), check: .temporalValidity,
        remedies: [
            TrustRemedy(
                .leaf, .renew, .setClock,
                advice:
                    "Renew the certificate and install the new one. If the moment it was judged at is wrong, set this machine's clock."
            ),
            TrustRemedy(
                .intermediate, .changeChain,
                advice:
                    "The certificate is its authority's, and not yours to renew: download the current intermediate from the authority and have the server send it in place of this one."
            ),
            TrustRemedy(
                .root, .useOtherRoot,
                advice:
                    "The root is its authority's, and not yours to renew: get a certificate that leads to a current root, and update the trusted roots."
            ),
            TrustRemedy(
                .crossCertificate, .trustRoot, .changeChain,
                advice:
                    "The certificate is a cross-certificate: another authority signed the key of a root. Have the server leave it out, and trust the root itself."
            ),
        ]
    ) { breach in
        guard case .expired(let notAfter, let time) = breach.reason else { return nil }
        return RuleAccount(
            "The certificate \(breach.name) expired on \(notAfter).", found: "valid until \(notAfter)",
            required: "valid at \(time)", evidence: ["notAfter": "\(notAfter)", "evaluatedAt": "\(time)"],
            remedy: Self.remedy(forCrossCertificate: breach))
    }

    private static func remedy(forCrossCertificate breach: RuleBreach) -> TrustRemedy? {
        guard let root = breach.surroundings.root(crossSignedAs: breach.certificate) else { return nil }
        return TrustRemedy(
            .crossCertificate, .trustRoot, .changeChain,
            advice:
                "The certificate is a cross-certificate: “\(breach.certificate.issuer)” signed the key of a root. Have the server leave it out, and trust the root “\(root.subjectSummary)” itself."
        )
    }

    private static let notYetValid = TrustRule(
        "not-yet-valid", "The certificate is not valid yet",
        requirement: "The moment is not before the start of any certificate's validity, the anchor's included.",
        section: .rfc(5280, "4.1.2.5"), check: .temporalValidity,
        remedies: [
            TrustRemedy(
                .leaf, .setClock, .reissue,
                advice:
                    "If the moment it was judged at is wrong, set this machine's clock. If it is right, wait, or have the certificate issued with an earlier start."
            ),
            TrustRemedy(
                .intermediate, .setClock, .changeChain,
                advice:
                    "If the moment it was judged at is wrong, set this machine's clock. If it is right, have the server send the intermediate that is valid now."
            ),
            TrustRemedy(
                .root, .setClock, .useOtherRoot,
                advice:
                    "If the moment it was judged at is wrong, set this machine's clock. If it is right, use a root that is valid now."
            ),
        ]
    ) { breach in
        guard case .notYetValid(let notBefore, let time) = breach.reason else { return nil }
        return RuleAccount(
            "The certificate \(breach.name) is not valid before \(notBefore).", found: "valid from \(notBefore)",
            required: "valid at \(time)", evidence: ["notBefore": "\(notBefore)", "evaluatedAt": "\(time)"])
    }

    private static let lifetimeTooLong = TrustRule(
        "lifetime-too-long", "The certificate is valid for too long",
        requirement: "A server's certificate lives no longer than the limit for its date of issuance.",
        section: .apple("set_ssl_validity_periods", file: "OSX/sec/Security/SecPolicy.c"),
        check: .otherTrustValidityPeriod,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice:
                    "Have the certificate issued for a shorter time, 397 days at most. Other systems may accept it, Apple's do not."
            )
        ],
        holds: { !$0.serverLifetimeLimits.isEmpty },
        account: { breach in
            guard case .lifetimeTooLong(let seconds, let limit) = breach.reason else { return nil }
            let view = breach.certificate.view
            return RuleAccount(
                "The certificate \(breach.name) is valid for \(seconds.secondsInDays), more than \(limit.maximumSeconds.secondsInDays).",
                found: "\(seconds.secondsInDays), from \(view.notBefore) to \(view.notAfter)",
                required: "at most \(limit.maximumSeconds.secondsInDays) (\(limit.source))",
                evidence: [
                    "seconds": "\(seconds)", "maximumSeconds": "\(limit.maximumSeconds)", "rule": limit.source,
                ])
        })
}
