//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let revocation = [Self.revoked, Self.revocationUnknown, Self.mustStaple, Self.tlsFeature]

    private static let revoked = TrustRule(
        "revoked", "The certificate is revoked", requirement: "No certificate below the anchor is revoked.",
        section: .rfc(5280, "6.3"), check: .revocation,
        remedies: [
            TrustRemedy(
                .leaf, .makeKey,
                advice: "Do not use the certificate any more: make a new key and have it certified."),
            TrustRemedy(
                .intermediate, .useOtherIssuer,
                advice:
                    "If its authority has another certificate for the same key, have the server send that one in place of this. Otherwise get a certificate from another intermediate: everything that this one issued is void."
            ),
        ]
    ) { breach in
        guard case .revoked(let reason, let date) = breach.reason else { return nil }
        let subject =
            breach.role == .leaf
            ? "The certificate \(breach.name)"
            : "The intermediate \(breach.name), issued by “\(breach.certificate.issuer)” with the serial number \(breach.certificate.serialNumber.colonedHexadecimal),"
        return RuleAccount(
            "\(subject) was revoked on \(date) (\(reason)).",
            found: "revoked on \(date) (\(reason))", required: "not revoked",
            evidence: ["reason": "\(reason)", "revokedAt": "\(date)"])
    }

    private static let revocationUnknown = TrustRule(
        "revocation-unknown", "The revocation status is unknown",
        requirement: "The revocation status is known, where it must be.", section: .rfc(6960, "3.2"),
        check: .revocationResponseRequired,
        remedies: [
            TrustRemedy(
                .leaf, .giveStatus,
                advice:
                    "Give or fetch a current revocation list or OCSP response about the certificate, or do not require one."
            ),
            TrustRemedy(
                .unusableEvidence, .giveStatus,
                advice:
                    "Get a list or response that is current and signed by the issuer, in place of the one at hand, or do not require one."
            ),
        ]
    ) { breach in
        guard case .revocationStatusUnknown(let why) = breach.reason else { return nil }
        let isThere = why == .notUsable
        return RuleAccount(
            isThere
                ? "A revocation list or OCSP response about the certificate \(breach.name) is at hand and does not count."
                : "No list or response about the revocation of the certificate \(breach.name) is at hand, and its status must be known.",
            found: isThere ? "a list or response that does not count" : "no list or response about it",
            required: "a current answer that it is good", evidence: ["status": why.rawValue],
            circumstance: isThere ? .unusableEvidence : nil)
    }

    private static let mustStaple = TrustRule(
        "must-staple", "A promised OCSP response is not stapled",
        requirement: "The server staples a valid OCSP response, where its certificate promises one.",
        section: .rfc(7633, "4.3.1"), check: .stapledResponseRequired,
        remedies: [
            TrustRemedy(
                .leaf, .staple, .reissue,
                advice:
                    "Turn OCSP stapling on in the server and see that it reaches its authority's responder. Or have the certificate issued without must-staple."
            ),
            TrustRemedy(
                .unusableEvidence, .staple, .reissue,
                advice:
                    "See that the server renews the OCSP response that it staples. Or have it staple none, and the certificate issued without must-staple."
            ),
        ]
    ) { breach in
        guard case .stapledResponseMissing(let why) = breach.reason else { return nil }
        let isThere = why == .notUsable
        return RuleAccount(
            isThere
                ? "The OCSP response stapled for \(breach.name), which promises one, is not current or not authentic."
                : "The certificate \(breach.name) promises that its server staples an OCSP response, and it staples no response.",
            found: isThere ? "a stapled response that does not count" : "no stapled response",
            required: "a stapled response that is current and good", evidence: ["status": why.rawValue],
            circumstance: isThere ? .unusableEvidence : nil)
    }

    private static let tlsFeature = TrustRule(
        "tls-feature", "TLS features are missing",
        requirement: "A certificate has the TLS features that its issuer demands.", section: .rfc(7633, "4.2.2"),
        check: .certificateProfile,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice:
                    "Have the certificate issued again with the TLS feature extension of its issuer (RFC 7633), and have the server staple the OCSP response that it then promises."
            )
        ]
    ) { breach in
        guard case .tlsFeatureMissing(let features) = breach.reason else { return nil }
        let numbers = features.map(String.init).joined(separator: ", ")
        let names: [UInt32: String] = [5: "status_request", 17: "status_request_v2"]
        let named = features.map { names[$0] ?? "\($0)" }.joined(separator: ", ")
        return RuleAccount(
            "The certificate \(breach.name) does not promise the TLS features its issuer demands (\(named)).",
            found: "without the TLS features \(numbers)", required: "the TLS features of its issuer",
            evidence: ["missingFeatures": numbers])
    }
}
