//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator that trusts a server only if all of its evaluators do.
///
/// The evaluators run in order, up to the first refusal. Combine an evaluator for pins with one for revocation, for example.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
    /// The evaluators, in the order of their evaluation.
    public let evaluators: [any ServerTrustEvaluating]
    private let identities: [ValueIdentity]

    /// Creates an evaluator from several others.
    ///
    /// - Parameter evaluators: The evaluators. An empty array refuses every server, as no evaluator would have checked it.
    public init(_ evaluators: [any ServerTrustEvaluating]) {
        self.evaluators = evaluators
        self.identities = evaluators.map { ValueIdentity($0 as? any ServerTrustEvaluating & Hashable) }
    }

    /// Evaluates with each evaluator in order, up to the first refusal.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host, port: nil)
    }

    /// Evaluates with each evaluator in order, up to the first refusal.
    public func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        var decision = ServerTrustDecision.refused(ServerTrustFailure(.noEvaluator, host: host))
        for evaluator in self.evaluators {
            decision = evaluator.evaluate(trust, forHost: host, port: port).keepingPinning(of: decision)
            guard decision.isTrusted else { return decision }
        }
        return decision
    }

    /// Evaluates with each evaluator in order, up to the first refusal.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.evaluate(trust, forHost: host, port: nil, fetching: fetcher, options: options)
    }

    /// Evaluates with each evaluator in order, up to the first refusal.
    public func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        var decision = ServerTrustDecision.refused(ServerTrustFailure(.noEvaluator, host: host))
        for evaluator in self.evaluators {
            decision = try await evaluator.evaluate(
                trust, forHost: host, port: port, fetching: fetcher, options: options
            ).keepingPinning(of: decision)
            guard decision.isTrusted else { return decision }
        }
        return decision
    }
}

extension CompositeTrustEvaluator: Hashable {
    /// Returns `true` if the evaluators are equal, one by one. An evaluator that is not Hashable is equal only to itself in copies
    /// of the same value.
    public static func == (left: CompositeTrustEvaluator, right: CompositeTrustEvaluator) -> Bool {
        left.identities == right.identities
    }

    /// Hashes the identities of the evaluators.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.identities) }
}

extension ServerTrustDecision {
    /// Returns the decision with the pinning outcome of an earlier one if that was a mismatch, or if this decision has none. A
    /// mismatch that was only reported must not be lost because another evaluator checked something else.
    fileprivate func keepingPinning(of earlier: ServerTrustDecision) -> ServerTrustDecision {
        var pinning = self.pinning ?? earlier.pinning
        if case .mismatched? = earlier.pinning, !self.isMismatch { pinning = earlier.pinning }
        var decision = ServerTrustDecision(failure: self.failure, result: self.result, pinning: pinning)
        decision.fetched = self.fetched ?? earlier.fetched
        return decision
    }

    private var isMismatch: Bool {
        if case .mismatched? = self.pinning { true } else { false }
    }
}
