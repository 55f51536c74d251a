//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server that was asked, and what is to be made of it.
struct DiagnosedServer: Sendable {
    /// The server as it was named.
    let url: String
    let endpoint: TLSEndpoint
    let diagnosis: ServerDiagnosis
    /// When it was asked.
    let date: Date
    /// The app that is asked about, and what its keys decide.
    var app: DiagnosedApp?
    /// What real connections showed; `nil` where none were made.
    var confirmations: [Confirmation]?
    /// Where loads are redirected to; `nil` where nobody asked.
    var redirects: RedirectSearch.Trace?

    /// The URL as nscurl would be given it.
    var fullURL: String { self.url.contains("://") ? self.url : "https://\(self.url)" }

    /// The URL that a page is asked for with: the one given, or the server's first page.
    var requestURL: String {
        guard !self.url.lowercased().hasPrefix("https://") else { return self.url }
        return "https://\(self.endpoint)/"
    }

    /// The answer that decides the exit code. What real connections contradict is not known.
    func verdict(by criterion: FailCriterion) -> CommandVerdict {
        if self.contradictions.isEmpty, let outcome = self.outcome(by: criterion) { return CommandVerdict(outcome) }
        return .notEvaluated
    }

    func outcome(by criterion: FailCriterion) -> ATSOutcome? {
        switch criterion {
        case .subject(let subject): self.diagnosis[subject]?.outcome
        case .row(let number): self.diagnosis.row(number)?.outcome
        }
    }

    var contradictions: [Confirmation] { (self.confirmations ?? []).filter(\.isContradiction) }

    /// What goes to standard error: why nothing could be found out, and what does not fit.
    var complaints: [String] {
        let isUnknown = self.diagnosis.verdicts.contains { $0.outcome == .unknown }
        let doubts = isUnknown ? self.diagnosis.doubts.map { "\(self.endpoint): \($0.message) \($0.remedy)" } : []
        return doubts + self.contradictions.map { "\(self.endpoint): \($0.message)" }
    }
}

/// An app whose Info.plist is held against a server.
struct DiagnosedApp: Sendable {
    let inspection: ATSInspection
    /// What its keys decide about the server.
    let explanation: ATSExplanation
}

extension CommandVerdict {
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
