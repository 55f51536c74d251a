//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Synchronization

/// The evaluators of a program by host, like Alamofire's class of that name, but with host patterns.
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
/// The most specific ``HostPattern`` decides. The rules can be replaced during evaluations, each of which uses the rules in force
/// at its start.
///
/// A manager is also an evaluator. An enforcement with a manager calls it for each connection, with the port.
public final class ServerTrustManager: ServerTrustEvaluating {
    /// An evaluator with the most specific pattern that matches its host.
    package typealias Rule = (pattern: HostPattern, evaluator: ServerTrustEvaluator)

    /// A function that finds the rule for a host and a port, or returns `nil` if no pattern matches.
    package typealias RuleSearch = @Sendable (Host, Int?) -> Rule?

    private struct Rules: Sendable {
        var search: RuleSearch
        var allHostsMustBeEvaluated: Bool
    }

    private let rules: Mutex<Rules>
    private let reporter: PinReporter?

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: `true` to refuse hosts that match no pattern. With `false`, Apple's ordinary rules decide.
    ///   - evaluators: The evaluators by ``HostPattern``.
    ///   - reporter: The reporter of every path that does not match its pins, refused or not.
    /// - Throws: ``HostPatternError`` if a pattern is not valid, or occurs twice in different spellings.
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
    ///   - allHostsMustBeEvaluated: `true` to refuse hosts that match no pattern, or `nil` to keep the current setting.
    /// - Throws: ``HostPatternError``. The rules then stay as they were.
    public func setEvaluators(
        _ evaluators: [String: any ServerTrustEvaluating], allHostsMustBeEvaluated: Bool? = nil
    ) throws(HostPatternError) {
        let search = try Self.search(evaluators)
        self.rules.withLock { rules in
            rules.search = search
            rules.allHostsMustBeEvaluated = allHostsMustBeEvaluated ?? rules.allHostsMustBeEvaluated
        }
    }

    /// Returns the evaluator for a host, or `nil` if no pattern matches and the ordinary rules decide.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address in any case.
    ///   - port: The port. Without it, rules for a port do not match.
    /// - Throws: ``ServerTrustFailure`` if the host is not valid, or if no pattern matches and all hosts must be evaluated.
    public func serverTrustEvaluator(
        forHost host: String, port: Int? = nil
    ) throws(ServerTrustFailure) -> ServerTrustEvaluator? {
        try self.rule(for: try Self.name(host), port: port)?.evaluator
    }

    /// Evaluates a server at an unknown port, without network access. Rules for a port do not match.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host, port: nil)
    }

    /// Evaluates a server without network access.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server sent, with the configuration.
    ///   - host: The requested host.
    ///   - port: The port. Without it, rules for a port do not match.
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

    /// Evaluates a server at an unknown port, and fetches missing data within the options. Rules for a port do not match.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher,
        options: FetchOptions = FetchOptions()
    ) async throws -> ServerTrustDecision {
        try await self.evaluate(trust, forHost: host, port: nil, fetching: fetcher, options: options)
    }

    /// Evaluates a server, and fetches missing data within the options.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server sent, with the configuration.
    ///   - host: The requested host.
    ///   - port: The port. Without it, rules for a port do not match.
    ///   - fetcher: The client that reaches the network.
    ///   - options: The kinds of data that may be fetched, and the limits.
    /// - Throws: `CancellationError` if the task is cancelled.
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
        // The rules are copied by reference, so that no caller waits for another's lookup.
        let rules = self.rules.withLock { $0 }
        if let rule = rules.search(host, port) { return rule }
        guard !rules.allHostsMustBeEvaluated else { throw ServerTrustFailure(.noEvaluator, host: host.text) }
        return nil
    }

    private func report(_ decision: ServerTrustDecision, _ port: Int?, pattern: HostPattern?) {
        // A connection that may fetch evaluates once more, with the fetched data.
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
        // The sorted order makes the choice between two errors deterministic.
        for (text, evaluator) in evaluators.sorted(by: { $0.key < $1.key }) {
            try table.insert(ServerTrustEvaluator(evaluator), for: try HostPattern(text))
        }
        return { [table] host, port in table.entry(for: host, port: port).map { ($0.pattern, $0.value) } }
    }
}

extension ServerTrustManager: Hashable {
    /// Returns `true` if both are the same instance, as the rules can be replaced.
    public static func == (left: ServerTrustManager, right: ServerTrustManager) -> Bool { left === right }

    /// Hashes the identity of the instance.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
