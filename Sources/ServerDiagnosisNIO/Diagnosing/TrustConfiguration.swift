//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSProbe

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The rules by which the chains of servers are evaluated: anchors, moment, profile, revocation, and what may be fetched.
public struct TrustConfiguration: Sendable {
    /// What is trusted.
    public var anchors: TrustAnchors
    /// The moment to evaluate at; `nil` for the moment of each evaluation.
    public var verifyDate: Date?
    /// The rules.
    public var profile: ValidationProfile
    /// Public suffixes, which wildcards must not cover; by default the list that is installed on this system.
    public var publicSuffixes: PublicSuffixList?
    /// Whether and how revocation is checked; by default it is not.
    public var revocation: RevocationPolicy
    /// Whether and how certificate transparency is asked for; `nil` asks nothing.
    public var transparency: TransparencyRequest?
    /// What fetches issuers and revocation, and its limits; `nil` fetches nothing.
    public var fetching: Fetching?

    /// A fetcher and its limits.
    public struct Fetching: Sendable {
        /// What reaches the network.
        public var fetcher: any ResourceFetcher
        /// What may be fetched, and the limits.
        public var options: FetchOptions

        /// Fetching within limits.
        ///
        /// - Parameters:
        ///   - fetcher: What reaches the network.
        ///   - options: What may be fetched, and the limits.
        public init(fetcher: any ResourceFetcher, options: FetchOptions) {
            self.fetcher = fetcher
            self.options = options
        }
    }

    /// Rules with Apple's profile, for now, without revocation and without fetching.
    ///
    /// - Parameter anchors: What is trusted.
    public init(anchors: TrustAnchors) {
        self.anchors = anchors
        self.profile = .apple
        self.publicSuffixes = PublicSuffixFile.system()
        self.revocation = .off
    }
}

extension TrustConfiguration {
    /// A question of trust under these rules.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - policy: What the leaf is to be trusted for.
    /// - Throws: `TrustError` when there is no certificate.
    package func trust(_ certificates: [Certificate], for policy: TrustPolicy) throws -> Trust {
        var trust = try Trust(certificates: certificates, policy: policy, anchors: self.anchors)
        trust.verifyDate = self.verifyDate
        trust.profile = self.profile
        trust.publicSuffixes = self.publicSuffixes
        trust.revocation = self.revocation
        trust.transparency = self.transparency
        return trust
    }

    /// Evaluates certificates.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - policy: What the leaf is to be trusted for.
    /// - Returns: The result, and what was fetched for it.
    /// - Throws: `TrustError` when there is no certificate, `CancellationError` when the task is cancelled.
    public func evaluate(_ certificates: [Certificate], for policy: TrustPolicy) async throws -> FetchedTrustResult {
        let trust = try self.trust(certificates, for: policy)
        guard let fetching else { return FetchedTrustResult(result: trust.evaluate()) }
        return try await trust.evaluate(fetching: fetching.fetcher, fetching.options)
    }

    /// Evaluates each chain of a server.
    ///
    /// - Parameters:
    ///   - facts: What was found out about the server.
    ///   - policy: What its certificate is to be trusted for.
    /// - Returns: The results in the order of the chains; `nil` for a chain whose leaf cannot be read.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func results(of facts: ServerFacts, for policy: TrustPolicy) async throws -> [TrustResult?] {
        var results: [TrustResult?] = []
        for chain in facts.chains { results.append(try await self.result(of: chain.certificates, for: policy)) }
        return results
    }

    /// Evaluates what a server sent, in DER.
    private func result(of certificates: [[UInt8]], for policy: TrustPolicy) async throws -> TrustResult? {
        // Intermediates that cannot be read are as good as not sent; without the leaf there is nothing to evaluate.
        let certificates = certificates.map { try? Certificate(der: $0) }
        guard certificates.first.flatMap(\.self) != nil else { return nil }
        return try await self.evaluate(certificates.compactMap(\.self), for: policy).result
    }
}
