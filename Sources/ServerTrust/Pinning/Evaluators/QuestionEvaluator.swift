//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator that asks the engine one question, with a network or without.
protocol QuestionEvaluator: ServerTrustEvaluating {
    /// The question, or why there is none to ask.
    func question(about trust: Trust, host: String) throws(ServerTrustFailure) -> TrustQuestion
}

extension QuestionEvaluator {
    /// Decides about a server, without any network.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        do {
            return try self.question(about: trust, host: host).decision()
        } catch {
            return .refused(error)
        }
    }

    /// Decides about a server, with what may be fetched.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, _ options: FetchOptions
    ) async throws -> ServerTrustDecision {
        let question: TrustQuestion
        do {
            question = try self.question(about: trust, host: host)
        } catch {
            return .refused(error)
        }
        return try await question.decision(fetching: fetcher, options)
    }
}
