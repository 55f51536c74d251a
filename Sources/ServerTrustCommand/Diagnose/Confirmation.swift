//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrustNIO

/// What a test came to when the server was asked again, beside what was computed.
struct Confirmation: Sendable {
    let test: ATSDiagnosticTest
    let computed: ATSOutcome
    let observed: ATSOutcome
    /// What spoke against the connection.
    let violation: ATSViolation?

    /// Whether one of them must be wrong. What is not known contradicts nothing.
    var isContradiction: Bool {
        self.computed != .unknown && self.observed != .unknown && self.computed != self.observed
    }

    /// What came of it, in one sentence.
    var message: String {
        let reason = self.violation.map { " (\(PrintableText.text($0.message)))" } ?? ""
        let name = "Test \(self.test.number), \(self.test.title)"
        guard self.isContradiction else {
            return "\(name): a real connection came to \(self.observed.headline)\(reason)."
        }
        return
            "\(name): a real connection came to \(self.observed.headline)\(reason), and \(self.computed.headline) was "
            + "computed; machines of different settings may stand behind the address. Diagnose them one by one with "
            + "--connect-to."
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
            let requirements = policy.requirements(for: ATSInspection.destination(server.endpoint))
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
