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

    /// Judges certificates, the leaf first.
    ///
    /// - Throws: `TrustError` when there is no certificate.
    init(_ certificates: [Certificate], for purpose: Purpose, by settings: TrustSettings) throws {
        self.purpose = purpose
        self.profile = settings.profile.name
        self.revocation = settings.revocation.mode.rawValue
        self.result = try settings.evaluate(certificates, for: purpose.policy)
    }

    /// Only the engine's yes is a yes.
    var verdict: CommandVerdict { self.result.isTrusted ? .trusted : .notTrusted }
}
