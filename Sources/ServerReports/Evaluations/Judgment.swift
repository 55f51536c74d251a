//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import ServerDiagnosis
package import ServerTrust

/// The evaluation of a chain: its purpose, its rules and the result.
package struct Judgment: Sendable {
    let purpose: Purpose
    /// The name of the rules.
    let profile: String
    /// The name of the revocation mode.
    let revocation: String
    package let result: TrustResult
    let fetches: [FetchRecord]
    /// The revocation status of each certificate of the path, if fetching was permitted.
    let statuses: [RevocationStatus]
    /// The result of pinning, or `nil` without a file of pins.
    package let pinning: PinJudgment?
    /// The public roots that the result depends on, or `nil` if they are not known.
    let publicTrust: PublicTrustBasis?
    /// Notes that do not affect the verdict.
    package var notes: [TrustNote]
    /// The use of everything that the caller supplied.
    let evidence: TrustEvidence
    /// The use of each named file.
    package let givenFiles: [InputFile.Told]
    /// `true` if only a newer list of logs can decide the evaluation.
    private let isOfUnknownWorth: Bool

    /// Creates a judgment from the result of an evaluation.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the chain.
    ///   - trust: The rules of the evaluation.
    ///   - answer: The result of the evaluation.
    ///   - pinning: The result of pinning, or `nil` without a file of pins.
    ///   - files: The files named for the evaluation.
    package init(
        _ purpose: Purpose, by trust: VerdictBasis, answer: FetchedTrustResult, pinning: PinJudgment? = nil,
        files: [InputFile] = []
    ) {
        self.purpose = purpose
        self.profile = trust.profile.name
        self.revocation = trust.revocation.mode.rawValue
        self.result = answer.result
        self.fetches = answer.fetches
        self.statuses = answer.revocation
        self.pinning = pinning
        self.publicTrust = trust.publicTrust
        self.notes = trust.notes(on: answer)
        self.evidence = answer.result.evidence
        self.givenFiles = files.map { $0.told(by: answer.result.evidence) } + (pinning.map { [$0.told] } ?? [])
        self.isOfUnknownWorth = trust.isOfUnknownWorth(answer.result)
    }

    /// `true` if timestamps from the handshake may change the result.
    package var lacksTimestamps: Bool {
        [.missing, .undetermined].contains(self.result.certificateTransparency)
    }

    /// The verdict is positive only if the evaluation trusts the chain and the pins permit it.
    package var verdict: ReportVerdict {
        guard self.pinning?.isTrusted ?? true, self.result.isTrusted else { return .notTrusted }
        return self.isOfUnknownWorth ? .notEvaluated : .trusted
    }
}
