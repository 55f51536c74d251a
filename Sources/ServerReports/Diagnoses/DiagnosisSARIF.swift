//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO

/// The output of `servertrust diagnose --format sarif`: the faults of servers. The location is the URI of the server, because
/// there is no file.
enum DiagnosisSARIF {
    static func document(_ servers: [DiagnosedServer], _ criterion: FailCriterion) -> SARIFDocument {
        let faults = servers.flatMap { server in
            server.verdicts.filter { $0.outcome == .failed }.flatMap { verdict in
                verdict.violations.filter { !$0.isDoubt }.flatMap { Self.faults($0, verdict.subject, of: server) }
            }
        }
        let codes = faults.map(\.code).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return SARIFDocument(
            SARIFDocument.Run(
                rules: codes.map(Self.rule), ReportVerdict.worst(of: servers.map { $0.verdict(by: criterion) }),
                notifications: servers.flatMap(Self.notifications),
                results: faults.map { Self.result($0, codes.firstIndex(of: $0.code), by: criterion) }))
    }

    /// A rule that a server breaks, with the question.
    private struct Fault {
        let code: String
        let message: String
        let subject: DiagnosisVerdict.Subject
        let server: DiagnosedServer
        let violation: ATSViolation
    }

    /// Returns the faults of a violation. A violation of trust has one fault for each broken rule of the chain.
    private static func faults(
        _ violation: ATSViolation, _ subject: DiagnosisVerdict.Subject, of server: DiagnosedServer
    ) -> [Fault] {
        let finding = Finding(server.diagnosis.reason(violation, of: subject))
        let faults =
            if case .untrusted(let failure) = violation.reason {
                failure.reasons.map { ($0.code, "\($0.message) \($0.remedy)") }
            } else {
                [(violation.code, "\(finding.message) \(finding.remedy)")]
            }
        return faults.map { Fault(code: $0, message: $1, subject: subject, server: server, violation: violation) }
    }

    /// Returns the rule of a code, from the tables of `servertrust explain`.
    private static func rule(_ code: String) -> SARIFDocument.Rule {
        let explained = CodeIndex.explanation(code)
        let link = explained?.section.map(\.link).flatMap { $0.hasPrefix("https://") ? $0 : nil }
        return SARIFDocument.Rule(
            id: code, title: explained?.title ?? code, help: explained?.sentence ?? code, level: "error",
            helpURI: link ?? ReportTool.transportSecurityHelp)
    }

    private static func result(_ fault: Fault, _ index: Int?, by criterion: FailCriterion) -> SARIFDocument.Result {
        var properties = Self.properties(fault.violation, fault.server)
        properties["question"] = fault.subject.rawValue
        return SARIFDocument.Result(
            ruleID: fault.code, ruleIndex: index,
            level: criterion == .subject(fault.subject) ? "error" : "note",
            message: "\(fault.server.endpoint): \(fault.message)", at: Self.location(fault.server),
            properties: properties)
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

    /// Returns the URI of a server. IPv6 addresses are in brackets, and names contain only characters that URIs permit (RFC 3986
    /// §3.2.2).
    private static func location(_ server: DiagnosedServer) -> SARIFDocument.Location {
        SARIFDocument.Location(uri: "https://\(server.endpoint)/", region: nil, logical: ["\(server.endpoint)"])
    }
}
