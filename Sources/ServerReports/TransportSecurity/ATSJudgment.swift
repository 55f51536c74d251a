//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
import ConfigurationDocuments
package import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSProbe

/// The verdict of App Transport Security about a server.
package struct ATSJudgment: Sendable {
    let verdict: ATSVerdict
    /// The findings in the order of the verdict's violations, or the missing facts if the outcome is unknown.
    let findings: [Finding]
    let host: String
    /// The source of the rules, in a few words.
    private let rules: String
    /// `true` if the server has asked for a client certificate.
    private let wantsClientCertificate: Bool

    package init(_ server: DiagnosedServer, _ verdict: ATSVerdict, for app: ServerDiagnoser.App) {
        self.verdict = verdict
        self.host = server.endpoint.host.text
        self.findings =
            verdict.outcome == .unknown
            ? server.diagnosis.doubts.map(Finding.init)
            : verdict.violations.map { Finding(server.diagnosis.reason($0, of: .plist)) }
        self.wantsClientCertificate = server.diagnosis.facts.features.clientCertificate != nil
        let configuration = app.policy.configuration
        self.rules = "\(DisplayText.text(app.name)), for \(app.client.words) on \(configuration.system)"
    }

    /// The findings without trust failures, which the evaluation of the chain describes better.
    var findingsBesidesTrust: [Finding] {
        guard self.verdict.outcome != .unknown else { return self.findings }
        return zip(self.verdict.violations, self.findings).compactMap { violation, finding in
            if case .untrusted = violation.reason { nil } else { finding }
        }
    }

    var text: String {
        let exception = self.verdict.requirements.exception.map { exception in
            let line = exception.position.map { ", line \($0.line)" } ?? ""
            return " Decided by the exception for \(DisplayText.text(exception.name))\(line)."
        }
        let certificate =
            self.wantsClientCertificate
            ? "  The server wants a client certificate, which App Transport Security has no rule about.\n" : ""
        let line = self.verdict.violations.lazy.compactMap { $0.appleLine(for: self.host) }.first
        let logged = line.map { "  Apple's systems log: \(DisplayText.text($0))\n" } ?? ""
        return "  App Transport Security \(self.outcome): \(self.rules).\(exception ?? "")\n\(logged)\(certificate)"
    }

    private var outcome: String {
        switch self.verdict.outcome {
        case .passed: "lets it through"
        case .failed: "refuses it"
        case .unknown: "may let it through or not, as a fact that decides is not known"
        }
    }
}

/// The verdict of App Transport Security about a server, in JSON.
struct JSONTransportSecurity: Encodable {
    private let isAllowed: Bool
    private let requirements: JSONRequirements
    private let violations: [JSONViolation]

    /// Creates the JSON of a verdict.
    ///
    /// - Parameters:
    ///   - verdict: The verdict.
    ///   - host: The server's name, or `nil` if the server was only described.
    ///   - findings: The violations in words, in their order. May be shorter than the violations if it adds nothing to them.
    init(_ verdict: ATSVerdict, host: String?, findings: [Finding] = []) {
        self.isAllowed = verdict.isAllowed
        self.requirements = JSONRequirements(verdict.requirements)
        self.violations = verdict.violations.enumerated().map { index, violation in
            JSONViolation(
                violation, findings.indices.contains(index) ? findings[index] : Finding(violation), host: host)
        }
    }
}

extension JSONTransportSecurity {
    init(_ judgment: ATSJudgment) {
        self.init(
            judgment.verdict, host: judgment.host,
            findings: judgment.verdict.outcome == .unknown ? [] : judgment.findings)
    }
}

/// A violated requirement, in JSON.
struct JSONViolation: Encodable {
    private let code: String
    private let message: String
    private let remedy: String
    private let urlError: Int
    private let urlErrorName: String
    private let osStatus: Int32?
    private let osStatusName: String?
    private let rule: String?
    private let isOverridable: Bool
    private let appleLine: String?

    init(_ violation: ATSViolation) { self.init(violation, Finding(violation)) }

    init(_ violation: ATSViolation, _ finding: Finding, host: String? = nil) {
        self.code = violation.code
        self.message = finding.message
        self.remedy = finding.remedy
        self.urlError = violation.urlError.rawValue
        self.urlErrorName = violation.urlError.name
        self.osStatus = violation.osStatus?.rawValue
        self.osStatusName = violation.osStatus?.name
        self.rule = violation.rule == violation.code ? nil : violation.rule
        self.isOverridable = violation.isOverridable
        self.appleLine = host.flatMap { violation.appleLine(for: DisplayText.text($0)) }
    }
}
