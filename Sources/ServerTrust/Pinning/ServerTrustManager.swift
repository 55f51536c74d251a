//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Synchronization

/// Which evaluator decides about which host, for a whole program: what Alamofire's class of that name is, with patterns.
///
/// ```swift
/// let manager = try ServerTrustManager(evaluators: [
///     "api.example.com": .pins([pin, backupPin]),
///     "*.example.com": PublicKeysTrustEvaluator(keys: keys),
///     "192.0.2.7:8443": .anchored([ourRoot]),
/// ])
/// let decision = manager.evaluate(trust, forHost: "api.example.com", port: 443)
/// ```
///
/// The most specific pattern decides: see ``HostPattern``. The rules can be replaced while others evaluate; an evaluation
/// works with the rules there were when it began.
///
/// A manager is an evaluator, too: an enforcement that is handed one asks it about each of its connections, with the port.
public final class ServerTrustManager: ServerTrustEvaluating {
    /// An evaluator, and the most specific pattern of its host.
    package typealias Rule = (pattern: HostPattern, evaluator: ServerTrustEvaluator)

    /// Finds the rule for a host and a port; `nil` when no pattern fits.
    package typealias RuleSearch = @Sendable (Host, Int?) -> Rule?

    private struct Rules: Sendable {
        var search: RuleSearch
        var allHostsMustBeEvaluated: Bool
    }

    private let rules: Mutex<Rules>
    private let reporter: PinReporter?

    /// A manager.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: Whether hosts that no pattern fits are refused. Otherwise Apple's ordinary rules decide.
    ///   - evaluators: The evaluators by ``HostPattern``.
    ///   - reporter: Hears of every path without what is pinned, refused or not.
    /// - Throws: ``HostPatternError`` for a pattern that is not valid, or that is there in another spelling too.
    public init(
        allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating],
        reporter: PinReporter? = nil
    ) throws(HostPatternError) {
        self.rules = Mutex(
            Rules(search: try Self.search(evaluators), allHostsMustBeEvaluated: allHostsMustBeEvaluated))
        self.reporter = reporter
    }

    package init(
        allHostsMustBeEvaluated: Bool, reporter: PinReporter? = nil, search: @escaping RuleSearch
    ) {
        self.rules = Mutex(Rules(search: search, allHostsMustBeEvaluated: allHostsMustBeEvaluated))
        self.reporter = reporter
    }

    /// Replaces all rules at once.
    ///
    /// - Parameters:
    ///   - evaluators: The evaluators by ``HostPattern``.
    ///   - allHostsMustBeEvaluated: Whether hosts that no pattern fits are refused; `nil` leaves it as it is.
    /// - Throws: ``HostPatternError``; the rules are then as they were.
    public func setEvaluators(
        _ evaluators: [String: any ServerTrustEvaluating], allHostsMustBeEvaluated: Bool? = nil
    ) throws(HostPatternError) {
        let search = try Self.search(evaluators)
        self.rules.withLock { rules in
            rules.search = search
            rules.allHostsMustBeEvaluated = allHostsMustBeEvaluated ?? rules.allHostsMustBeEvaluated
        }
    }

    /// The evaluator for a host; `nil` when no pattern fits and the ordinary rules decide.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address; its case does not matter.
    ///   - port: The port. Without it, rules for a port do not fit.
    /// - Throws: ``ServerTrustFailure`` when the host is not valid, or no pattern fits and one must.
    public func serverTrustEvaluator(
        forHost host: String, port: Int? = nil
    ) throws(ServerTrustFailure) -> ServerTrustEvaluator? {
        try self.rule(for: try Self.name(host), port: port)?.evaluator
    }

    /// Decides about a server whose port is not known, without any network. Rules for a port do not fit.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host, port: nil)
    }

    /// Decides about a server, without any network.
    ///
    /// - Parameters:
    ///   - trust: What the server sent, and what is trusted.
    ///   - host: The host, as it was asked for.
    ///   - port: The port. Without it, rules for a port do not fit.
    public func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        do {
            let name = try Self.name(host)
            let rule = try self.rule(for: name, port: port)
            let decision = (rule?.evaluator ?? .default).evaluate(trust, forHost: name.text, port: port)
            self.report(decision, port, pattern: rule?.pattern)
            return decision
        } catch {
            return .refused(error)
        }
    }

    /// Decides about a server whose port is not known, with what may be fetched. Rules for a port do not fit.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher,
        options: FetchOptions = FetchOptions()
    ) async throws -> ServerTrustDecision {
        try await self.evaluate(trust, forHost: host, port: nil, fetching: fetcher, options: options)
    }

    /// Decides about a server, with what may be fetched.
    ///
    /// - Parameters:
    ///   - trust: What the server sent, and what is trusted.
    ///   - host: The host, as it was asked for.
    ///   - port: The port. Without it, rules for a port do not fit.
    ///   - fetcher: What fetches.
    ///   - options: What may be fetched, and its limits.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher,
        options: FetchOptions = FetchOptions()
    ) async throws -> ServerTrustDecision {
        let (name, rule): (Host, Rule?)
        do throws(ServerTrustFailure) {
            name = try Self.name(host)
            rule = try self.rule(for: name, port: port)
        } catch {
            return .refused(error)
        }
        let decision = try await (rule?.evaluator ?? .default).evaluate(
            trust, forHost: name.text, port: port, fetching: fetcher, options: options)
        self.report(decision, port, pattern: rule?.pattern)
        return decision
    }

    private func rule(for host: Host, port: Int?) throws(ServerTrustFailure) -> Rule? {
        // The rules are copied out, by reference, so that no caller waits for another's look-up.
        let rules = self.rules.withLock { $0 }
        if let rule = rules.search(host, port) { return rule }
        guard !rules.allHostsMustBeEvaluated else { throw ServerTrustFailure(.noEvaluator, host: host.text) }
        return nil
    }

    private func report(_ decision: ServerTrustDecision, _ port: Int?, pattern: HostPattern?) {
        // A connection that may fetch asks again, with what was fetched.
        guard let reporter, decision.fetched != nil || !decision.mayChangeByFetching,
            let report = PinReport(decision, port: port, pattern: pattern)
        else { return }
        reporter.report(report)
    }

    private static func name(_ host: String) throws(ServerTrustFailure) -> Host {
        do {
            return try Host(host)
        } catch {
            throw ServerTrustFailure(.invalidHost(error), host: host)
        }
    }

    private static func search(
        _ evaluators: [String: any ServerTrustEvaluating]
    ) throws(HostPatternError) -> RuleSearch {
        var table = HostTable<ServerTrustEvaluator>()
        // In an order that does not change, so that of two errors it is always the same one.
        for (text, evaluator) in evaluators.sorted(by: { $0.key < $1.key }) {
            try table.insert(ServerTrustEvaluator(evaluator), for: try HostPattern(text))
        }
        return { [table] host, port in table.entry(for: host, port: port).map { ($0.pattern, $0.value) } }
    }
}

extension ServerTrustManager: Hashable {
    /// Whether they are one manager: its rules can be replaced.
    public static func == (left: ServerTrustManager, right: ServerTrustManager) -> Bool { left === right }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
