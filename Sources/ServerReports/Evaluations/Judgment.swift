//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import ServerDiagnosis
package import ServerTrust

/// A chain that was judged: what was asked, and the answer.
package struct Judgment: Sendable {
    let purpose: Purpose
    /// The name of the rules.
    let profile: String
    /// Whether revocation was checked, by the name of the mode.
    let revocation: String
    package let result: TrustResult
    /// What was fetched for it.
    let fetches: [FetchRecord]
    /// What is known of the revocation of the path's certificates, where something could be fetched.
    let statuses: [RevocationStatus]
    /// What came of the pins, where there is a file of them.
    package let pinning: PinJudgment?
    /// Which public roots the answer stands on; `nil` where it is not known.
    let publicTrust: PublicTrustBasis?
    /// What is to be known besides the answer.
    package var notes: [TrustNote]
    /// What became of everything that was given for it.
    let evidence: TrustEvidence
    /// What became of each file that was named.
    package let givenFiles: [InputFile.Told]
    /// Whether only a newer list of logs can tell whether the chain is trusted.
    private let isOfUnknownWorth: Bool

    /// An answer that is known.
    ///
    /// - Parameters:
    ///   - purpose: What the chain was judged for.
    ///   - trust: The rules that it was judged by.
    ///   - answer: The engine's answer.
    ///   - pinning: What came of the pins, where there is a file of them.
    ///   - files: The files that were named for it.
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

    /// Whether timestamps from the handshake may change the answer.
    package var lacksTimestamps: Bool {
        [.missing, .undetermined].contains(self.result.certificateTransparency)
    }

    /// Only the engine's yes is a yes, and with pins theirs too.
    package var verdict: ReportVerdict {
        guard self.pinning?.isTrusted ?? true, self.result.isTrusted else { return .notTrusted }
        return self.isOfUnknownWorth ? .notEvaluated : .trusted
    }
}
