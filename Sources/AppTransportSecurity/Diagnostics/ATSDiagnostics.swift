//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What `nscurl --ats-diagnostics` finds out with as many loads as it has tests, from facts about the server.
///
/// ```swift
/// let diagnostics = ATSDiagnostics(host: "api.example.com", facts: facts)
/// for row in diagnostics.rows { print(row.test.title, row.isPassed ? "PASS" : "FAIL") }
/// ```
public struct ATSDiagnostics: Sendable {
    /// One test and how it ends.
    public struct Row: Sendable {
        /// The test.
        public let test: ATSDiagnosticTest
        /// Whether the load would succeed, and if not, why not.
        public let verdict: ATSVerdict

        /// Whether the load would succeed.
        public var isPassed: Bool { self.verdict.isAllowed }
        /// How the test ends: nscurl knows no third outcome, and facts do.
        public var outcome: ATSOutcome { self.verdict.outcome }
    }

    /// The tests in nscurl's order.
    public let rows: [Row]

    /// Runs the tests.
    ///
    /// - Parameters:
    ///   - host: The host, as the dictionaries name it.
    ///   - facts: What is known of the server. Its trust is to be evaluated for the host.
    ///   - configuration: The release, and whose reading of the rules holds.
    public init(
        host: String, facts: ATSServerFacts, configuration: ATSPolicy.Configuration = ATSPolicy.Configuration()
    ) {
        let destination = ATSDestination(host: host)
        self.rows = ATSDiagnosticTest.tests(host: destination.host, on: configuration.system).map { test in
            let policy = ATSPolicy(test.dictionary, configuration: configuration)
            return Row(test: test, verdict: policy.verdict(on: facts, at: destination))
        }
    }

    /// What the results mean together.
    public var conclusion: ATSConclusion { ATSConclusion(self) }
}

extension ATSPolicy {
    /// Whether a server that is known is let through, redirects included.
    ///
    /// - Parameters:
    ///   - facts: What is known of it.
    ///   - destination: Where it is.
    ///   - client: Who in the app loads.
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
    /// The connection to a server that a load is redirected to.
    fileprivate func connection(to redirect: ATSDestination, offering requirements: ATSRequirements) -> ATSConnection {
        guard redirect.scheme == .https else { return .plain }
        return self.redirectServers[redirect]?.connection(offering: requirements)
            ?? ATSConnection(version: nil, cipherSuite: nil, trust: nil)
    }
}

extension ATSDestination {
    /// Whether it is the same server over TLS.
    fileprivate func isSameServer(as other: ATSDestination) -> Bool {
        (self.scheme, other.scheme) == (.https, .https) && (self.host, self.port) == (other.host, other.port)
    }
}

/// What the results of all tests mean together.
public enum ATSConclusion: Sendable, Hashable {
    /// No exception is needed.
    case compliant
    /// No exception helps: trust, or TLS itself, fails.
    case notTransportSecurity
    /// Exceptions let it through: the least of them is the test of this number, from 1.
    case needsException(test: Int)
    /// What decides it is not known.
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
