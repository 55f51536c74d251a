//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSProbe

/// A change to a server that a violation requires, with the reason.
struct AdviceCause {
    let kind: ServerAdvice.Kind
    let reason: String
    /// The remedy of the broken rule, if a certificate breaks one.
    var remedy: String?
    /// `true` if the key must not be used again.
    var needsNewKey = false
    /// `true` if another authority must issue the certificate.
    var needsOtherIssuer = false

    /// Returns the causes of a verdict, from the facts about the server. Violations that the server cannot remedy have none.
    ///
    /// - Parameters:
    ///   - verdict: The verdict.
    ///   - facts: The facts about the server.
    ///   - known: The facts that App Transport Security depends on.
    ///   - trust: The evaluation of each chain.
    static func causes(
        of verdict: ATSVerdict, _ facts: ServerFacts, known: ATSServerFacts, trust: [TrustResult?]
    ) -> [AdviceCause] {
        // Violations of another server after a redirect are not remedied at this one.
        let own = verdict.violations.filter { $0.redirect?.scheme != .https }
        return own.flatMap { violation -> [AdviceCause] in
            switch violation.reason {
            case .connectionFailed(let failure):
                // Without a handshake, the faults of the chain would show only after the next change.
                RefusedHandshake(requirements: verdict.requirements, facts: facts, known: known).causes(
                    of: failure)
                    + trust.compactMap { $0?.failure }.flatMap(\.reasons).flatMap(Self.causes)
            case .versionTooOld: [AdviceCause(kind: .version, reason: violation.message)]
            case .cipherSuite: [AdviceCause(kind: .cipherSuites, reason: violation.message)]
            case .noExtendedMasterSecret: [AdviceCause(kind: .extendedMasterSecret, reason: violation.message)]
            case .keyTooSmall: [AdviceCause(kind: .key, reason: violation.message)]
            case .leafDigest, .signatureAlgorithmNotOffered: [AdviceCause(kind: .digest, reason: violation.message)]
            // A request for the server's own key does not change signatures that an authority made earlier.
            case .issuerDigest: [AdviceCause(kind: .authority, reason: violation.message)]
            case .insecureLoad: [AdviceCause(kind: .redirect, reason: "A redirect leads to plain HTTP.")]
            case .untrusted(let failure): failure.reasons.flatMap(Self.causes)
            case .leafNotPinned, .authorityNotPinned, .unknown: []
            }
        }
    }
}

// MARK: - Trust

extension AdviceCause {
    /// Returns the causes for a reason against trust. Reasons that no server can remedy have none.
    private static func causes(of reason: TrustFailureReason) -> [AdviceCause] {
        let kinds = reason.certificateIndex == 0 ? Self.kinds(ofLeaf: reason) : Self.kinds(ofIssuer: reason)
        return kinds.map { kind in
            AdviceCause(
                kind: kind, reason: reason.message, remedy: reason.remedy.advice,
                needsNewKey: reason.certificateIndex == 0 && reason.remedy.actions.contains(.makeKey),
                needsOtherIssuer: reason.certificateIndex == 0 && reason.remedy.actions.contains(.useOtherIssuer))
        }
    }

    private static func kinds(ofLeaf reason: TrustFailureReason) -> [ServerAdvice.Kind] {
        switch reason.reason {
        case .expired: [.renewal]
        case .unknownIssuer: [.chain, .authority]
        case .badSignature, .keyIdentifierMismatch: [.chain]
        case .untrustedRoot: [.authority]
        case .nameMismatch: [.name]
        case .weakKey(let kind, _, _), .keyTooSmallForServer(let kind, _, _): kind == .rsa ? [.key] : [.keyKind]
        // The fault is reported for the certificate that the key has signed.
        case .unsupportedIssuerKey: reason.certificate.isSelfIssued ? [.key] : [.authority]
        case .brokenDigest, .weakDigest: [.digest]
        case .keyAlgorithmNotAccepted: [.keyKind]
        case .transparencyMissing: [.transparency]
        // With ECDHE the certificate may stay, and static RSA is refused for its own sake.
        case .keyUsage(let missing) where missing.contains(.keyEncipherment): [.cipherSuites]
        default: reason.reason.isOfServer ? [.certificate] : []
        }
    }

    /// Returns the changes for a fault of an issuer, which no new key and no new certificate from the same issuer remedies.
    private static func kinds(ofIssuer reason: TrustFailureReason) -> [ServerAdvice.Kind] {
        switch reason.reason {
        // An expired intermediate has a successor, which the server must send. An expired root has none.
        case .expired: reason.certificate.isSelfIssued ? [.authority] : [.chain]
        // Either the next intermediate is missing, or the root is untrusted. Servers rightly omit the root.
        case .unknownIssuer: [.chain, .authority]
        case .badSignature, .keyIdentifierMismatch: [.chain]
        case _ where reason.remedy.actions.first == .reissue: [.authorityCertificate]
        default: reason.reason.isOfServer ? [.authority] : []
        }
    }
}

extension RejectionReason {
    /// `true` if another change to the server would remedy the fault. A certificate that is not valid yet concerns clocks, or
    /// waiting.
    fileprivate var isOfServer: Bool {
        switch self {
        case .leafKeyNotPinned, .authorityKeyNotPinned, .pathNotPinned, .anchorNotPinned, .budgetExceeded,
            .revocationStatusUnknown, .tooManyIntermediates, .notYetValid:
            false
        default: true
        }
    }
}
