//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator that refuses every server because pins are missing. It runs the ordinary evaluation first, as its failure is the
/// better reason.
package struct MissingPinsTrustEvaluator: ServerTrustEvaluating {
    package init() {}

    package func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        Self.refused(ServerTrustEvaluator.default.evaluate(trust, forHost: host), host)
    }

    package func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        Self.refused(
            try await ServerTrustEvaluator.default.evaluate(
                trust, forHost: host, fetching: fetcher, options: options), host)
    }

    private static func refused(_ decision: ServerTrustDecision, _ host: String) -> ServerTrustDecision {
        guard decision.isTrusted else { return decision }
        var refused = ServerTrustDecision.refused(ServerTrustFailure(.noPins, host: host), decision.result)
        refused.fetched = decision.fetched
        return refused
    }
}
