//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension SecurityPolicy: ServerTrustEvaluating {
    /// Evaluates a server for a domain: `-evaluateServerTrust:forDomain:`.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server sent, with the configuration.
    ///   - domain: The domain. It may be `nil` only if ``validatesDomainName`` is `false`.
    /// - Returns: The decision. The trust is a value and is not changed.
    public func evaluate(_ trust: Trust, forDomain domain: String?) -> ServerTrustDecision {
        guard self.semantics == .secure else { return self.evaluateLikeAFNetworking(trust, forDomain: domain) }
        do {
            return try self.evaluation(of: trust, forDomain: domain).decision()
        } catch {
            return .refused(error)
        }
    }

    /// Evaluates a server for a host without network access.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluate(trust, forDomain: host)
    }

    /// Evaluates a server for a host, and fetches missing data within the options. With the semantics of AFNetworking, nothing is
    /// fetched.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        guard self.semantics == .secure else { return self.evaluateLikeAFNetworking(trust, forDomain: host) }
        let evaluation: PinnedEvaluation
        do {
            evaluation = try self.evaluation(of: trust, forDomain: host)
        } catch {
            return .refused(error)
        }
        return try await evaluation.decision(fetching: fetcher, options)
    }

    private func evaluation(of trust: Trust, forDomain domain: String?) throws(ServerTrustFailure) -> PinnedEvaluation {
        // AFNetworking checks no name if no domain is given, whatever the settings are.
        guard domain != nil || !self.validatesDomainName else { throw ServerTrustFailure(.noHost, host: nil) }
        var evaluation = PinnedEvaluation(trust, host: domain, validatesHost: self.validatesDomainName)
        guard self.pinningMode != .none else { return evaluation }
        let pins = try PinSet.required(self.pins, forHost: domain ?? "")
        switch (self.allowInvalidCertificates, self.pinningMode) {
        case (false, _): evaluation.require(pins)
        case (true, .publicKey):
            let keys = self.pinnedPublicKeys
            evaluation.trustOnly(
                self.pinnedCertificates.union(trust.certificates.filter { keys.contains($0.publicKey) }),
                pinnedBy: pins, lifting: PinnedEvaluation.liftedForInvalidCertificates)
        case (true, _): evaluation.trustOnly(self.pinnedCertificates, pinnedBy: pins)
        }
        return evaluation
    }

    var pins: [Pin] {
        self.pinnedCertificates.map { self.pinningMode == .publicKey ? Pin(keyOf: $0) : Pin(certificate: $0) }
    }
}

extension ServerTrustEvaluating where Self == ServerTrustEvaluator {
    /// Returns an evaluator with the decisions of AFNetworking's class: ``SecurityPolicy``.
    public static func securityPolicy(_ policy: SecurityPolicy) -> ServerTrustEvaluator { ServerTrustEvaluator(policy) }
}
