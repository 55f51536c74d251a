//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity

/// What a test came to when the server was asked again, beside what was computed first.
public struct Confirmation: Sendable {
    /// The test.
    public let test: ATSDiagnosticTest
    /// What the first answers of the server came to.
    public let computed: ATSOutcome
    /// What the second answers came to.
    public let observed: ATSOutcome
    /// What spoke against the second connection; `nil` where nothing did.
    public let violation: ATSViolation?

    /// The two outcomes of a test.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - computed: What the first answers of the server came to.
    ///   - observed: What the second answers came to.
    ///   - violation: What spoke against the second connection.
    public init(test: ATSDiagnosticTest, computed: ATSOutcome, observed: ATSOutcome, violation: ATSViolation?) {
        self.test = test
        self.computed = computed
        self.observed = observed
        self.violation = violation
    }

    /// Whether one of the two must be wrong. An unknown outcome contradicts nothing.
    public var isContradiction: Bool {
        self.computed != .unknown && self.observed != .unknown && self.computed != self.observed
    }
}

extension Confirmation {
    /// Holds the tests that decide against what the server answered when it was asked again.
    ///
    /// - Parameters:
    ///   - server: The diagnosis, whose tests are repeated: the one without exceptions, that of FCP_v2.1, and that of the
    ///     least exception that helps.
    ///   - again: What is known of the server from the second time alone.
    static func confirmations(of server: DiagnosedServer, by again: ATSServerFacts) -> [Confirmation] {
        Self.decisive(server.diagnosis).map { row in
            let policy = ATSPolicy(row.test.dictionary, configuration: server.diagnosis.configuration)
            let requirements = policy.requirements(for: ATSDestination(server.endpoint))
            // A connection shows nothing of where the load is redirected to, which may decide the row.
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
