//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// AFNetworking 4.0.1's decisions, cell by cell (AFSecurityPolicy.m), but for its crashes.
///
/// What makes them dangerous, and what ``SecurityPolicy/Semantics/secure`` does in its place, is in
/// <doc:ComingFromAFNetworking>.
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
            ? self.matchCertificates(trust, domain) : self.matchKeys(trust, result, domain)
    }

    /// The path must be valid below the pins, and have one of them.
    private func matchCertificates(_ trust: Trust, _ domain: String?) -> ServerTrustDecision {
        var pinned = trust
        pinned.anchors = .only(Array(self.pinnedCertificates))
        let result = pinned.evaluate()
        guard result.isTrusted else { return ServerTrustDecision(result, host: domain) }
        return self.decision(
            trust, result, domain, isMatch: result.path.contains(where: self.pinnedCertificates.contains))
    }

    /// A key of the path, or, where nothing was evaluated before, of anything the server sent.
    private func matchKeys(_ trust: Trust, _ result: TrustResult, _ domain: String?) -> ServerTrustDecision {
        let keys = self.pinnedPublicKeys
        let chain = self.allowInvalidCertificates ? trust.certificates : result.path
        return self.decision(trust, result, domain, isMatch: chain.contains { keys.contains($0.publicKey) })
    }

    private func decision(
        _ trust: Trust, _ result: TrustResult, _ domain: String?, isMatch: Bool
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
