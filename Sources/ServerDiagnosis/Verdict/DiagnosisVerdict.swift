//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity

/// The answer to one question about a server: passed, failed with the reasons, or unknown with what is missing.
public struct DiagnosisVerdict: Sendable {
    /// What was asked.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        /// Whether App Transport Security lets an app without exceptions through.
        case ats
        /// Whether a load under NIAP's package FCP_v2.1 gets through, as device management demands it from version 27 on.
        case fcp
        /// Whether the chain is trusted, whatever App Transport Security says.
        case trust
        /// Whether the app of an Info.plist gets through.
        case plist
    }

    /// What was asked.
    public let subject: Subject
    /// What was held against the facts, and what came of it.
    public let verdict: ATSVerdict

    /// The answer.
    public var outcome: ATSOutcome { self.verdict.outcome }
    /// Whether the answer is no.
    package var isRefusal: Bool { self.outcome == .failed }
    /// What speaks against the server, the first that Apple's systems would stumble over first. Of an unknown outcome these
    /// are the facts that are missing.
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
