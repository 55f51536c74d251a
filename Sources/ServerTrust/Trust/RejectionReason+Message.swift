//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension RejectionReason {
    /// What is wrong, in one sentence about the certificate at fault.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - role: What it is on the path.
    func message(about certificate: Certificate, _ role: CertificateRole) -> String {
        let name = "“\(certificate.subjectSummary)”"
        return switch self {
        case .expired(let notAfter, _): "The certificate \(name) expired on \(notAfter)."
        case .notYetValid(let notBefore, _): "The certificate \(name) is not valid before \(notBefore)."
        case .untrustedRoot where role == .leaf:
            "The server's certificate \(name) is signed with its own key and is not trusted."
        case .untrustedRoot: "The path ends at the root \(name), which is self-signed and not trusted."
        case .blockedRoot(let blocked) where blocked.match == .key:
            "Apple blocks the root with the key of \(name) (\(blocked.source))."
        case .blockedRoot(let blocked): "Apple blocks the root \(name) (\(blocked.source))."
        case .unknownIssuer: "The issuer of \(name), \(certificate.issuer), was not sent and is not a trusted root."
        case .badSignature: "The signature on \(name) was not made with its issuer's key."
        case .signatureAlgorithmMismatch: "The certificate \(name) names two different signature algorithms."
        case .unsupportedSignatureAlgorithm(let algorithm):
            "The signature on \(name) is of an algorithm that is not supported (\(algorithm))."
        case .signatureAlgorithmNotAccepted(let algorithm):
            "The signature on \(name) is made by \(algorithm), which Apple's systems do not verify in certificates."
        case .keyAlgorithmNotAccepted:
            "The key of \(name) is for RSASSA-PSS alone (id-RSASSA-PSS), which is no key to Apple's systems."
        case .unsupportedIssuerKey(let kind, let bits):
            "The issuer of \(name) has a key that is not supported (\(Self.text(kind, bits)))."
        case .weakKey(let kind, let bits, let minimum): Self.weakKey(name, kind, bits: bits, minimum: minimum)
        case .keyTooSmallForServer(let kind, let bits, let minimum):
            Self.serverKey(name, kind, bits: bits, minimum: minimum)
        case .brokenDigest(let digest):
            "The certificate \(name) is signed over \(digest.rawValue), which anyone can forge."
        case .weakDigest(let digest):
            "The certificate \(name) is signed over \(digest.rawValue), which is no longer safe."
        case .nameMismatch(let reference, let presented, let invalid):
            invalid.map { "No certificate can match: \($0)." } ?? Self.mismatch(reference, presented, of: certificate)
        case .extendedKeyUsage(let required, let present) where !present.isEmpty:
            "The certificate \(name) is for \(Self.names(present)) only; this use needs \(Self.names(required))."
        case .extendedKeyUsage(let required, _):
            "The certificate \(name) is not for this use: its extended key usage lacks \(Self.names(required))."
        case .serverAuthenticationMissing where certificate.view.version < 3:
            "The certificate \(name) is of version \(certificate.view.version), without extensions: it does not say that it is for TLS servers (serverAuth)."
        case .serverAuthenticationMissing:
            "The certificate \(name) does not say that it is for TLS servers: its extended key usage lacks serverAuth."
        case .keyUsage(let missing):
            "The key of \(name) may not be used for this: its key usage lacks \(missing.names)."
        case .basicConstraintsMissing: "The issuer \(name) has no basic constraints, so it may not issue certificates."
        case .notCertificateAuthority: "The issuer \(name) is not a certificate authority."
        case .oldVersionIssuer(let version):
            "The issuer \(name) is a version \(version) certificate, which may not issue."
        case .pathLengthExceeded(let limit, let actual):
            "The issuer \(name) allows at most \(limit) intermediates below it; the path has \(actual)."
        case .tooManyIntermediates(let limit, let actual):
            "The path has \(actual) intermediates, more than the \(limit) allowed."
        case .pathTooLong(let limit):
            "The path goes on above \(name) and is longer than the \(limit) certificates that are followed."
        case .unknownCriticalExtension(let identifier):
            "The certificate \(name) has a critical extension that is not processed here (\(OIDNames.name(of: identifier)))."
        case .malformedExtension(let identifier):
            "The certificate \(name) has an extension that cannot be read (\(OIDNames.name(of: identifier)))."
        case .duplicateExtension(let identifier):
            "The certificate \(name) has the extension \(OIDNames.name(of: identifier)) twice."
        case .malformedName: "The subject or issuer of \(name) is not a distinguished name."
        case .nameConstraints(let violation): "The certificate \(name) has a name it must not have: \(violation)."
        case .certificatePolicies:
            "No certificate policy holds for the whole path, and an authority of the path, or the caller, requires one."
        case .keyIdentifierMismatch:
            "The certificate \(name) names another key as its issuer's (authority key identifier)."
        case .emptySubject:
            "The certificate \(name) has an empty subject, which only a leaf with critical alternative names may have."
        case .lifetimeTooLong(let seconds, let limit):
            "The certificate \(name) is valid for \(Self.days(seconds)) days, more than \(Self.days(limit.maximumSeconds))."
        case .certificateRule(let rules): "The certificate \(name) breaks a rule on its form. \(rules.requirements)"
        case .leafKeyNotPinned: "The key of \(name) is not one of the pinned keys."
        case .authorityKeyNotPinned: "No key above the leaf is one of the pinned keys."
        case .pathNotPinned: "No key or certificate of the path matches a pin."
        case .anchorNotPinned: "The anchor \(name) is not pinned."
        case .revoked(let reason, let date): "The certificate \(name) was revoked on \(date) (\(reason))."
        case .revocationStatusUnknown(.noInformation):
            "No list or response about the revocation of the certificate \(name) is at hand, and its status must be known."
        case .revocationStatusUnknown(.notUsable):
            "A revocation list or OCSP response about the certificate \(name) is at hand and does not count."
        case .stapledResponseMissing(.noInformation):
            "The certificate \(name) promises that its server staples an OCSP response, and it staples no response."
        case .stapledResponseMissing(.notUsable):
            "The OCSP response stapled for \(name), which promises one, is not current or not authentic."
        case .tlsFeatureMissing(let features):
            "The certificate \(name) does not promise the TLS features its issuer demands (\(Self.features(features)))."
        case .transparencyMissing(let shortfall): Self.transparency(name, shortfall)
        case .budgetExceeded(let resource): "The certificates take too much work to judge (\(resource.rawValue))."
        }
    }

    private static func transparency(_ name: String, _ shortfall: TransparencyShortfall) -> String {
        let operators = shortfall.rules.neededOperators
        let areDifferent = operators > 1 ? " of \(operators) operators" : ""
        let needed =
            "at least \(shortfall.needed) logs of certificate transparency\(areDifferent) must have signed one"
        guard shortfall.timestamps > 0 else {
            return "The certificate \(name) has no signed certificate timestamps; \(needed)."
        }
        let unknown = shortfall.unknownLogs == 0 ? "" : ", \(shortfall.unknownLogs) of them from unknown logs"
        return
            "The certificate \(name) has \(shortfall.timestamps) signed certificate timestamps\(unknown); \(needed), "
            + "and \(shortfall.counted)\(operators > 1 ? " of \(shortfall.countedOperators)" : "") did."
    }

    static func text(_ kind: PublicKeyKind, _ bits: Int) -> String {
        switch kind {
        case .rsa: "RSA \(bits) bits"
        case .unknown: "unknown kind"
        default: kind.title
        }
    }

    private static func weakKey(_ name: String, _ kind: PublicKeyKind, bits: Int, minimum: Int) -> String {
        if kind == .rsa || bits > 0 && bits < minimum {
            return "The key of \(name) is too weak for any use (\(Self.text(kind, bits)); at least \(minimum) bits)."
        }
        return "The key of \(name) is of a kind that is not accepted (\(Self.text(kind, bits)))."
    }

    private static func serverKey(_ name: String, _ kind: PublicKeyKind, bits: Int, minimum: Int) -> String {
        if kind == .rsa || bits > 0 && bits < minimum {
            return
                "The key of \(name) is too small for a TLS server (\(Self.text(kind, bits)); at least \(minimum) bits)."
        }
        return "The key of \(name) is of a kind not accepted for TLS servers (\(Self.text(kind, bits)))."
    }

    private static func mismatch(
        _ reference: String, _ presented: PresentedIdentities, of certificate: Certificate
    ) -> String {
        if presented.addressIsWrittenAsDNSName {
            return
                "The certificate has \(reference) as a DNS name; an address counts only as an IP address (iPAddress)."
        }
        let names = presented.dnsNames + presented.ipAddresses.map(\.description)
        guard !names.isEmpty else {
            let ignored = presented.commonNameWouldMatch ? "; the common name, which matches, does not count" : ""
            let version = certificate.view.version < 3 ? ", as one of version \(certificate.view.version)" : ""
            return
                "The certificate is not for \(reference): it has no alternative name for servers\(version)\(ignored)."
        }
        let shown = names.listed(upTo: 4, isCounted: false)
        let wildcard = presented.refusedWildcards.first.map { " (\($0))" } ?? ""
        return "The certificate is for \(shown), not for \(reference)\(wildcard)."
    }

    private static func features(_ features: [UInt32]) -> String {
        let names: [UInt32: String] = [5: "status_request", 17: "status_request_v2"]
        return features.map { names[$0] ?? "\($0)" }.joined(separator: ", ")
    }

    static func days(_ seconds: Int64) -> String {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let tenths = rest * 10 / 86_400
        return tenths == 0 ? "\(days)" : "\(days).\(tenths)"
    }

    static func names(_ identifiers: [OID]) -> String {
        identifiers.isEmpty ? "nothing" : identifiers.map(OIDNames.name(of:)).joined(separator: ", ")
    }
}
