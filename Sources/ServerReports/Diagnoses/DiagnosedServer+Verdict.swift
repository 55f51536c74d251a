//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis

extension DiagnosedServer {
    /// The answer that decides the exit code. What real connections contradict is not known.
    func verdict(by criterion: FailCriterion) -> ReportVerdict {
        let verdicts = self.reached.map { $0.ownVerdict(by: criterion) }
        // What fails at one address is not less known because another one gave no answer.
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

    /// What goes to standard error: why nothing could be found out, and what does not fit.
    package var complaints: [String] {
        let isUnknown = self.verdicts.contains { $0.outcome == .unknown }
        let doubts = isUnknown ? self.diagnosis.doubts.map { "\(self.endpoint): \($0.message) \($0.remedy)" } : []
        return doubts + self.contradictions.map { "\(self.endpoint): \($0.message)" }
    }
}

extension Confirmation {
    /// What came of it, in one sentence.
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
    /// The exit code of an answer.
    init(_ outcome: ATSOutcome) {
        self =
            switch outcome {
            case .passed: .trusted
            case .failed: .notTrusted
            case .unknown: .notEvaluated
            }
    }

    /// The answer in JSON, where the question is not about trust.
    var outcome: ATSOutcome {
        switch self {
        case .trusted: .passed
        case .notTrusted: .failed
        case .notEvaluated: .unknown
        }
    }
}

extension ATSOutcome {
    /// The answer as the first word of a line.
    var headline: String {
        switch self {
        case .passed: "PASS"
        case .failed: "FAIL"
        case .unknown: "UNKNOWN"
        }
    }
}
