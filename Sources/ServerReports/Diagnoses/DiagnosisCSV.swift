//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSProbe

/// The output of `servertrust diagnose --format csv`: one line for each answer and for each of nscurl's tests, for every server.
enum DiagnosisCSV {
    private static let header = [
        "server", "address", "system", "question", "title", "outcome", "code", "url_error", "os_status", "message",
        "remedy", "apple_data",
    ]

    static func text(of servers: [DiagnosedServer]) -> String {
        CSVText.line(Self.header) + servers.map(Self.lines).joined()
    }

    private static func lines(_ server: DiagnosedServer) -> String {
        let verdicts = server.verdicts.map { verdict in
            Self.line(server, verdict.subject.rawValue, title: verdict.subject.title, verdict: verdict.verdict) {
                server.diagnosis.reason($0, of: verdict.subject)
            }
        }
        let rows = server.diagnosis.rows.map { row in
            Self.line(server, "\(row.test.number)", title: row.test.title, verdict: row.verdict) {
                server.diagnosis.reason($0, ofTest: row.test.number)
            }
        }
        return (verdicts + rows).joined()
    }

    private static func line(
        _ server: DiagnosedServer, _ question: String, title: String, verdict: ATSVerdict,
        explained: (ATSViolation) -> DiagnosisReason
    ) -> String {
        let diagnosis = server.diagnosis
        let doubt = verdict.outcome == .unknown ? diagnosis.doubts.first : nil
        let violation = verdict.primary
        let reason = violation.map(explained)
        return CSVText.line([
            "\(server.endpoint)", diagnosis.facts.address ?? "", "\(diagnosis.configuration.system)", question, title,
            verdict.outcome.rawValue, doubt?.code ?? violation?.code ?? "",
            violation.map { "\($0.urlError.rawValue)" } ?? "", violation?.osStatus.map { "\($0.rawValue)" } ?? "",
            doubt?.message ?? reason?.message ?? "", doubt?.remedy ?? reason?.remedy ?? "",
            server.publicTrust.map { ISO8601.text($0.date) } ?? "",
        ])
    }
}
