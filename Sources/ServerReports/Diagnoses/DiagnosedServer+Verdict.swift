//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis

extension DiagnosedServer {
    /// Returns the verdict that determines the exit code. An answer that real connections contradict counts as unknown.
    func verdict(by criterion: FailCriterion) -> ReportVerdict {
        let verdicts = self.reached.map { $0.ownVerdict(by: criterion) }
        // A failure at one address remains a failure if another address gives no answer.
        return verdicts.contains(.notTrusted) ? .notTrusted : .worst(of: verdicts)
    }

    private func ownVerdict(by criterion: FailCriterion) -> ReportVerdict {
        let isContradicted = (self.confirmations ?? []).contains(where: \.isContradiction)
        guard !isContradicted, let outcome = self.outcome(by: criterion) else { return .notEvaluated }
        return ReportVerdict(outcome)
    }

    private func outcome(by criterion: FailCriterion) -> ATSOutcome? {
        switch criterion {
        case .subject(let subject): self.diagnosis[subject]?.outcome
        case .row(let number): self.diagnosis.row(number)?.outcome
        }
    }

    /// The messages for standard error: reasons for unknown answers, and contradictions.
    package var complaints: [String] {
        let isUnknown = self.verdicts.contains { $0.outcome == .unknown }
        let doubts = isUnknown ? self.diagnosis.doubts.map { "\(self.endpoint): \($0.message) \($0.remedy)" } : []
        return doubts + self.contradictions.map { "\(self.endpoint): \($0.message)" }
    }
}

extension Confirmation {
    /// The result of the connection in one sentence.
    var message: String {
        let reason = self.violation.map { " (\(DisplayText.text($0.message)))" } ?? ""
        let name = "Test \(self.test.number), \(self.test.title)"
        guard self.isContradiction else {
            return "\(name): a real connection came to \(self.observed.headline)\(reason)."
        }
        return
            "\(name): a real connection came to \(self.observed.headline)\(reason), and \(self.computed.headline) was "
            + "computed. Machines of different settings may stand behind the address. Diagnose them one by one."
    }
}

extension ReportVerdict {
    /// Creates the verdict for an outcome, which determines the exit code.
    init(_ outcome: ATSOutcome) {
        self =
            switch outcome {
            case .passed: .trusted
            case .failed: .notTrusted
            case .unknown: .notEvaluated
            }
    }

    /// The outcome in JSON, for questions other than trust.
    var outcome: ATSOutcome {
        switch self {
        case .trusted: .passed
        case .notTrusted: .failed
        case .notEvaluated: .unknown
        }
    }
}

extension ATSOutcome {
    /// The outcome as the first word of a line.
    var headline: String {
        switch self {
        case .passed: "PASS"
        case .failed: "FAIL"
        case .unknown: "UNKNOWN"
        }
    }
}
