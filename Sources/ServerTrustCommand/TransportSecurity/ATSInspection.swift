//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import ServerTrust
import ServerTrustNIO

/// Holds servers against an Info.plist.
struct ATSInspection: Sendable {
    let policy: ATSPolicy
    /// The file, as it was named.
    let file: String
    let client: ATSClient

    /// What is asked of connections to a server.
    func requirements(for endpoint: TLSEndpoint) -> ATSRequirements {
        self.policy.requirements(for: Self.destination(endpoint), client: self.client)
    }

    /// The verdict about a server that was looked at.
    func verdict(on facts: ATSServerFacts, of endpoint: TLSEndpoint) -> ATSVerdict {
        self.policy.verdict(on: facts, at: Self.destination(endpoint), client: self.client)
    }

    static func destination(_ endpoint: TLSEndpoint) -> ATSDestination {
        ATSDestination(host: endpoint.host, port: endpoint.port)
    }
}

extension TrustSettings {
    /// A survey of a server whose chains are judged by these settings.
    func survey(of endpoint: TLSEndpoint, for requirements: ATSRequirements, timeout: Duration) -> ServerSurvey {
        let policy = requirements.trustPolicy(hostname: endpoint.host)
        var survey = ServerSurvey(endpoint) { presented in
            try await self.trust(in: presented.certificates, for: policy)
        }
        survey.timeout = timeout
        survey.strictness = requirements.strictness
        return survey
    }

    /// What a chain is worth; `nil` for one that cannot be judged.
    ///
    /// - Parameters:
    ///   - certificates: What a server sent, in DER, its own certificate first.
    ///   - policy: What it is to be trusted for.
    func trust(in certificates: [[UInt8]], for policy: TrustPolicy) async throws -> TrustResult? {
        // Intermediates that cannot be read are as good as not sent; without the leaf there is nothing to judge.
        let certificates = certificates.map { try? Certificate(der: $0) }
        guard certificates.first.flatMap(\.self) != nil else { return nil }
        return try await self.evaluate(certificates.compactMap(\.self), for: policy).result
    }
}

/// What App Transport Security makes of a server.
struct ATSJudgement: Sendable {
    let verdict: ATSVerdict
    /// Whose rules, in a few words.
    let rules: String

    init(_ verdict: ATSVerdict, by inspection: ATSInspection) {
        self.verdict = verdict
        let configuration = inspection.policy.configuration
        self.rules = "\(PrintableText.text(inspection.file)), for \(inspection.client.words) on \(configuration.system)"
    }

    /// What there is to say of it behind everything else.
    var text: String {
        let exception = self.verdict.requirements.exception.map { exception in
            let line = exception.position.map { ", line \($0.line)" } ?? ""
            return " Decided by the exception for \(PrintableText.text(exception.name))\(line)."
        }
        let outcome = self.verdict.isAllowed ? "lets it through" : "refuses it"
        return "  App Transport Security \(outcome): \(self.rules).\(exception ?? "")\n"
    }
}

extension Finding {
    init(_ violation: ATSViolation) {
        self.message = PrintableText.text(violation.message)
        self.remedy = violation.remedy
        let stream = violation.osStatus.map { ", \($0.name) (\($0.rawValue))" } ?? ""
        self.codes = "\(violation.code), \(violation.urlError.name) (\(violation.urlError.rawValue))\(stream)"
    }
}

/// What App Transport Security makes of a server, in JSON.
struct JSONTransportSecurity: Encodable {
    private let isAllowed: Bool
    private let requirements: JSONRequirements
    private let violations: [JSONViolation]

    init(_ verdict: ATSVerdict) {
        self.isAllowed = verdict.isAllowed
        self.requirements = JSONRequirements(verdict.requirements)
        self.violations = verdict.violations.map(JSONViolation.init)
    }
}

/// A requirement that is not met.
struct JSONViolation: Encodable {
    private let code: String
    private let message: String
    private let remedy: String
    private let urlError: Int
    private let urlErrorName: String
    private let osStatus: Int32?
    private let osStatusName: String?
    private let isOverridable: Bool

    init(_ violation: ATSViolation) {
        self.code = violation.code
        self.message = PrintableText.text(violation.message)
        self.remedy = violation.remedy
        self.urlError = violation.urlError.rawValue
        self.urlErrorName = violation.urlError.name
        self.osStatus = violation.osStatus?.rawValue
        self.osStatusName = violation.osStatus?.name
        self.isOverridable = violation.isOverridable
    }
}
