//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What all evaluations of one command share: read once, used for every server.
struct TrustSettings: Sendable {
    let anchors: TrustAnchors
    let date: Date?
    private let publicSuffixes: PublicSuffixList?

    /// Whether and how revocation is checked.
    var revocation = RevocationPolicy.off

    /// What fetches what is missing; `nil` fetches nothing.
    var fetching: FetchSettings?

    /// What must be on the paths to some hosts, too.
    var pins: PinsFile?

    /// The rules.
    let profile: ValidationProfile

    /// The certificates of the stores that were left out.
    let storeIssues: [TrustStoreIssue]

    /// Settings that trust some stores.
    ///
    /// - Parameters:
    ///   - stores: What is trusted.
    ///   - date: The moment to judge at; `nil` for the moment of each evaluation.
    ///   - profile: The rules.
    init(_ stores: [TrustStore], date: Date? = nil, profile: ValidationProfile = .apple) {
        var anchors = TrustAnchors.none
        for store in stores { anchors.add(store) }
        self.anchors = anchors
        self.date = date
        self.publicSuffixes = PublicSuffixFile.system()
        self.profile = profile
        self.storeIssues = stores.flatMap(\.issues)
    }

    /// Judges certificates.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - policy: What the leaf is to be trusted for.
    /// - Throws: `TrustError` when there is no certificate, `CancellationError` when the task is cancelled.
    func evaluate(_ certificates: [Certificate], for policy: TrustPolicy) async throws -> FetchedTrustResult {
        let trust = try self.trust(certificates, for: policy)
        guard let fetching else { return FetchedTrustResult(result: trust.evaluate()) }
        return try await trust.evaluate(fetching: fetching.fetcher, fetching.options)
    }

    /// Decides about a server whose host may have pins.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - host: The host.
    ///   - evaluator: What decides about it.
    /// - Throws: `TrustError` when there is no certificate, `CancellationError` when the task is cancelled.
    func decide(
        _ certificates: [Certificate], host: String, _ evaluator: ServerTrustEvaluator
    ) async throws -> ServerTrustDecision {
        let trust = try self.trust(certificates, for: .tlsServer(hostname: host))
        guard let fetching else { return evaluator.evaluate(trust, forHost: host) }
        return try await evaluator.evaluate(trust, forHost: host, fetching: fetching.fetcher, fetching.options)
    }

    private func trust(_ certificates: [Certificate], for policy: TrustPolicy) throws -> Trust {
        var trust = try Trust(certificates: certificates, policy: policy, anchors: self.anchors)
        trust.verifyDate = self.date
        trust.profile = self.profile
        trust.publicSuffixes = self.publicSuffixes
        trust.revocation = self.revocation
        return trust
    }
}
