//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import PinningDialects
import ServerDiagnosisNIO
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
    /// What came of the pins, where there is a file of them.
    let pinning: PinJudgement?
    private let isTrusted: Bool

    /// Judges certificates, the leaf first.
    ///
    /// - Parameters:
    ///   - certificates: The certificates.
    ///   - purpose: What they are judged for.
    ///   - port: The port of the server, which pins may be for; `nil` when there is none.
    ///   - settings: What is trusted, and what else must hold.
    /// - Throws: `TrustError` when there is no certificate, `CancellationError` when the task is cancelled.
    init(
        _ certificates: [Certificate], for purpose: Purpose, port: Int? = nil, by settings: TrustSettings
    ) async throws {
        self.purpose = purpose
        self.profile = settings.trust.profile.name
        self.revocation = settings.trust.revocation.mode.rawValue
        let answer: FetchedTrustResult
        if let pins = settings.pins, let host = purpose.host {
            let domain = try pins.domain(forHost: host, port: port)
            let decision = try await settings.decide(certificates, host: host, domain?.evaluator ?? .default)
            guard let result = decision.result else { throw TrustError.noCertificates }
            answer = decision.fetched ?? FetchedTrustResult(result: result)
            (self.isTrusted, self.pinning) = (decision.isTrusted, PinJudgement(pins, domain, decision))
        } else {
            answer = try await settings.trust.evaluate(certificates, for: purpose.policy)
            (self.isTrusted, self.pinning) = (answer.result.isTrusted, nil)
        }
        (self.result, self.fetches, self.statuses) = (answer.result, answer.fetches, answer.revocation)
    }

    /// Only the engine's yes is a yes, and with pins theirs too.
    var verdict: CommandVerdict { self.isTrusted && self.result.isTrusted ? .trusted : .notTrusted }
}
