//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerDiagnosis
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What all evaluations of one command share: read once, used for every server.
struct CommandTrust: Sendable {
    /// The rules by which chains are evaluated.
    var trust: VerdictBasis

    /// What must be on the paths to some hosts, too.
    var pins: PinsFile?

    /// Whether a host without pins in that file is refused.
    var requiresPins = false

    /// The files that were named, and what of the evidence is from them.
    var files: [InputFile] = []

    /// The certificates of the stores that were left out.
    let storeIssues: [TrustStoreIssue]

    /// Settings that trust some stores.
    ///
    /// - Parameters:
    ///   - stores: What is trusted.
    ///   - date: The moment to evaluate at; `nil` for the moment of each evaluation.
    ///   - profile: The rules.
    init(_ stores: [TrustStore], date: Date? = nil, profile: ValidationProfile = .apple) {
        var anchors = TrustAnchors.none
        for store in stores { anchors.add(store) }
        self.trust = VerdictBasis(TrustConfiguration(anchors: anchors))
        self.trust.verifyDate = date
        self.trust.profile = profile
        self.storeIssues = stores.flatMap(\.issues)
    }

    /// Decides about a server whose host may have pins.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - host: The host.
    ///   - policy: What the leaf is to be trusted for; `nil` for a TLS server of the host.
    ///   - evaluator: What decides about it.
    ///   - delivered: What the server delivered beside its certificates.
    /// - Throws: `TrustError` when there is no certificate, `CancellationError` when the task is cancelled.
    func decide(
        _ certificates: [Certificate], host: String, for policy: TrustPolicy? = nil, _ evaluator: ServerTrustEvaluator,
        delivered: DeliveredEvidence = DeliveredEvidence()
    ) async throws -> ServerTrustDecision {
        let trust = try self.trust.trust(certificates, for: policy ?? .tlsServer(hostname: host), delivered: delivered)
        let decision: ServerTrustDecision
        if let fetching = self.trust.rules.fetching, let options = fetching.remainingOptions {
            decision = try await evaluator.evaluate(trust, forHost: host, fetching: fetching.fetcher, options: options)
        } else {
            decision = evaluator.evaluate(trust, forHost: host)
        }
        if let result = decision.result { self.trust.storeUse?.note(result, self.trust.anchors.stores) }
        return decision
    }
}
