//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import AppleFiles
package import ServerDiagnosis
import ServerTrust

/// A report on a configuration profile: the answer for the whole profile, then each server.
package struct ProfileReport: Report {
    package static let formats = Set(ReportFormat.allCases).subtracting([.plist])

    /// The path of the file.
    package let path: String
    package let diagnosed: DiagnosedProfile
    /// The products with settings in the report. `nil` has the same meaning as in ``DiagnosisReport``.
    package var products: [ServerProduct]?

    /// Creates a report on a profile.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - diagnosed: The profile and its servers.
    package init(_ path: String, _ diagnosed: DiagnosedProfile) { (self.path, self.diagnosed) = (path, diagnosed) }

    /// The verdict is negative if devices do not install the profile or if a server fails.
    package var verdict: ReportVerdict {
        if self.diagnosed.profile.issues.contains(where: \.isFatal) { return .notTrusted }
        let outcomes = self.diagnosed.servers.compactMap(\.outcome)
        if outcomes.contains(.failed) { return .notTrusted }
        // A payload that is encrypted for one device may name any server.
        let isOpen = outcomes.contains(.unknown) || self.diagnosed.profile.issues.contains { $0.code == .encrypted }
        return isOpen ? .notEvaluated : .trusted
    }

    package func text(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: ProfileText(style).text(of: self)
        case .json: try JSONText.text(ProfileDocument(self))
        case .nscurl, .html, .junit, .sarif, .csv, .plist: try self.servers.text(as: format, style: style)
        }
    }

    /// The tested servers, for the formats of diagnoses.
    private var servers: DiagnosisReport {
        var report = DiagnosisReport(
            self.diagnosed.servers.compactMap { server in
                if case .asked(let asked) = server.result { asked } else { nil }
            })
        report.criterion = self.diagnosed.profile.enrols ? .subject(.fcp) : .subject(.trust)
        report.products = self.products
        return report
    }

    var sentence: String {
        let asked = self.diagnosed.servers.filter { $0.outcome != nil }
        let failed = asked.filter { $0.outcome == .failed }
        let all = CountText.text(asked.count, "server")
        let isManagement = failed.contains { $0.server.rule == .management }
        let counted = "\(failed.count) of \(all) \(failed.count == 1 ? "fails" : "fail")"
        if self.diagnosed.profile.issues.contains(where: \.isFatal) { return "Devices do not install the profile." }
        if !failed.isEmpty {
            if isManagement, self.diagnosed.profile.enrols { return "Devices with 27.0 will not enrol: \(counted)." }
            return self.diagnosed.profile.enrols ? "Devices enrol, but \(counted)." : "\(counted)."
        }
        let unknown = asked.count { $0.outcome == .unknown }
        if unknown > 0 { return "Not known: \(unknown) of \(all) did not answer." }
        if asked.isEmpty { return "The profile names no server that is asked." }
        return self.diagnosed.profile.enrols ? "Devices with 27.0 will enrol: \(all) passed." : "\(all) passed."
    }
}

/// A reason against a server of a profile.
struct ProfileFinding {
    let message: String
    let remedy: String
    let codes: String

    /// Returns the findings of the decisive verdict on a server.
    static func all(_ server: DiagnosedProfile.Server) -> [ProfileFinding] {
        switch server.result {
        case .notAsked: return []
        case .unreadable(let why):
            return [
                ProfileFinding(
                    message: "The profile does not name a server: \(why).",
                    remedy: "Mend the value of \(server.server.key).",
                    codes: "unreadable-server")
            ]
        case .asked(let asked):
            let unpinned = ProfileFinding(
                message: "No certificate of the path is one that \(server.server.key)PinningCertificateUUIDs names.",
                remedy:
                    "Send a path through a certificate of the profile, or put the server's authority into the profile.",
                codes: "not-pinned")
            return (server.isUnpinned ? [unpinned] : []) + Self.findings(server, asked)
        }
    }

    private static func findings(_ server: DiagnosedProfile.Server, _ asked: DiagnosedServer) -> [ProfileFinding] {
        guard let verdict = server.verdict(asked), verdict.outcome != .passed else { return [] }
        let findings =
            verdict.outcome == .unknown
            ? asked.diagnosis.doubts.map(Finding.init)
            : asked.reasons.filter { $0.subjects.contains(verdict.subject) }.map(Finding.init)
        return findings.map { ProfileFinding(message: $0.message, remedy: $0.remedy, codes: $0.codes) }
    }
}

/// The report as text.
private struct ProfileText {
    private let style: TextStyle

    init(_ style: TextStyle) { self.style = style }

    func text(of report: ProfileReport) -> String {
        let profile = report.diagnosed.profile
        let word =
            switch report.verdict {
            case .trusted: "PASSED"
            case .notTrusted: "FAILED"
            case .notEvaluated: "UNKNOWN"
            }
        let head =
            self.style.coloured(word, report.verdict) + "  " + self.style.bold(DisplayText.text(profile.name)) + "\n"
            + "  \(report.sentence)\n"
        let notes = Self.notes(report.diagnosed).map { "  \(DisplayText.text($0))\n" }.joined()
        let servers = report.diagnosed.servers.map { self.text(of: $0, report.diagnosed) }.joined()
        return self.style.wrapped(head + notes + servers)
    }

    private static func notes(_ diagnosed: DiagnosedProfile) -> [String] {
        let profile = diagnosed.profile
        let signature =
            switch profile.signature {
            case .none: ["The profile is not signed. Devices install it all the same."]
            case .signed(let signers): signers.map { "Signed by “\($0.name)”: \($0.outcome)." }
            }
        let roots =
            profile.roots.isEmpty
            ? []
            : [
                diagnosed.trustsRoots
                    ? "\(CountText.text(profile.roots.count, "root")) of the profile counted as on a device that it is installed on."
                    : "Roots of the profile did not count: after an installation by hand, full trust for them has to be enabled."
            ]
        return signature + profile.issues.map(\.message) + roots
    }

    private func text(of server: DiagnosedProfile.Server, _ diagnosed: DiagnosedProfile) -> String {
        let findings = ProfileFinding.all(server).map { finding in
            "  \(DisplayText.text(finding.message))\n  \(DisplayText.text(finding.remedy))\n"
                + "  \(self.style.dim("[\(finding.codes)]"))\n"
        }
        return "\n\(self.headline(server)): \(Self.about(server.server))\n" + findings.joined()
            + (server.isAcceptedWithRoots ? "  \(Self.acceptance(diagnosed.profile))\n" : "")
    }

    private func headline(_ server: DiagnosedProfile.Server) -> String {
        let word =
            switch server.outcome {
            case .passed: self.style.coloured("PASS", .trusted)
            case .failed: self.style.coloured("FAIL", .notTrusted)
            case .unknown: self.style.coloured("UNKNOWN", .notEvaluated)
            case nil: self.style.dim("NOT ASKED")
            }
        return "\(word)  \(self.style.bold(DisplayText.text(server.server.address)))"
    }

    private static func about(_ server: ProfileServer) -> String {
        "\(server.key) of “\(DisplayText.text(server.payloadName))”, \(server.rule.title)"
    }

    static func acceptance(_ profile: ConfigurationProfile) -> String {
        let names = profile.roots.map { "“\(DisplayText.text($0.subjectSummary))”" }.uniqued().prefix(4)
        return
            "It is accepted once full trust for \(names.joined(separator: ", ")) is enabled in Certificate Trust Settings."
    }
}

extension ProfileServer.Rule {
    var title: String {
        switch self {
        case .management: "device management, by FCP_v2.1"
        case .tls: "by the system's trust"
        case .exempt: "exempt, or without TLS"
        case .notAsked: "not asked, as it does not speak TLS over TCP"
        }
    }
}

/// The report in JSON.
private struct ProfileDocument: Encodable {
    private let format = "servertrust.profile/1"
    private let file: String
    private let verdict: String
    private let sentence: String
    private let name: String
    private let payloads: Int
    private let enrols: Bool
    private let trustsRoots: Bool
    private let signatures: [Signature]
    private let issues: [Issue]
    private let servers: [Server]

    init(_ report: ProfileReport) {
        let profile = report.diagnosed.profile
        self.file = DisplayText.text(report.path)
        self.verdict = report.verdict.outcome.rawValue
        self.sentence = report.sentence
        self.name = DisplayText.text(profile.name)
        self.payloads = profile.payloads
        self.enrols = profile.enrols
        self.trustsRoots = report.diagnosed.trustsRoots
        self.signatures =
            if case .signed(let signers) = profile.signature {
                signers.map { Signature(signer: DisplayText.text($0.name), isValid: $0.isValid) }
            } else { [] }
        self.issues = profile.issues.map {
            Issue(code: $0.code.rawValue, message: DisplayText.text($0.message), isFatal: $0.isFatal)
        }
        self.servers = report.diagnosed.servers.map(Server.init)
    }

    private struct Signature: Encodable {
        let signer: String
        let isValid: Bool
    }

    private struct Issue: Encodable {
        let code: String
        let message: String
        let isFatal: Bool
    }

    private struct Server: Encodable {
        private let address: String
        private let payloadType: String
        private let payload: String
        private let key: String
        private let rule: String
        private let outcome: String?
        private let isAcceptedWithRoots: Bool
        private let reasons: [Reason]

        init(_ server: DiagnosedProfile.Server) {
            self.address = DisplayText.text(server.server.address)
            self.payloadType = server.server.payloadType
            self.key = server.server.key
            self.payload = DisplayText.text(server.server.payloadName)
            self.rule = server.server.rule.rawValue
            self.outcome = server.outcome?.rawValue
            self.isAcceptedWithRoots = server.isAcceptedWithRoots
            self.reasons = ProfileFinding.all(server).map {
                Reason(codes: $0.codes, message: DisplayText.text($0.message), remedy: DisplayText.text($0.remedy))
            }
        }
    }

    private struct Reason: Encodable {
        let codes: String
        let message: String
        let remedy: String
    }
}
