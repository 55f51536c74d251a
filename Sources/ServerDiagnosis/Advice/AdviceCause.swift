//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSProbe

/// Which change to a server a violation asks for, and why.
struct AdviceCause {
    let kind: ServerAdvice.Kind
    let reason: String
    /// The remedy of the rule that is broken, where a certificate breaks one.
    var remedy: String?
    /// True if the key may not be used again.
    var needsNewKey = false
    /// True if another authority has to issue the certificate.
    var needsOtherIssuer = false

    /// The causes of a verdict, from what is known of the server; none for what the server cannot mend.
    ///
    /// - Parameters:
    ///   - verdict: The verdict.
    ///   - facts: What was found out.
    ///   - known: What App Transport Security looks at of it.
    ///   - trust: What each of the chains is worth.
    static func causes(
        of verdict: ATSVerdict, _ facts: ServerFacts, known: ATSServerFacts, trust: [TrustResult?]
    ) -> [AdviceCause] {
        // Another server is not mended here.
        let own = verdict.violations.filter { $0.redirect?.scheme != .https }
        return own.flatMap { violation -> [AdviceCause] in
            switch violation.reason {
            case .connectionFailed(let failure):
                // Where no handshake comes about, what is wrong with the chain would show only after the next change.
                RefusedHandshake(requirements: verdict.requirements, facts: facts, known: known).causes(of: failure)
                    + trust.compactMap { $0?.failure }.flatMap(\.reasons).flatMap(Self.causes)
            case .versionTooOld: [AdviceCause(kind: .version, reason: violation.message)]
            case .cipherSuite: [AdviceCause(kind: .cipherSuites, reason: violation.message)]
            case .noExtendedMasterSecret: [AdviceCause(kind: .extendedMasterSecret, reason: violation.message)]
            case .keyTooSmall: [AdviceCause(kind: .key, reason: violation.message)]
            case .leafDigest, .signatureAlgorithmNotOffered: [AdviceCause(kind: .digest, reason: violation.message)]
            // What an authority has signed no request for the server's own key changes.
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
    /// The causes that a reason of trust is; none for those that no server can mend.
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
        // It is reported at what the key has signed.
        case .unsupportedIssuerKey: reason.certificate.isSelfIssued ? [.key] : [.authority]
        case .brokenDigest, .weakDigest: [.digest]
        case .keyAlgorithmNotAccepted: [.keyKind]
        case .transparencyMissing: [.transparency]
        default: reason.reason.isOfServer ? [.certificate] : []
        }
    }

    /// What is wrong with an issuer no new key and no new certificate from the same issuer mends.
    private static func kinds(ofIssuer reason: TrustFailureReason) -> [ServerAdvice.Kind] {
        switch reason.reason {
        // An intermediate that has expired has a successor, and the server is to send that; a root has none.
        case .expired: reason.certificate.isSelfIssued ? [.authority] : [.chain]
        // Either the next intermediate is missing, or the root is not trusted, which is rightly not sent.
        case .unknownIssuer: [.chain, .authority]
        case .badSignature, .keyIdentifierMismatch: [.chain]
        case _ where reason.remedy.actions.first == .reissue: [.authorityCertificate]
        default: reason.reason.isOfServer ? [.authority] : []
        }
    }
}

extension RejectionReason {
    /// Whether something else at the server would mend it. A certificate that is not valid yet is a matter of clocks, or of
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
