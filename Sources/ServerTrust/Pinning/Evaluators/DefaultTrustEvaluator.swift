//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Apple's ordinary rules for a TLS server.
public struct DefaultTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    /// An evaluator with Apple's ordinary rules.
    ///
    /// - Parameter validateHost: Whether the certificate must be for the host. Without, a server with any certificate
    ///   passes for any host.
    public init(validateHost: Bool = true) {
        self.validateHost = validateHost
    }

    /// Decides about a server, without any network.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluation(of: trust, host: host).decision().leavingRefusalToProgram
    }

    /// Decides about a server, with what may be fetched.
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
