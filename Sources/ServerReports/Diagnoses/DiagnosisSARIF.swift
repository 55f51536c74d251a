//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerDiagnosisNIO
import ServerTrust
import ServerTrustNIO

/// The answer of `servertrust diagnose --format sarif`: what is to be changed at servers, at the place that a URI of the
/// server is, as there is no file.
enum DiagnosisSARIF {
    static func document(_ servers: [DiagnosedServer], _ criterion: FailCriterion) -> SARIFDocument {
        SARIFDocument(
            SARIFDocument.Run(
                rules: Self.rules, ReportVerdict.worst(of: servers.map { $0.verdict(by: criterion) }),
                notifications: servers.flatMap(Self.notifications),
                results: servers.flatMap { server in
                    server.verdicts.filter { $0.outcome == .failed }.flatMap { verdict in
                        verdict.violations.filter { !$0.isDoubt }.map { Self.result($0, verdict, server, criterion) }
                    }
                }))
    }

    /// The questions are the rules: how often one is broken, and by what, is in the results.
    private static let rules = DiagnosisVerdict.Subject.allCases.map { subject in
        SARIFDocument.Rule(
            id: "diagnose-\(subject.rawValue)", title: subject.title, help: subject.question, level: "error",
            helpURI: subject == .trust ? Self.trustHelp : ReportTool.transportSecurityHelp)
    }

    /// Apple's demands on the certificates of servers.
    private static let trustHelp = "https://support.apple.com/en-us/103769"

    private static func result(
        _ violation: ATSViolation, _ verdict: DiagnosisVerdict, _ server: DiagnosedServer, _ criterion: FailCriterion
    ) -> SARIFDocument.Result {
        let index = DiagnosisVerdict.Subject.allCases.firstIndex(of: verdict.subject)
        return SARIFDocument.Result(
            ruleID: "diagnose-\(verdict.subject.rawValue)", ruleIndex: index,
            level: criterion == .subject(verdict.subject) ? "error" : "note",
            message: "\(server.endpoint): \(violation.message) \(violation.remedy)", at: Self.location(server),
            properties: Self.properties(violation, server))
    }

    private static func properties(_ violation: ATSViolation, _ server: DiagnosedServer) -> [String: String] {
        var properties = [
            "code": violation.code, "urlError": "\(violation.urlError.rawValue)",
            "appleData": server.publicTrust.map { ISO8601.text($0.date) } ?? "none",
        ]
        if case .untrusted(let failure) = violation.reason, let rule = failure.primary.rules.first {
            properties["trustCode"] = failure.primary.code
            (properties["rule"], properties["ruleLink"]) = (rule.section, rule.link)
        }
        return properties
    }

    private static func notifications(_ server: DiagnosedServer) -> [SARIFDocument.Notification] {
        let differences = server.addressContradictions.map { "\(server.endpoint): \($0.message) \($0.remedy)" }
        return (server.complaints + differences).map { SARIFDocument.Notification($0, at: Self.location(server)) }
    }

    /// An IPv6 address is in brackets, and names have no other characters than URIs allow (RFC 3986 §3.2.2).
    private static func location(_ server: DiagnosedServer) -> SARIFDocument.Location {
        SARIFDocument.Location(uri: "https://\(server.endpoint)/", region: nil, logical: ["\(server.endpoint)"])
    }
}
