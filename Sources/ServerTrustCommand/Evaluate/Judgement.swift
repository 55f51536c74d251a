//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// A chain that was judged: what was asked, and the answer.
struct Judgement: Sendable {
    let purpose: Purpose
    /// The name of the rules.
    let profile: String
    /// Whether revocation was checked, by the name of the mode.
    let revocation: String
    let result: TrustResult
    /// What was fetched for it.
    let fetches: [FetchRecord]
    /// What is known of the revocation of the path's certificates, where something could be fetched.
    let statuses: [RevocationStatus]

    /// Judges certificates, the leaf first.
    ///
    /// - Throws: `TrustError` when there is no certificate, `CancellationError` when the task is cancelled.
    init(_ certificates: [Certificate], for purpose: Purpose, by settings: TrustSettings) async throws {
        self.purpose = purpose
        self.profile = settings.profile.name
        self.revocation = settings.revocation.mode.rawValue
        let answer = try await settings.evaluate(certificates, for: purpose.policy)
        (self.result, self.fetches, self.statuses) = (answer.result, answer.fetches, answer.revocation)
    }

    /// Only the engine's yes is a yes.
    var verdict: CommandVerdict { self.result.isTrusted ? .trusted : .notTrusted }
}
