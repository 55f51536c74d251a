//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire

/// An answer as text, for all formats for people.
struct VerdictLine {
    let subject: DiagnosisVerdict.Subject
    let outcome: ATSOutcome
    let title: String
    /// The meaning of the answer in a few words.
    let summary: String
}

/// A fault of a server, or a missing fact, with all answers that it affects.
struct ReasonLine {
    let finding: Finding
    let isDoubt: Bool
    let subjects: [String]
}

extension DiagnosedServer {
    var verdictLines: [VerdictLine] {
        self.verdicts.map { verdict in
            VerdictLine(
                subject: verdict.subject, outcome: verdict.outcome, title: self.title(of: verdict.subject),
                summary: self.summary(of: verdict))
        }
    }

    /// The first answer and its first reason.
    var sentence: String {
        guard let line = self.verdictLines.first else { return "" }
        let answer = line.summary.prefix(1).uppercased() + line.summary.dropFirst() + "."
        guard line.outcome != .passed, let reason = self.reasonLines.first else { return answer }
        return "\(answer) \(reason.finding.message)"
    }

    private func title(of subject: DiagnosisVerdict.Subject) -> String {
        guard subject == .plist, let app else { return subject.title }
        return "\(subject.title), \(DisplayText.text(app.name))"
    }

    /// Returns an answer that claims no more than was observed. The line of a positive answer ends with its limitations.
    private func summary(of verdict: DiagnosisVerdict) -> String {
        self.answer(verdict) + (verdict.outcome == .passed && verdict.subject != .trust ? self.reservation : "")
    }

    private var reservation: String {
        let kinds = Set(self.notes.map(\.kind))
        if kinds.contains(.clientCertificateRequested) {
            return ", if they have the client certificate that the server asks for"
        }
        if kinds.contains(.clientIdentityRefused) { return ", if they have a client certificate that the server takes" }
        if kinds.contains(.clientKeyNotUsed) { return ", if they can sign with this client's key" }
        return kinds.contains(.addressesNotAsked) ? " at the addresses that were asked" : ""
    }

    private func answer(_ verdict: DiagnosisVerdict) -> String {
        let system = self.diagnosis.configuration.system
        return switch (verdict.subject, verdict.outcome) {
        case (_, .unknown): "what decides it is not known"
        case (.ats, .passed): "apps on \(system) connect without exceptions"
        case (.ats, .failed): "apps on \(system) do not connect without exceptions"
        case (.fcp, .passed): "device management from version 27 on connects"
        case (.fcp, .failed): "device management from version 27 on does not connect"
        case (.trust, .passed): "the chain is trusted"
        case (.trust, .failed):
            verdict.violations.contains(where: \.isAboutTrust)
                ? "the chain is not trusted" : "the handshake fails before Apple's systems see a chain"
        case (.plist, .passed): "the app connects on \(system)"
        case (.plist, .failed): "the app does not connect on \(system)"
        }
    }

    var addressLines: [FactLine] {
        self.addresses.map { server in
            let outcomes = server.diagnosis.verdicts.map { "\($0.subject.title) \($0.outcome.headline)" }
            let failure = server.facts.speaksTLS ? nil : server.facts.failure?.message
            return FactLine(server.address ?? "", [failure ?? outcomes.joined(separator: ", ")])
        }
    }

    /// The faults, each once, followed by the missing facts.
    var reasonLines: [ReasonLine] {
        self.reasons.flatMap { reason in
            let subjects = reason.isMissingFact ? [] : reason.subjects.map(\.title)
            return ([Finding(reason)] + Finding.others(reason)).map {
                ReasonLine(finding: $0, isDoubt: reason.isMissingFact, subjects: subjects)
            }
        }
    }

    /// Returns the reason for an advice, or `nil` if the reasons already contain it.
    func reason(of advice: ServerAdvice) -> String? {
        let reason = DisplayText.text(advice.reason)
        return self.reasonLines.contains { $0.finding.message == reason } ? nil : reason
    }

    private static let fcpSentence = "An exception does not help with FCP_v2.1: the server has to change."

    private var failsFCP: Bool { self.diagnosis[.fcp]?.outcome == .failed }

    /// The limitation of an exception, or `nil` if there is none.
    var exceptionLimit: String? { self.failsFCP ? Self.fcpSentence : nil }

    /// The common meaning of nscurl's tests in one sentence.
    var conclusion: String {
        switch self.diagnosis.conclusion {
        case .compliant where self.failsFCP: "Apps need no exception. \(Self.fcpSentence)"
        case .compliant: "No exception is needed."
        case .notTransportSecurity:
            self.diagnosis.suggestion?.outcome.delegateSentence
                ?? (self.diagnosis[.trust]?.outcome == .failed
                    ? "No exception helps: trust, or TLS itself, fails whatever an Info.plist says."
                    : "No exception helps on \(self.diagnosis.configuration.system).")
        case .needsException(let number):
            "The least exception that helps is that of test \(number), \(self.diagnosis.row(number)?.test.title ?? "")."
        case .unknown: "What decides it is not known."
        }
    }

    /// The keys of the app that determined the requirements.
    var appLines: [FactLine] {
        (self.explanation?.decisions ?? []).map { decision in
            let line = decision.position.map { ", line \($0.line)" } ?? ""
            let key = decision.path.isEmpty ? "" : "\(decision.path.joined(separator: " › "))\(line): "
            return FactLine(decision.part.rawValue, ["\(decision.value) (\(key)\(decision.reason))"])
        }
    }
}

extension ServerAdvice {
    /// The answers that the change affects: `App Transport Security, FCP_v2.1; tests 1, 4 to 6`.
    var scope: String {
        let subjects = self.subjects.map(\.title).joined(separator: ", ")
        guard !self.rows.isEmpty else { return subjects }
        return "\(subjects); \(self.rows.count == 1 ? "test" : "tests") \(Self.ranges(self.rows))"
    }

    private static func ranges(_ numbers: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }.joined(separator: ", ")
    }
}

extension DiagnosedServer {
    /// The basis and the limitations of the verdicts.
    var limits: String {
        let basis = self.publicTrust?.sentence ?? "Certificate transparency was not checked."
        let revocation =
            self.usesGivenRevocation
            ? CheckedRevocation.givenSentence : "Revocation was checked by stapled responses alone."
        return "\(basis) \(revocation)"
    }
}

extension ATSViolation {
    fileprivate var isAboutTrust: Bool { if case .untrusted = self.reason { true } else { false } }
}
