//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The results of `nscurl --ats-diagnostics`, computed from facts about the server.
///
/// nscurl loads a URL once for each test. Here the facts of one probe decide all tests.
///
/// ```swift
/// let diagnostics = ATSDiagnostics(host: "api.example.com", facts: facts)
/// for row in diagnostics.rows { print(row.test.title, row.isPassed ? "PASS" : "FAIL") }
/// ```
public struct ATSDiagnostics: Sendable {
    /// A test and its result.
    public struct Row: Sendable {
        /// The test.
        public let test: ATSDiagnosticTest
        /// The verdict on the load, with the reasons for a failure.
        public let verdict: ATSVerdict

        /// `true` if the load would succeed.
        public var isPassed: Bool { self.verdict.isAllowed }
        /// The outcome of the test. Unlike in nscurl, it may be unknown.
        public var outcome: ATSOutcome { self.verdict.outcome }
    }

    /// The tests in nscurl's order.
    public let rows: [Row]

    /// Runs the tests.
    ///
    /// - Parameters:
    ///   - host: The host for the dictionaries.
    ///   - facts: The facts about the server, with trust evaluated for the host.
    ///   - configuration: The release and the reading of the rules.
    public init(
        host: String, facts: ATSServerFacts, configuration: ATSPolicy.Configuration = ATSPolicy.Configuration()
    ) {
        let destination = ATSDestination(host: host)
        self.rows = ATSDiagnosticTest.tests(host: destination.host, on: configuration.system).map { test in
            let policy = ATSPolicy(test.dictionary, configuration: configuration)
            return Row(test: test, verdict: policy.verdict(on: facts, at: destination))
        }
    }

    /// The conclusion from all results.
    public var conclusion: ATSConclusion { ATSConclusion(self) }
}

extension ATSPolicy {
    /// Evaluates a server by known facts, including its redirects.
    ///
    /// - Parameters:
    ///   - facts: The facts about the server.
    ///   - destination: The destination of the load.
    ///   - client: The part of the app that loads.
    public func verdict(
        on facts: ATSServerFacts, at destination: ATSDestination, client: ATSClient = .app
    ) -> ATSVerdict {
        let requirements = self.requirements(for: destination, client: client)
        let connection = destination.scheme == .https ? facts.connection(offering: requirements) : .plain
        let verdict = requirements.verdict(on: connection)
        guard verdict.isAllowed else { return verdict }
        for redirect in facts.redirects where !redirect.isSameServer(as: destination) {
            let requirements = self.requirements(for: redirect, client: client)
            let verdict = requirements.verdict(on: facts.connection(to: redirect, offering: requirements))
            guard verdict.isAllowed else { return verdict.after(redirect) }
        }
        guard facts.redirectFailure == nil else {
            return ATSVerdict(requirements: requirements, violations: [ATSViolation(.unknown(.redirect))])
        }
        return verdict
    }
}

extension ATSServerFacts {
    fileprivate func connection(to redirect: ATSDestination, offering requirements: ATSRequirements) -> ATSConnection {
        guard redirect.scheme == .https else { return .plain }
        return self.redirectServers[redirect]?.connection(offering: requirements)
            ?? ATSConnection(version: nil, cipherSuite: nil, trust: nil)
    }
}

extension ATSDestination {
    fileprivate func isSameServer(as other: ATSDestination) -> Bool {
        (self.scheme, other.scheme) == (.https, .https) && (self.host, self.port) == (other.host, other.port)
    }
}

/// The conclusion from the results of all tests.
public enum ATSConclusion: Sendable, Hashable {
    /// The server needs no exception.
    case compliant
    /// No exception helps, because trust or TLS itself fails.
    case notTransportSecurity
    /// The server needs an exception. The number is that of the test with the least risk that passes.
    case needsException(test: Int)
    /// Not enough is known to decide.
    case unknown

    init(_ diagnostics: ATSDiagnostics) {
        let passed = diagnostics.rows.filter(\.isPassed).map(\.test.number)
        if passed.contains(1) {
            self = .compliant
        } else if diagnostics.rows.first?.outcome != .failed {
            self = .unknown
        } else if let least = ATSDiagnosticTest.leastFirst.first(where: passed.contains) {
            self = .needsException(test: least)
        } else if diagnostics.rows.contains(where: { $0.outcome == .unknown }) {
            self = .unknown
        } else {
            self = .notTransportSecurity
        }
    }
}
