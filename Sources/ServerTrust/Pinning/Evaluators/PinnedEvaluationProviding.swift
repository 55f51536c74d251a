//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator that needs one evaluation by the engine, with or without network access.
protocol PinnedEvaluationProviding: ServerTrustEvaluating {
    /// Returns the evaluation, or throws the reason why it cannot be made.
    func evaluation(of trust: Trust, host: String) throws(ServerTrustFailure) -> PinnedEvaluation
}

extension PinnedEvaluationProviding {
    /// Evaluates a server without network access.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        do {
            return try self.evaluation(of: trust, host: host).decision()
        } catch {
            return .refused(error)
        }
    }

    /// Evaluates a server, and fetches missing data within the options.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        let evaluation: PinnedEvaluation
        do {
            evaluation = try self.evaluation(of: trust, host: host)
        } catch {
            return .refused(error)
        }
        return try await evaluation.decision(fetching: fetcher, options)
    }
}
