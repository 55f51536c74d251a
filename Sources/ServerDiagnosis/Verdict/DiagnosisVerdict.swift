//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity

/// The verdict on one question about a server: passed, failed with the reasons, or unknown with the missing facts.
///
/// ``ServerDiagnosis/verdicts`` has one for each question.
public struct DiagnosisVerdict: Sendable {
    /// The questions about a server.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        /// Does App Transport Security let an app without exceptions connect?
        case ats
        /// Does the server meet NIAP's package FCP_v2.1, which device management requires from version 27 on?
        case fcp
        /// Is the chain trusted, apart from App Transport Security?
        case trust
        /// Does App Transport Security let the app of an Info.plist connect?
        case plist
    }

    /// The question.
    public let subject: Subject
    /// The verdict on the facts, with its requirements.
    public let verdict: ATSVerdict

    /// The outcome.
    public var outcome: ATSOutcome { self.verdict.outcome }
    package var isRefusal: Bool { self.outcome == .failed }
    /// The violations, in the order in which Apple's systems would encounter them. For an unknown outcome they are the missing
    /// facts.
    public var violations: [ATSViolation] { self.verdict.violations }
}

extension DiagnosisVerdict.Subject {
    /// The question in a few words.
    public var title: String {
        switch self {
        case .ats: "App Transport Security"
        case .fcp: "FCP_v2.1"
        case .trust: "Trust"
        case .plist: "This app"
        }
    }

    /// The question in one sentence.
    public var question: String {
        switch self {
        case .ats: "Does App Transport Security let an app without exceptions connect?"
        case .fcp: "Does the server meet FCP_v2.1, which device management demands from version 27 on?"
        case .trust: "Is the chain trusted?"
        case .plist: "Does App Transport Security let the app of this Info.plist connect?"
        }
    }
}
