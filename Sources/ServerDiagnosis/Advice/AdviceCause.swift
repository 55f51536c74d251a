//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Which change to a server a violation asks for, and why.
struct AdviceCause {
    let kind: ServerAdvice.Kind
    let reason: String

    /// The causes of a verdict, from what is known of the server; none for what the server cannot mend.
    static func causes(
        of verdict: ATSVerdict, _ facts: ServerFacts, _ known: ATSServerFacts
    ) -> [AdviceCause] {
        verdict.violations.flatMap { violation -> [AdviceCause] in
            switch violation.reason {
            case .connectionFailed(let failure):
                Self.causes(of: failure, verdict.requirements, facts, known)
            case .versionTooOld: [AdviceCause(kind: .version, reason: violation.message)]
            case .cipherSuite: [AdviceCause(kind: .cipherSuites, reason: violation.message)]
            case .noExtendedMasterSecret: [AdviceCause(kind: .extendedMasterSecret, reason: violation.message)]
            case .keyTooSmall: [AdviceCause(kind: .key, reason: violation.message)]
            case .leafDigest, .issuerDigest, .signatureAlgorithmNotOffered:
                [AdviceCause(kind: .digest, reason: violation.message)]
            case .insecureLoad: [AdviceCause(kind: .redirect, reason: "A redirect leads to plain HTTP.")]
            case .untrusted(let failure): failure.reasons.compactMap(Self.init)
            case .leafNotPinned, .authorityNotPinned, .unknown: []
            }
        }
    }

    /// Where no handshake comes about, the facts say why.
    private static func causes(
        of failure: ATSConnectionFailure, _ requirements: ATSRequirements, _ facts: ServerFacts, _ known: ATSServerFacts
    ) -> [AdviceCause] {
        guard !failure.isBelowTLS, let minimum = requirements.effectiveMinimumVersion else { return [] }
        guard facts.speaksTLS || !known.handshakes.isEmpty else {
            return [
                failure == .protocolError
                    ? AdviceCause(kind: .speakTLS, reason: failure.message)
                    : AdviceCause(kind: .version, reason: "The server refuses every version of TLS that was offered.")
            ]
        }
        let spoken = Set(facts.supportedVersions + known.handshakes.map(\.version)).sorted()
        let maximum = requirements.systemMaximumVersion
        guard let newest = spoken.last(where: { $0 <= maximum }), newest >= minimum else {
            let names = spoken.map(\.description).joined(separator: " and ")
            let limit = spoken.allSatisfy { $0 > maximum } ? "\(maximum) is the newest" : "\(minimum) is the least"
            return [AdviceCause(kind: .version, reason: "The server speaks \(names) only, and \(limit).")]
        }
        return [AdviceCause(kind: .cipherSuites, reason: Self.suites(newest, requirements))]
    }

    private static func suites(_ version: TLSProtocolVersion, _ requirements: ATSRequirements) -> String {
        requirements.niapPackage == .fcp21
            ? "Of the suites of \(version) the server takes none of ECDHE with AES-GCM, which is all that FCP_v2.1 allows."
            : "Of the suites of \(version) the server takes none that App Transport Security allows with forward secrecy."
    }
}

extension AdviceCause {
    /// The cause that a reason of trust is; `nil` for those that no server can mend.
    fileprivate init?(_ reason: TrustFailureReason) {
        guard let kind = Self.kind(of: reason) else { return nil }
        self.init(kind: kind, reason: reason.message)
    }

    private static func kind(of reason: TrustFailureReason) -> ServerAdvice.Kind? {
        switch reason.reason {
        // An intermediate that has expired has a successor, and the server is to send that.
        case .expired: reason.certificateIndex == 0 ? .renewal : .chain
        case .unknownIssuer, .badSignature, .keyIdentifierMismatch: .chain
        case .untrustedRoot: .authority
        case .nameMismatch: .name
        case .weakKey, .keyTooSmallForServer, .unsupportedIssuerKey: .key
        case .brokenDigest, .weakDigest: .digest
        case .leafKeyNotPinned, .authorityKeyNotPinned, .pathNotPinned, .anchorNotPinned, .budgetExceeded,
            .revocationStatusUnknown, .tooManyIntermediates:
            nil
        default: .certificate
        }
    }
}
