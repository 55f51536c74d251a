//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// AFNetworking 4.0.1's decisions, case by case (AFSecurityPolicy.m), without its crashes.
///
/// <doc:ComingFromAFNetworking> explains their dangers, and how ``SecurityPolicy/Semantics/secure`` differs.
extension SecurityPolicy {
    func evaluateLikeAFNetworking(_ trust: Trust, forDomain domain: String?) -> ServerTrustDecision {
        if domain != nil, self.allowInvalidCertificates, self.validatesDomainName,
            self.pinningMode == .none || self.pinnedCertificates.isEmpty
        {
            let settings = "allowInvalidCertificates and validatesDomainName without pins"
            return .refused(ServerTrustFailure(.refusedBySettings(settings), host: domain))
        }
        var trust = trust
        trust.policies = [self.validatesDomainName ? .tlsServer(hostname: domain) : .basicX509]
        let result = trust.evaluate()
        switch self.pinningMode {
        case .none:
            return self.allowInvalidCertificates ? .trusted(result) : ServerTrustDecision(result, host: domain)
        case .publicKey, .certificate:
            guard self.allowInvalidCertificates || result.isTrusted else {
                return ServerTrustDecision(result, host: domain)
            }
        }
        return self.pinningMode == .certificate
            ? self.matchCertificates(trust, domain) : self.matchKeys(trust, result, domain: domain)
    }

    /// Requires a path that is valid below the pinned certificates and has one of them.
    private func matchCertificates(_ trust: Trust, _ domain: String?) -> ServerTrustDecision {
        var pinned = trust
        pinned.anchors = pinned.anchors.replaced(by: self.pinnedCertificates)
        let result = pinned.evaluate()
        guard result.isTrusted else { return ServerTrustDecision(result, host: domain) }
        return self.decision(
            trust, result, domain: domain, isMatch: result.path.contains(where: self.pinnedCertificates.contains))
    }

    /// Compares the keys of the built path, even if it is not valid: access to a SecTrust's certificates evaluates it (SecTrust.c
    /// `SecTrustGetCertificateCount`), and paths with bad signatures are dropped before (SecTrustServer.c). On a path with a bad
    /// signature only the leaf is compared.
    private func matchKeys(_ trust: Trust, _ result: TrustResult, domain: String?) -> ServerTrustDecision {
        let keys = self.pinnedPublicKeys
        let isSigned = !result.allReasons.contains { $0.reason.isAboutSignatures }
        let path = isSigned ? result.path : Array(result.path.prefix(1))
        return self.decision(trust, result, domain: domain, isMatch: path.contains { keys.contains($0.publicKey) })
    }

    private func decision(
        _ trust: Trust, _ result: TrustResult, domain: String?, isMatch: Bool
    ) -> ServerTrustDecision {
        guard !isMatch else { return .trusted(result, pinning: .matched) }
        do {
            let pins = try PinSet.required(self.pins, forHost: domain ?? "")
            let mismatch = PinMismatch(pins, host: domain ?? "", trust: trust, result: result)
            return .refused(
                ServerTrustFailure(.notPinned(mismatch), host: domain), result, pinning: .mismatched(mismatch))
        } catch {
            return .refused(error, result)
        }
    }
}

extension RejectionReason {
    /// `true` if a signature of the path is invalid, or could not be verified.
    fileprivate var isAboutSignatures: Bool {
        switch self {
        case .badSignature, .signatureAlgorithmMismatch, .unsupportedSignatureAlgorithm, .unsupportedIssuerKey,
            .budgetExceeded:
            true
        default: false
        }
    }
}
