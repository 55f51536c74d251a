//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

extension RejectionReason {
    /// The facts behind the reason, by name.
    var evidence: [(name: String, value: String)] {
        switch self {
        case .expired(let notAfter, let time): [("notAfter", "\(notAfter)"), ("evaluatedAt", "\(time)")]
        case .notYetValid(let notBefore, let time): [("notBefore", "\(notBefore)"), ("evaluatedAt", "\(time)")]
        case .unsupportedSignatureAlgorithm(let algorithm), .signatureAlgorithmNotAccepted(let algorithm):
            [("algorithm", "\(algorithm)")]
        case .unsupportedIssuerKey(let kind, let bits): [("key", kind.rawValue), ("bits", "\(bits)")]
        case .weakKey(let kind, let bits, let minimum), .keyTooSmallForServer(let kind, let bits, let minimum):
            [("key", kind.rawValue), ("bits", "\(bits)"), ("minimumBits", "\(minimum)")]
        case .brokenDigest(let digest), .weakDigest(let digest): [("digest", digest.rawValue)]
        case .nameMismatch(let reference, let presented, _): Self.evidence(reference, presented)
        case .extendedKeyUsage(let required, let present):
            [("required", Self.names(required)), ("present", Self.names(present))]
        case .serverAuthenticationMissing(let present): [("present", Self.names(present))]
        case .keyUsage(let missing): [("missing", missing.names)]
        case .oldVersionIssuer(let version): [("version", "\(version)")]
        case .pathLengthExceeded(let limit, let actual), .tooManyIntermediates(let limit, let actual):
            [("limit", "\(limit)"), ("actual", "\(actual)")]
        case .pathTooLong(let limit): [("limit", "\(limit)")]
        case .unknownCriticalExtension(let identifier), .malformedExtension(let identifier),
            .duplicateExtension(let identifier):
            [("extension", "\(identifier)")]
        case .nameConstraints(let violation): [("name", violation.name), ("constraints", "\(violation.constraints)")]
        case .lifetimeTooLong(let seconds, let limit):
            [("seconds", "\(seconds)"), ("maximumSeconds", "\(limit.maximumSeconds)"), ("rule", limit.source)]
        case .certificateRule(let rules): [("rule", rules.names.joined(separator: ", "))]
        case .blockedRoot(let blocked): [("blockedBy", blocked.match.rawValue), ("source", blocked.source)]
        case .revoked(let reason, let date): [("reason", "\(reason)"), ("revokedAt", "\(date)")]
        case .revocationStatusUnknown(let why), .stapledResponseMissing(let why): [("status", why.rawValue)]
        case .tlsFeatureMissing(let features):
            [("missingFeatures", features.map(String.init).joined(separator: ", "))]
        case .transparencyMissing(let shortfall):
            [
                ("neededLogs", "\(shortfall.needed)"), ("countedLogs", "\(shortfall.counted)"),
                ("timestamps", "\(shortfall.timestamps)"), ("unknownLogs", "\(shortfall.unknownLogs)"),
                ("countedOperators", "\(shortfall.countedOperators)"), ("rules", shortfall.rules.rawValue),
            ]
        case .budgetExceeded(let resource): [("resource", resource.rawValue)]
        case .untrustedRoot, .unknownIssuer, .badSignature, .signatureAlgorithmMismatch, .keyAlgorithmNotAccepted,
            .basicConstraintsMissing,
            .notCertificateAuthority, .malformedName, .certificatePolicies, .keyIdentifierMismatch, .emptySubject,
            .leafKeyNotPinned, .authorityKeyNotPinned, .pathNotPinned, .anchorNotPinned:
            []
        }
    }

    /// Whether the fault lies between a name and what authorities above permit.
    var isAboutNameConstraints: Bool {
        if case .nameConstraints = self { true } else { false }
    }

    private static func evidence(
        _ reference: String, _ presented: PresentedIdentities
    ) -> [(name: String, value: String)] {
        var evidence = [("reference", reference)]
        if !presented.dnsNames.isEmpty {
            evidence.append(("dnsNames", presented.dnsNames.listed(upTo: 20, of: presented.dnsNameCount)))
        }
        if !presented.ipAddresses.isEmpty {
            let addresses = presented.ipAddresses.map(\.description)
            evidence.append(("ipAddresses", addresses.listed(upTo: 20, of: presented.ipAddressCount)))
        }
        for wildcard in presented.refusedWildcards.prefix(4) { evidence.append(("wildcard", "\(wildcard)")) }
        if presented.commonNameWouldMatch { evidence.append(("commonName", "matches, and never counts (RFC 9525)")) }
        return evidence.map { (name: $0.0, value: $0.1) }
    }
}

extension KeyUsage {
    /// The names of the bits, as RFC 5280 §4.2.1.3 has them.
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
