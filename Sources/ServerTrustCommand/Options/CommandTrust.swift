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

/// The settings that all evaluations of one command share. They are read once.
struct CommandTrust: Sendable {
    var trust: VerdictBasis

    /// The pins that paths to some hosts must also match.
    var pins: PinsFile?

    /// The hosts without pins in the file that are refused.
    var refusedUnpinned = RefusedUnpinnedHosts.none

    /// The hosts without pins that are refused.
    enum RefusedUnpinnedHosts: Sendable {
        case none
        /// Hosts that the file does not name.
        case unnamed
        /// All of them, including hosts that the file names without pins.
        case all
    }

    /// The named files with the parts of the evidence that they contain.
    var files: [InputFile] = []

    /// The certificates that were left out of the stores.
    let storeIssues: [TrustStoreIssue]

    /// Creates settings with some trust stores.
    ///
    /// - Parameters:
    ///   - stores: The trusted stores.
    ///   - date: The date of the evaluation, or `nil` for the current date of each evaluation.
    ///   - profile: The rules.
    init(_ stores: [TrustStore], date: Date? = nil, profile: ValidationProfile = .apple) {
        var anchors = TrustAnchors.none
        for store in stores { anchors.add(store) }
        self.trust = VerdictBasis(TrustConfiguration(anchors: anchors))
        self.trust.verifyDate = date
        self.trust.profile = profile
        self.storeIssues = stores.flatMap(\.issues)
    }

    /// Evaluates a server and the pins of its host.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - host: The host.
    ///   - policy: The policy for the leaf, or `nil` for a TLS server of the host.
    ///   - evaluator: The evaluator of the host.
    ///   - delivered: The evidence that the server delivered together with its certificates.
    /// - Throws: `TrustError` if there is no certificate, `CancellationError` if the task is cancelled.
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
