//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust

/// The output of `servertrust diagnose --format junit`. Each server is a suite. Its tests are the answers, of which only the one
/// selected by `--fail-on` can fail, followed by nscurl's tests.
enum DiagnosisJUnit {
    static func document(_ servers: [DiagnosedServer], _ criterion: FailCriterion) -> JUnitDocument {
        JUnitDocument(
            "Diagnosis of servers",
            servers.map { server in
                let verdicts = server.verdicts.map { Self.test($0, server, .subject($0.subject), criterion) }
                let rows = server.diagnosis.rows.map { Self.test($0, server, criterion) }
                return JUnitDocument.Suite(
                    name: "\(server.endpoint)", cases: verdicts + rows + server.contradictions.map(Self.test))
            })
    }

    private static func test(
        _ verdict: DiagnosisVerdict, _ server: DiagnosedServer, _ own: FailCriterion, _ criterion: FailCriterion
    ) -> JUnitDocument.Case {
        let outcome = Self.outcome(verdict.verdict, server, decides: own == criterion) {
            server.diagnosis.reason($0, of: verdict.subject)
        }
        return JUnitDocument.Case(name: verdict.subject.title, outcome: outcome)
    }

    private static func test(
        _ row: ATSDiagnostics.Row, _ server: DiagnosedServer, _ criterion: FailCriterion
    ) -> JUnitDocument.Case {
        let number = row.test.number
        let outcome = Self.outcome(row.verdict, server, decides: criterion == .row(number)) {
            server.diagnosis.reason($0, ofTest: number)
        }
        return JUnitDocument.Case(name: "\(number) \(row.test.title)", outcome: outcome)
    }

    private static func test(_ contradiction: Confirmation) -> JUnitDocument.Case {
        JUnitDocument.Case(
            name: "confirmed \(contradiction.test.number)",
            outcome: .error(message: contradiction.message, type: "contradiction", details: contradiction.message))
    }

    private static func outcome(
        _ verdict: ATSVerdict, _ server: DiagnosedServer, decides: Bool,
        reason: (ATSViolation) -> DiagnosisReason
    ) -> JUnitDocument.Outcome {
        let lines =
            verdict.outcome == .unknown
            ? server.diagnosis.doubts.map { "\($0.message) \($0.remedy) [\($0.code)]" }
            : verdict.violations.map { Finding(reason($0)) }.map { "\($0.message) \($0.remedy) [\($0.codes)]" }
        let basis = server.publicTrust.map { "\n" + $0.sentence } ?? ""
        let details = "\(verdict.outcome.headline)\n" + lines.joined(separator: "\n") + basis
        guard decides, !verdict.isAllowed else {
            return .passed(details: verdict.isAllowed ? nil : details)
        }
        let message = lines.first ?? verdict.outcome.headline
        return verdict.outcome == .unknown
            ? .error(message: message, type: "unknown", details: details)
            : .failed(message: message, type: verdict.primary?.code ?? "failed", details: details)
    }
}
