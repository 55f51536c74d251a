//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Several evaluators, all of which must trust a server.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
    /// The evaluators, in the order they are asked.
    public let evaluators: [any ServerTrustEvaluating]
    private let identities: [ValueIdentity]

    /// An evaluator of several.
    ///
    /// - Parameter evaluators: The evaluators. An empty list refuses everything: no evaluator would have looked.
    public init(_ evaluators: [any ServerTrustEvaluating]) {
        self.evaluators = evaluators
        self.identities = evaluators.map { ValueIdentity($0 as? any ServerTrustEvaluating & Hashable) }
    }

    /// Asks one after the other, up to the first that refuses.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host, port: nil)
    }

    /// Asks one after the other, up to the first that refuses.
    public func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        var decision = ServerTrustDecision.refused(ServerTrustFailure(.noEvaluator, host: host))
        for evaluator in self.evaluators {
            decision = evaluator.evaluate(trust, forHost: host, port: port).keepingPinning(of: decision)
            guard decision.isTrusted else { return decision }
        }
        return decision
    }

    /// Asks one after the other, up to the first that refuses.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.evaluate(trust, forHost: host, port: nil, fetching: fetcher, options: options)
    }

    /// Asks one after the other, up to the first that refuses.
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
    /// Whether the evaluators are equal, one by one. One that is not Hashable is equal only to itself in copies of this.
    public static func == (left: CompositeTrustEvaluator, right: CompositeTrustEvaluator) -> Bool {
        left.identities == right.identities
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.identities) }
}

extension ServerTrustDecision {
    /// The decision with what an earlier one knew of the pins, where it knows nothing itself: a mismatch that was only
    /// reported must not be lost because another evaluator looked at something else.
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
