//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator with Apple's ordinary rules for a TLS server. A ``ServerTrustManager`` uses it for hosts without a rule, unless all
/// hosts must be evaluated. Only its refusals may be overruled by a challenge handler.
public struct DefaultTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// `true` if the certificate must match the host.
    public let validateHost: Bool

    /// Creates an evaluator with Apple's ordinary rules.
    ///
    /// - Parameter validateHost: `true` if the certificate must match the host. With `false`, a server with any trusted certificate
    ///   passes for any host.
    public init(validateHost: Bool = true) {
        self.validateHost = validateHost
    }

    /// Evaluates a server without network access.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluation(of: trust, host: host).decision().leavingRefusalToProgram
    }

    /// Evaluates a server, and fetches missing data within the options.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.evaluation(of: trust, host: host).decision(fetching: fetcher, options).leavingRefusalToProgram
    }

    func evaluation(of trust: Trust, host: String) -> PinnedEvaluation {
        PinnedEvaluation(trust, host: host, validatesHost: self.validateHost)
    }
}

extension ServerTrustDecision {
    fileprivate var leavingRefusalToProgram: ServerTrustDecision {
        var decision = self
        decision.leavesRefusalToProgram = true
        return decision
    }
}
