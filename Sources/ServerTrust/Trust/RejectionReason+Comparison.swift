//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// What was found, beside what the rule requires.
public struct RuleComparison: Sendable, Hashable {
    /// What the certificate or path has.
    public let found: String
    /// What the rule asks in its place.
    public let required: String
}

extension RejectionReason {
    /// What was found and what is required.
    ///
    /// - Parameters:
    ///   - certificate: The certificate at fault.
    ///   - issuer: The certificate above it on the path.
    func comparison(for certificate: Certificate, issuer: Certificate?) -> RuleComparison {
        let (found, required) = self.values(certificate, issuer)
        return RuleComparison(found: found, required: required)
    }

    private func values(_ certificate: Certificate, _ issuer: Certificate?) -> (String, String) {
        switch self {
        case .expired(let notAfter, let time): ("valid until \(notAfter)", "valid at \(time)")
        case .notYetValid(let notBefore, let time): ("valid from \(notBefore)", "valid at \(time)")
        case .untrustedRoot:
            ("self-signed, SHA-256 \(Self.hex(certificate.sha256Fingerprint))", "a trusted root at the end of the path")
        case .blockedRoot(let blocked) where blocked.match == .key:
            ("the key sha256/\(certificate.publicKey.pin), which is a blocked root's", "a root that is not blocked")
        case .blockedRoot:
            ("a blocked root, SHA-256 \(Self.hex(certificate.sha256Fingerprint))", "a root that is not blocked")
        case .unknownIssuer: ("no such certificate", Self.sought(certificate))
        case .badSignature:
            (
                "a signature of another key than that of “\(issuer?.subjectSummary ?? certificate.issuer)”"
                    + (issuer.map { " (sha256/\($0.publicKey.pin))" } ?? ""),
                "a signature of its issuer's key (\(Self.sought(certificate)))"
            )
        case .signatureAlgorithmMismatch:
            ("two algorithms, \(certificate.signatureAlgorithm) outside the signed part", "the same algorithm twice")
        case .unsupportedSignatureAlgorithm(let algorithm):
            ("\(algorithm)", "RSA, RSA-PSS with usual parameters, ECDSA or Ed25519, over SHA-1 or SHA-2")
        case .signatureAlgorithmNotAccepted(let algorithm):
            ("\(algorithm)", "RSA PKCS#1 v1.5 (sha256WithRSAEncryption) or ECDSA")
        case .keyAlgorithmNotAccepted:
            ("a key of the kind id-RSASSA-PSS", "a key of the kind rsaEncryption, or on a curve")
        case .unsupportedIssuerKey(let kind, let bits):
            (Self.text(kind, bits), "RSA of 1,024 to 8,192 bits, P-256, P-384, P-521 or Ed25519")
        case .weakKey(let kind, let bits, let minimum), .keyTooSmallForServer(let kind, let bits, let minimum):
            (Self.text(kind, bits), Self.neededKey(kind, bits, minimum: minimum, certificate))
        case .brokenDigest(let digest), .weakDigest(let digest): (digest.rawValue, "SHA-256, SHA-384 or SHA-512")
        case .nameMismatch(let reference, let presented, _): (Self.names(presented, certificate), reference)
        default: self.valuesOfExtensions(certificate) ?? self.valuesOfStatus(certificate)
        }
    }

    private func valuesOfExtensions(_ certificate: Certificate) -> (String, String)? {
        switch self {
        case .extendedKeyUsage(let required, let present): (Self.usages(present, certificate), Self.names(required))
        case .serverAuthenticationMissing(let present):
            (Self.usages(present, certificate), "serverAuth (1.3.6.1.5.5.7.3.1)")
        case .keyUsage(let missing): (certificate.view.keyUsage?.names ?? "no key usage", missing.names)
        case .basicConstraintsMissing: ("no basic constraints", "basic constraints with cA TRUE")
        case .notCertificateAuthority: ("basic constraints with cA FALSE", "basic constraints with cA TRUE")
        case .oldVersionIssuer(let version): ("version \(version)", "version 3")
        case .pathLengthExceeded(let limit, let actual):
            ("\(actual) intermediates below it", "at most \(limit) (pathLenConstraint)")
        case .tooManyIntermediates(let limit, let actual): ("\(actual) intermediates", "at most \(limit)")
        case .pathTooLong(let limit): ("more than \(limit) certificates", "at most \(limit)")
        case .unknownCriticalExtension(let identifier):
            ("\(OIDNames.name(of: identifier)), critical", "critical extensions that are known here")
        case .malformedExtension(let identifier):
            ("\(OIDNames.name(of: identifier)) with octets that cannot be read", "the encoding of RFC 5280 §4.2")
        case .duplicateExtension(let identifier): ("\(OIDNames.name(of: identifier)) twice", "each extension once")
        case .malformedName: ("octets that are not a distinguished name", "a distinguished name")
        case .nameConstraints(let violation): Self.constraints(violation)
        case .certificatePolicies: ("no policy that holds for the whole path", "a policy that holds for the whole path")
        case .keyIdentifierMismatch:
            (
                "authority key identifier \(Self.hex(certificate.view.authorityKeyIdentifier ?? []))",
                "the subject key identifier of its issuer"
            )
        case .emptySubject: ("an empty subject", "a subject, or on a leaf a critical subject alternative name")
        case .lifetimeTooLong(let seconds, let limit):
            (
                "\(Self.days(seconds)) days, from \(certificate.view.notBefore) to \(certificate.view.notAfter)",
                "at most \(Self.days(limit.maximumSeconds)) days (\(limit.source))"
            )
        case .certificateRule(let rules): (Self.form(rules, certificate), rules.requirements)
        default: nil
        }
    }

    private func valuesOfStatus(_ certificate: Certificate) -> (String, String) {
        switch self {
        case .leafKeyNotPinned, .authorityKeyNotPinned, .anchorNotPinned, .pathNotPinned:
            ("sha256/\(certificate.publicKey.pin)", "one of the pinned keys or certificates")
        case .revoked(let reason, let date): ("revoked on \(date) (\(reason))", "not revoked")
        case .revocationStatusUnknown(.noInformation):
            ("no list or response about it", "a current answer that it is good")
        case .revocationStatusUnknown(.notUsable):
            ("a list or response that does not count", "a current answer that it is good")
        case .stapledResponseMissing(.noInformation):
            ("no stapled response", "a stapled response that is current and good")
        case .stapledResponseMissing(.notUsable):
            ("a stapled response that does not count", "a stapled response that is current and good")
        case .tlsFeatureMissing(let features):
            (
                "without the TLS features \(features.map(String.init).joined(separator: ", "))",
                "the TLS features of its issuer"
            )
        case .transparencyMissing(let shortfall):
            (
                "\(shortfall.timestamps) timestamps, of which \(shortfall.counted) count"
                    + (shortfall.rules.neededOperators > 1 ? ", of \(shortfall.countedOperators) operators" : ""),
                "at least \(shortfall.needed) logs"
                    + (shortfall.rules.neededOperators > 1 ? " of \(shortfall.rules.neededOperators) operators" : "")
            )
        case .budgetExceeded(let resource): ("more \(resource.rawValue) than allowed", "the work allowed (Budget)")
        default: ("", "")
        }
    }
}

// MARK: - Values

extension RejectionReason {
    private static func hex(_ octets: [UInt8]) -> String {
        octets.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    private static func sought(_ certificate: Certificate) -> String {
        let key = certificate.view.authorityKeyIdentifier.map { ", key identifier \(Self.hex($0))" } ?? ""
        return "“\(certificate.issuer)”\(key)"
    }

    /// A server's own key on P-521 signs no handshake of TLS 1.3 that Apple's systems take.
    private static func neededKey(
        _ kind: PublicKeyKind, _ bits: Int, minimum: Int, _ certificate: Certificate
    ) -> String {
        if kind == .rsa || (bits > 0 && bits < minimum) { return "at least \(minimum) bits" }
        return certificate.isCertificateAuthority
            ? "RSA, or a key on P-256, P-384 or P-521" : "RSA, or a key on P-256 or P-384"
    }

    private static func names(_ presented: PresentedIdentities, _ certificate: Certificate) -> String {
        guard certificate.view.version >= 3 else {
            return "a certificate of version \(certificate.view.version), which has no alternative names"
        }
        let names = presented.dnsNames + presented.ipAddresses.map(\.description)
        let common =
            presented.commonNames.isEmpty ? "" : "; common name \(presented.commonNames.listed(upTo: 8))"
        guard !names.isEmpty else { return "no alternative name for servers\(common)" }
        return names.listed(upTo: 8, of: presented.dnsNameCount + presented.ipAddressCount)
            + (presented.addressIsWrittenAsDNSName ? " (as a DNS name)" : "")
    }

    private static func usages(_ present: [OID], _ certificate: Certificate) -> String {
        guard certificate.view.version >= 3 else {
            return "a certificate of version \(certificate.view.version), which has no extensions"
        }
        return present.isEmpty ? "no extended key usage" : Self.names(present)
    }

    private static func constraints(_ violation: NameConstraintViolation) -> (String, String) {
        let list = violation.constraints.joined(separator: ", ")
        return switch violation.kind {
        case .excluded: (violation.name, "a name outside of \(list)")
        case .notPermitted: (violation.name, "a name within \(list)")
        default: ("\(violation)", "names that the issuers permit")
        }
    }

    private static func form(_ rules: CertificateRules, _ certificate: Certificate) -> String {
        if rules.contains(.serialNumber) { return "serial number \(Self.hex(certificate.serialNumber))" }
        if rules.contains(.version3) { return "version \(certificate.view.version)" }
        return rules.names.joined(separator: ", ")
    }
}
