//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Trust {
    /// Evaluates the chain and fetches missing data as far as the options and policies allow: first issuers that the server did not
    /// send, then OCSP responses and revocation lists for a path without other failures.
    ///
    /// The first evaluation uses only the available data. Fetched data add candidates for the path and answers about revocation,
    /// and are verified like all other data. After a failed fetch the status stays unknown, which soft revocation accepts and hard
    /// revocation refuses. A policy with ``RevocationOptions/networkAccessDisabled`` forbids every fetch.
    ///
    /// - Parameters:
    ///   - fetcher: The client that reaches the network.
    ///   - options: The kinds of data that may be fetched, and the limits.
    /// - Returns: The verdict, and a record of every fetch.
    /// - Throws: `CancellationError` if the task is cancelled, as a partial evaluation has no verdict.
    public func evaluate(
        fetching fetcher: some ResourceFetcher, _ options: FetchOptions = FetchOptions()
    ) async throws(CancellationError) -> FetchedTrustResult {
        var evaluation = FetchingEvaluation(self, FetchSession(fetcher, options))
        let result = await evaluation.run()
        guard !Task.isCancelled else { throw CancellationError() }
        return result
    }

    var forbidsNetwork: Bool {
        self.policies.contains { $0.revocationOptions?.contains(.networkAccessDisabled) == true }
    }

    /// The revocation policies in force. Missing evidence is fetched for them.
    var revocationPolicies: [RevocationPolicy] {
        let isAskedFor = self.revocation.mode != .off && self.revocation.fetchesWhatIsMissing
        let own = isAskedFor ? [self.revocation] : []
        return own + self.policies.compactMap { $0.revocationOptions?.policy(with: self.revocation) }
    }
}

extension TrustResult {
    /// Returns `true` if data that may be fetched could change the verdict.
    package func mayChange(by fetching: TrustConfiguration.Fetching?) -> Bool {
        guard let options = fetching?.remainingOptions, let trust, !trust.forbidsNetwork else { return false }
        if options.fetchesIssuers, !self.certificatesWithoutIssuer.isEmpty { return true }
        return options.fetchesRevocation && !trust.revocationPolicies.isEmpty && self.isOtherwiseInOrder
    }
}

/// One evaluation that may fetch, step by step.
struct FetchingEvaluation {
    var trust: Trust
    let session: FetchSession
    /// The date of the evaluation, the same for every step.
    let date: Date

    /// More certificates than lead from any leaf to any root.
    private static let maximumIssuers = 64

    init(_ trust: Trust, _ session: FetchSession) {
        self.date = trust.verifyDate ?? Date()
        self.trust = trust
        self.trust.verifyDate = self.date
        self.session = session
    }

    mutating func run() async -> FetchedTrustResult {
        var result = self.trust.evaluate()
        if !self.trust.forbidsNetwork {
            if self.session.options.fetchesIssuers { await self.completePath(&result) }
            if self.session.options.fetchesRevocation { await self.completeRevocation(&result) }
        }
        return FetchedTrustResult(
            result: result, fetches: self.session.records, revocation: self.worstStatuses(of: result))
    }

    // MARK: Issuers

    private mutating func completePath(_ result: inout TrustResult) async {
        var asked: Set<[UInt8]> = []
        while let top = result.certificatesWithoutIssuer.first(where: { !asked.contains($0.sha256Fingerprint) }) {
            asked.insert(top.sha256Fingerprint)
            let answer = await IssuerSearch(certificate: top, session: self.session).run()
            let known = self.trust.certificates + self.trust.fetchedCertificates
            let new = answer.certificates.filter { !known.contains($0) }
            let room = Self.maximumIssuers - self.trust.fetchedCertificates.count
            guard !new.isEmpty, room > 0 else { return }
            self.trust.fetchedCertificates += new.prefix(room)
            result = self.trust.evaluate()
            if result.path.contains(where: new.contains) { answer.remember() }
        }
    }

    // MARK: Revocation

    private mutating func completeRevocation(_ result: inout TrustResult) async {
        var attempted: Set<RevocationNeed> = []
        while result.isOtherwiseInOrder, !Task.isCancelled {
            let needs = self.needs(of: result).filter { !attempted.contains($0) }
            guard !needs.isEmpty else { return }
            attempted.formUnion(needs)
            let search = RevocationSearch(
                verdict: result.verdict, validator: self.trust.validator(at: self.date),
                intermediates: self.trust.intermediates, session: self.session,
                requiresNonce: self.trust.revocation.requiresNonce, ageLimits: self.trust.revocation.ageLimits)
            for found in await search.run(needs) {
                self.trust.revocation.requestedResponses += found.responses
                self.trust.revocation.lists += found.lists
                self.trust.fetchedRevocationCounts.lists += found.lists.count
                self.trust.fetchedRevocationCounts.responses += found.responses.count
            }
            result = self.trust.evaluate()
        }
    }

    /// Returns the unknown statuses to look up, each with every method of its policy, the preferred one first.
    private func needs(of result: TrustResult) -> [RevocationNeed] {
        var needs: [RevocationNeed] = []
        for policy in self.trust.revocationPolicies {
            for (index, status) in self.statuses(of: result, policy).enumerated() {
                guard case .unknown = status, index + 1 < result.path.count else { continue }
                let order: [RevocationMethods] = policy.prefersLists ? [.lists, .ocsp] : [.ocsp, .lists]
                let need = RevocationNeed(
                    index: index, certificate: result.path[index], issuer: result.path[index + 1],
                    methods: order.filter(policy.methods.contains))
                if !needs.contains(need) { needs.append(need) }
            }
        }
        return needs
    }

    private func statuses(of result: TrustResult, _ policy: RevocationPolicy) -> [RevocationStatus] {
        guard let verdict = result.verdict else { return [] }
        return self.trust.validator(at: self.date)
            .revocationStatuses(of: verdict, under: policy, intermediates: self.trust.intermediates)
    }

    private func worstStatuses(of result: TrustResult) -> [RevocationStatus] {
        let all = self.trust.revocationPolicies.map { self.statuses(of: result, $0) }
        guard let first = all.first else { return [] }
        return first.indices.map { index in
            let statuses = all.filter { $0.indices.contains(index) }.map { $0[index] }
            return statuses.max { $0.severity < $1.severity } ?? first[index]
        }
    }
}

extension RevocationStatus {
    /// The order of severity: good, unknown, revoked.
    fileprivate var severity: Int {
        switch self {
        case .good: 0
        case .unknown: 1
        case .revoked: 2
        }
    }
}

extension TrustResult {
    /// The certificates of the path without a matching issuer, the lowest first. Either the path ends because no issuer of that
    /// name is known, or the issuer on the path has another key than the one that signed. Another issuer of the same name may be
    /// published.
    fileprivate var certificatesWithoutIssuer: [Certificate] {
        self.path.enumerated().filter { index, _ in
            self.allReasons.contains { reason in
                guard reason.certificateIndex == index else { return false }
                return switch reason.reason {
                case .unknownIssuer: self.anchorClass == nil && index == self.path.count - 1
                case .badSignature, .keyIdentifierMismatch: true
                default: false
                }
            }
        }.map(\.element)
    }

    /// `true` if the path is anchored and no failure stands except an unknown revocation status.
    fileprivate var isOtherwiseInOrder: Bool {
        guard self.anchorClass != nil else { return false }
        return (self.failure?.reasons ?? []).allSatisfy { reason in
            if case .revocationStatusUnknown = reason.reason { return true }
            return false
        }
    }
}
