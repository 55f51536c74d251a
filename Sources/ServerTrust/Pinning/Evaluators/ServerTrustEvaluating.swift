//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A type that decides if a server is trusted for a host.
///
/// Conform to it for rules of your own. An evaluator receives a trust with certificates and configuration. It sets policies, pins
/// or anchors on its copy, evaluates it, and returns a decision.
public protocol ServerTrustEvaluating: Sendable {
    /// Evaluates a server without network access.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server sent, with the configuration. Its ``Trust/policies`` are replaced, except those
    ///     for revocation.
    ///   - host: The requested host: a DNS name in ASCII, or an IP address.
    /// - Returns: The decision. A refusal is a result, not a thrown error.
    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision

    /// Evaluates a server at a port without network access. Connections call this method.
    ///
    /// By default it calls the method without a port.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server sent, with the configuration.
    ///   - host: The requested host.
    ///   - port: The port, or `nil` if it is unknown.
    func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision

    /// Evaluates a server, and fetches missing data within the options.
    ///
    /// By default it calls the method without network access.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server sent, with the configuration.
    ///   - host: The requested host.
    ///   - fetcher: The client that reaches the network.
    ///   - options: The kinds of data that may be fetched, and the limits.
    /// - Throws: `CancellationError` if the task is cancelled.
    func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision

    /// Evaluates a server at a port, and fetches missing data within the options.
    ///
    /// By default it calls the method without a port, and lets no server pass that the method with a port refuses.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server sent, with the configuration.
    ///   - host: The requested host.
    ///   - port: The port, or `nil` if it is unknown.
    ///   - fetcher: The client that reaches the network.
    ///   - options: The kinds of data that may be fetched, and the limits.
    /// - Throws: `CancellationError` if the task is cancelled.
    func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision
}

extension ServerTrustEvaluating {
    /// Evaluates the server regardless of the port.
    public func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host)
    }

    /// Evaluates the server regardless of the port, unless the method with a port alone refuses it.
    public func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        let decision = try await self.evaluate(trust, forHost: host, fetching: fetcher, options: options)
        guard decision.isTrusted else { return decision }
        // The method that fetches does not receive the port, and must not accept a server that the method with a port refuses.
        let trust = decision.result?.trust ?? trust
        let own = self.evaluate(trust, forHost: host, port: port)
        return !own.isTrusted && self.evaluate(trust, forHost: host).isTrusted ? own : decision
    }

    /// Evaluates the server without a fetch.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        self.evaluate(trust, forHost: host)
    }
}

extension ServerTrustDecision {
    init(_ result: TrustResult, host: String?) {
        let reason = result.failure.map(ServerTrustFailure.Reason.untrusted) ?? .notEvaluated
        self.init(
            failure: result.isTrusted ? nil : ServerTrustFailure(reason, host: host), result: result, pinning: nil)
    }
}
