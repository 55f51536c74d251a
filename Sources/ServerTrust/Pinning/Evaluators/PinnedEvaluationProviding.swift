//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator that needs one evaluation of the engine, with a network or without.
protocol PinnedEvaluationProviding: ServerTrustEvaluating {
    /// The evaluation, or why it cannot be made.
    func evaluation(of trust: Trust, host: String) throws(ServerTrustFailure) -> PinnedEvaluation
}

extension PinnedEvaluationProviding {
    /// Decides about a server, without any network.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        do {
            return try self.evaluation(of: trust, host: host).decision()
        } catch {
            return .refused(error)
        }
    }

    /// Decides about a server, with what may be fetched.
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
