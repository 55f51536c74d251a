//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ConfigurationDocuments
import PinningDialects
import ServerReports
import ServerTrust

/// The output of `servertrust pins check --format json`.
struct PinsDocument: Encodable {
    private let format = "servertrust.pins-check/1"
    private let file: String
    private let dialect: String
    private let isUsable: Bool
    private let verdict: String
    private let diagnostics: [JSONDiagnostic]
    private let domains: [JSONPinnedDomain]
    private let targets: [JSONHeldTarget]

    init(_ report: PinsReport) {
        let audit = report.audit
        self.file = DisplayText.text(audit.pins.path)
        self.dialect = audit.pins.dialect.rawValue
        self.isUsable = audit.verdict == .trusted
        self.verdict = report.verdict.name
        self.diagnostics = audit.diagnostics.map(JSONDiagnostic.init)
        self.domains = audit.domainsWithBackup.map(JSONPinnedDomain.init)
        self.targets = report.judged.map(JSONHeldTarget.init)
    }
}

/// A diagnostic of a configuration, in JSON.
struct JSONDiagnostic: Encodable {
    private let severity: String
    private let code: String
    private let message: String
    private let remedy: String
    private let line: Int?
    private let column: Int?

    init(_ diagnostic: PinningDiagnostic) {
        self.severity = diagnostic.severity.rawValue
        self.code = diagnostic.code.rawValue
        self.message = DisplayText.text(diagnostic.message)
        self.remedy = DisplayText.text(diagnostic.remedy)
        self.line = diagnostic.position?.line
        self.column = diagnostic.position?.column
    }
}

/// A domain of a configuration, in JSON.
struct JSONPinnedDomain: Encodable {
    private let host: String
    private let subdomains: String
    private let port: Int?
    private let line: Int?
    private let pins: [String]
    private let lacksBackup: Bool
    private let expires: String?
    private let isReportOnly: Bool

    init(_ domain: PinnedDomain, lacksBackup: Bool) {
        self.host = DisplayText.text(domain.host)
        self.subdomains = domain.subdomains.rawValue
        self.port = domain.port
        self.line = domain.position?.line
        self.pins = domain.pins?.pins.map(\.description) ?? []
        self.lacksBackup = lacksBackup
        self.expires = domain.pins?.expiration.map { "\(Timestamp($0.date))" }
        self.isReportOnly = domain.pins?.isReportOnly ?? false
    }
}

/// A server or chain that was checked against a configuration, in JSON.
struct JSONHeldTarget: Encodable {
    private let target: String
    private let host: String?
    private let verdict: String
    private let evaluation: JSONEvaluation?
    private let reasons: [JSONFinding]
    private let error: String?

    init(_ target: JudgedTarget) {
        self.target = target.name
        self.host = target.host
        self.verdict = target.verdict.name
        switch target.outcome {
        case .judged(let judgment, let findings):
            (self.evaluation, self.reasons, self.error) =
                (JSONEvaluation(judgment), findings.map(JSONFinding.init), nil)
        case .failed(let failure):
            self.evaluation = nil
            self.reasons = failure.findings.map(JSONFinding.init)
            self.error = DisplayText.text(failure.message)
        }
    }
}
