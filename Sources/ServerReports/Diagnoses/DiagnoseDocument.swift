//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO

/// The answer of `servertrust diagnose --format json`.
struct DiagnoseDocument: Encodable {
    private let format = "servertrust.diagnose/1"
    private let verdict: String
    private let failOn: String
    private let servers: [JSONDiagnosis]

    init(_ servers: [DiagnosedServer], _ criterion: FailCriterion) {
        self.verdict = ReportVerdict.worst(of: servers.map { $0.verdict(by: criterion) }).outcome.rawValue
        self.failOn = criterion.name
        self.servers = servers.map { JSONDiagnosis($0, criterion) }
    }
}

/// One server in a document.
struct JSONDiagnosis: Encodable {
    private let url: String
    private let server: String
    private let host: String
    private let port: Int
    private let connectTo: String?
    private let verdict: String
    private let system: String
    private let strictness: String
    private let diagnosedAt: String
    private let verdicts: [String: JSONAnswer]
    private let tests: [JSONTest]
    private let conclusion: String
    private let leastTest: Int?
    private let doubts: [JSONNote]
    private let advice: [JSONAdvice]
    private let exception: JSONException?
    private let app: JSONApp?
    private let confirmations: [JSONConfirmation]?
    private let trust: [JSONChainTrust]
    private let redirects: JSONRedirects?
    private let publicTrust: JSONPublicTrust?
    private let notes: [JSONTrustNote]
    private let addresses: [JSONAddress]?
    private let addressContradictions: [JSONAddressContradiction]?
    private let facts: JSONServerFacts

    init(_ server: DiagnosedServer, _ criterion: FailCriterion) {
        let diagnosis = server.diagnosis
        self.url = DisplayText.text(server.url)
        self.server = "\(server.endpoint)"
        self.host = server.endpoint.host.text
        self.port = server.endpoint.port
        self.connectTo = server.endpoint.connectAddress?.text
        self.verdict = server.verdict(by: criterion).outcome.rawValue
        self.system = "\(diagnosis.configuration.system)"
        self.strictness = diagnosis.configuration.strictness.rawValue
        self.diagnosedAt = ISO8601.text(server.date)
        self.verdicts = Dictionary(
            uniqueKeysWithValues: server.verdicts.map {
                ($0.subject.rawValue, JSONAnswer($0, host: server.endpoint.host.text))
            })
        self.tests = diagnosis.rows.map(JSONTest.init)
        (self.conclusion, self.leastTest) = diagnosis.conclusion.parts
        self.doubts = diagnosis.doubts.map { JSONNote($0.code, $0.message, remedy: $0.remedy) }
        self.advice = server.advice.map(JSONAdvice.init)
        self.exception = diagnosis.suggestion?.outcome.exception.map(JSONException.init)
        self.app = server.app.flatMap { app in server.explanation.map { JSONApp(app, $0) } }
        self.confirmations = server.confirmations?.map(JSONConfirmation.init)
        self.trust = diagnosis.trust.map(JSONChainTrust.init)
        self.redirects = server.redirects.map(JSONRedirects.init)
        self.publicTrust = server.publicTrust.map(JSONPublicTrust.init)
        self.notes = server.notes.map(JSONTrustNote.init)
        self.addresses = server.addresses.isEmpty ? nil : server.addresses.map(JSONAddress.init)
        self.addressContradictions =
            server.addresses.isEmpty ? nil : server.addressContradictions.map(JSONAddressContradiction.init)
        self.facts = JSONServerFacts(diagnosis.facts)
    }
}

/// The answer to one question, in JSON.
struct JSONAnswer: Encodable {
    private let outcome: String
    private let violations: [JSONViolation]

    init(_ verdict: DiagnosisVerdict, host: String) {
        self.outcome = verdict.outcome.rawValue
        self.violations = verdict.violations.map { JSONViolation($0, Finding($0), host: host) }
    }
}

/// A test of nscurl, in JSON.
struct JSONTest: Encodable {
    private let number: Int
    private let section: String
    private let title: String
    private let outcome: String
    private let violations: [JSONViolation]

    init(_ row: ATSDiagnostics.Row) {
        self.number = row.test.number
        self.section = DisplayText.text(row.test.section)
        self.title = row.test.title
        self.outcome = row.outcome.rawValue
        self.violations = row.verdict.violations.map(JSONViolation.init)
    }
}

/// A recommended change of settings, in JSON.
struct JSONAdvice: Encodable {
    private let kind: String
    private let title: String
    private let reason: String
    private let verdicts: [String]
    private let tests: [Int]
    private let snippets: [String: String]

    init(_ advice: ServerAdvice) {
        self.kind = advice.kind.rawValue
        self.title = advice.title
        self.reason = DisplayText.text(advice.reason)
        self.verdicts = advice.subjects.map(\.rawValue)
        self.tests = advice.rows
        self.snippets = Dictionary(
            uniqueKeysWithValues: ServerProduct.allCases.map { ($0.rawValue, advice.snippet(for: $0)) })
    }
}

/// The smallest exception, in JSON.
struct JSONException: Encodable {
    private let propertyList: String
    private let givesUp: [String]
    private let needsDelegate: Bool

    init(
        _ exception: (fragment: String, propertyList: String, givesUp: [ATSSuggestion.Risk], needsDelegate: Bool)
    ) {
        self.propertyList = exception.propertyList
        self.givesUp = exception.givesUp.map(\.rawValue)
        self.needsDelegate = exception.needsDelegate
    }
}

/// The app under diagnosis, in JSON.
struct JSONApp: Encodable {
    private let file: String
    private let client: String
    private let requirements: JSONRequirements
    private let decisions: [JSONDecision]

    init(_ app: ServerDiagnoser.App, _ explanation: ATSExplanation) {
        self.file = DisplayText.text(app.name)
        self.client = app.client.rawValue
        self.requirements = JSONRequirements(explanation.requirements)
        self.decisions = explanation.decisions.map(JSONDecision.init)
    }
}

/// The result of a real connection, in JSON.
struct JSONConfirmation: Encodable {
    private let test: Int
    private let computed: String
    private let observed: String
    private let isContradiction: Bool
    private let violation: JSONViolation?

    init(_ confirmation: Confirmation) {
        self.test = confirmation.test.number
        self.computed = confirmation.computed.rawValue
        self.observed = confirmation.observed.rawValue
        self.isContradiction = confirmation.isContradiction
        self.violation = confirmation.violation.map(JSONViolation.init)
    }
}

/// The verdict about one of the chains, in JSON.
struct JSONChainTrust: Encodable {
    private let outcome: String
    private let reasons: [JSONReason]
    private let appleLine: String?
    private let evidence: [JSONEvidence]
    private let certificateTransparency: String?
    private let extendedValidation: String?
    private let timestamps: [JSONTimestamp]?

    init(_ trust: TrustResult?) {
        self.outcome = trust.map { $0.isTrusted ? "trusted" : "not-trusted" } ?? "unknown"
        self.reasons = trust?.failure?.reasons.map(JSONReason.init) ?? []
        self.appleLine = trust?.appleLine
        self.evidence = trust?.evidence.items.map(JSONEvidence.init) ?? []
        self.certificateTransparency = trust?.certificateTransparency.rawValue
        self.extendedValidation = trust?.extendedValidation.rawValue
        self.timestamps = trust?.transparency?.entries.map(JSONTimestamp.init)
    }
}

extension ATSConclusion {
    /// The name in JSON and the number of the first test that passes.
    fileprivate var parts: (String, Int?) {
        switch self {
        case .compliant: ("compliant", nil)
        case .notTransportSecurity: ("no-exception-helps", nil)
        case .needsException(let test): ("needs-exception", test)
        case .unknown: ("unknown", nil)
        }
    }
}

/// The destinations of redirects, in JSON.
struct JSONRedirects: Encodable {
    private let destinations: [String]
    private let error: String?

    init(_ trace: RedirectTrace) {
        self.destinations = trace.destinations.map { DisplayText.text("\($0.scheme)://\($0.host):\($0.port)") }
        self.error = trace.failure.map(DisplayText.text)
    }
}
