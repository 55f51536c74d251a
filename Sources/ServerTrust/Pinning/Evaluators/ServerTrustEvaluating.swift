//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decides whether a server is trusted for a host.
///
/// For evaluators of your own. An evaluator is handed a trust object with everything but what it adds: it sets policies,
/// pins or anchors on its copy, evaluates, and says what it makes of the result.
public protocol ServerTrustEvaluating: Sendable {
    /// Decides about a server, without any network.
    ///
    /// - Parameters:
    ///   - trust: What the server sent, what is trusted, and the rules. Its ``Trust/policies`` are replaced but for
    ///     revocation's.
    ///   - host: The host, as it was asked for: a DNS name in ASCII, or an IP address.
    /// - Returns: The decision. A refusal is an answer, not a thrown error.
    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision

    /// Decides about a server at a port, without any network: what connections ask.
    ///
    /// Evaluators for which every port is alike have the method without one serve here too.
    ///
    /// - Parameters:
    ///   - trust: What the server sent, what is trusted, and the rules.
    ///   - host: The host, as it was asked for.
    ///   - port: The port; `nil` where it is not known.
    func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision

    /// Decides about a server, with what may be fetched.
    ///
    /// Evaluators that need nothing from the network have the other method serve here too.
    ///
    /// - Parameters:
    ///   - trust: What the server sent, what is trusted, and the rules.
    ///   - host: The host, as it was asked for.
    ///   - fetcher: What fetches.
    ///   - options: What may be fetched, and its limits.
    /// - Throws: `CancellationError` when the task is cancelled.
    func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision

    /// Decides about a server at a port, with what may be fetched.
    ///
    /// Evaluators for which every port is alike have the method without one serve here too.
    ///
    /// - Parameters:
    ///   - trust: What the server sent, what is trusted, and the rules.
    ///   - host: The host, as it was asked for.
    ///   - port: The port; `nil` where it is not known.
    ///   - fetcher: What fetches.
    ///   - options: What may be fetched, and its limits.
    /// - Throws: `CancellationError` when the task is cancelled.
    func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision
}

extension ServerTrustEvaluating {
    /// Decides as at every other port.
    public func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host)
    }

    /// Decides as at every other port, unless the port alone is refused without the network.
    public func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        let decision = try await self.evaluate(trust, forHost: host, fetching: fetcher, options: options)
        guard decision.isTrusted else { return decision }
        // The method that fetches does not see the port, and must not lift what the method with a port refuses.
        let trust = decision.result?.trust ?? trust
        let own = self.evaluate(trust, forHost: host, port: port)
        return !own.isTrusted && self.evaluate(trust, forHost: host).isTrusted ? own : decision
    }

    /// Decides without fetching anything.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        self.evaluate(trust, forHost: host)
    }
}

extension ServerTrustDecision {
    /// What an evaluation without pins comes to.
    init(_ result: TrustResult, host: String?) {
        let reason = result.failure.map(ServerTrustFailure.Reason.untrusted) ?? .notEvaluated
        self.init(
            failure: result.isTrusted ? nil : ServerTrustFailure(reason, host: host), result: result, pinning: nil)
    }
}
