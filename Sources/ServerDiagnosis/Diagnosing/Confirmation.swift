//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity

/// The outcome of a test after the server was probed again, next to the outcome from the first facts.
///
/// A diagnosis with ``ServerDiagnoser/Configuration/confirms`` has one for each test that decides.
public struct Confirmation: Sendable {
    /// The test.
    public let test: ATSDiagnosticTest
    /// The outcome from the first facts about the server.
    public let computed: ATSOutcome
    /// The outcome from the second facts.
    public let observed: ATSOutcome
    /// The first violation of the second connection, or `nil` if there is none.
    public let violation: ATSViolation?

    /// Creates a confirmation.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - computed: The outcome from the first facts about the server.
    ///   - observed: The outcome from the second facts.
    ///   - violation: The first violation of the second connection.
    public init(test: ATSDiagnosticTest, computed: ATSOutcome, observed: ATSOutcome, violation: ATSViolation?) {
        self.test = test
        self.computed = computed
        self.observed = observed
        self.violation = violation
    }

    /// `true` if the outcomes contradict each other. An unknown outcome contradicts nothing.
    public var isContradiction: Bool {
        self.computed != .unknown && self.observed != .unknown && self.computed != self.observed
    }
}

extension Confirmation {
    /// Evaluates the deciding tests against the second facts about the server.
    ///
    /// - Parameters:
    ///   - server: The diagnosis with the tests to repeat: the test without exceptions, the test of FCP_v2.1, and the test of the
    ///     smallest exception that helps.
    ///   - again: The facts from the second probe alone.
    static func confirmations(of server: DiagnosedServer, by again: ATSServerFacts) -> [Confirmation] {
        Self.decisive(server.diagnosis).map { row in
            let policy = ATSPolicy(row.test.dictionary, configuration: server.diagnosis.configuration)
            let requirements = policy.requirements(for: ATSDestination(server.endpoint))
            // A connection does not show the targets of redirects, which may decide the row.
            let first = server.diagnosis.transportSecurity
            let computed = requirements.verdict(on: first.connection(offering: requirements))
            let observed = requirements.verdict(on: again.connection(offering: requirements))
            return Confirmation(
                test: row.test, computed: computed.outcome, observed: observed.outcome, violation: observed.primary)
        }
    }

    private static func decisive(_ diagnosis: ServerDiagnosis) -> [ATSDiagnostics.Row] {
        var numbers = [1]
        if case .needsException(let number) = diagnosis.conclusion { numbers.append(number) }
        return diagnosis.rows.filter { numbers.contains($0.test.number) || $0.test.isFCP }
    }
}
