//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSProbe
package import TLSWire

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
    /// Public suffixes, which wildcards must not cover; by default the newer one of the machine's list and the built-in one.
    public var publicSuffixes: PublicSuffixList?
    /// Whether and how revocation is checked; by default by what is at hand, such as stapled responses.
    public var revocation: RevocationPolicy
    /// Whether and how certificate transparency is asked for; `nil` asks nothing.
    public var transparency: TransparencyRequest?
    /// The policies that mean extended validation; `nil` does not look for it.
    public var extendedValidation: ExtendedValidationProgram?
    /// Which public roots the verdicts stand on, for reports; `nil` where it is not known.
    public var publicTrust: PublicTrustBasis?
    /// Whether a chain is of unknown worth when only a newer list of logs can tell whether its timestamps suffice; otherwise
    /// it is trusted.
    public var requiresKnownLogs = false
    /// What fetches issuers and revocation, and its limits; `nil` fetches nothing.
    public var fetching: Fetching?
    /// What remembers which stores are used, where that is told; `nil` remembers nothing.
    package var storeUse: StoreUse?
    /// What this machine trusts, where that is of interest.
    let machineStore = MachineStore()

    /// A fetcher and its limits.
    public struct Fetching: Sendable {
        /// What reaches the network.
        public var fetcher: any ResourceFetcher
        /// What may be fetched, and the limits.
        public var options: FetchOptions
        /// The moment after which nothing is fetched, whatever the limits of one chain are; `nil` for none. A diagnoser sets it
        /// for each server, whose chains and evaluations are many.
        public var end: ContinuousClock.Instant?

        /// The limits as far as there is time; `nil` when it is over.
        package var remainingOptions: FetchOptions? {
            guard let end else { return self.options }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return nil }
            var options = self.options
            options.deadline = min(options.deadline, left)
            options.timeout = min(options.timeout, left)
            return options
        }

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

    /// Rules with Apple's profile, for now, with revocation as far as servers staple it, and without
    /// fetching.
    ///
    /// - Parameter anchors: What is trusted.
    public init(anchors: TrustAnchors) {
        self.anchors = anchors
        self.profile = .apple
        self.publicSuffixes = PublicSuffixFile.system()
        self.revocation = .atHand
    }

    /// Rules with Apple's profile and Apple's public trust, for now, with revocation as far as servers staple it, and
    /// without fetching.
    ///
    /// - Parameters:
    ///   - data: The roots and the logs.
    ///   - now: The present, which the data are too old for or not.
    /// - Throws: `TrustStoreError` when the data have no root for TLS servers.
    public init(_ data: AppleTrustData = .builtIn, now: Date = Date()) throws(TrustStoreError) {
        self.init(anchors: .store(try .apple(data)))
        self.transparency = data.transparency(at: now)
        self.extendedValidation = data.extendedValidation
        self.publicTrust = PublicTrustBasis(data, now: now)
    }
}

extension TrustConfiguration {
    /// A question of trust under these rules.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - policy: What the leaf is to be trusted for.
    ///   - delivered: What the server delivered beside its certificates.
    /// - Throws: `TrustError` when there is no certificate.
    package func trust(
        _ certificates: [Certificate], for policy: TrustPolicy, delivered: DeliveredEvidence = DeliveredEvidence()
    ) throws -> Trust {
        var trust = try Trust(certificates: certificates, policy: policy, anchors: self.anchors)
        trust.verifyDate = self.verifyDate
        trust.profile = self.profile
        trust.publicSuffixes = self.publicSuffixes
        trust.revocation = self.revocation
        trust.extendedValidation = self.extendedValidation
        trust.unreadableEvidence = delivered.unreadable
        if let octets = delivered.ocspResponse {
            do throws(DERError) {
                trust.revocation.stapledResponses.append(try OCSPResponse(der: octets))
            } catch {
                // A response that cannot be read says nothing, as one that was not stapled.
                trust.unreadableEvidence.append(TrustEvidence.Item(unreadable: .stapledResponse, at: 0, error))
            }
        }
        trust.transparency = self.transparency
        trust.transparency?.timestampLists += delivered.timestamps.map { [$0] } ?? []
        return trust
    }

    /// Evaluates certificates.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - policy: What the leaf is to be trusted for.
    ///   - delivered: What the server delivered beside its certificates.
    /// - Returns: The result, and what was fetched for it.
    /// - Throws: `TrustError` when there is no certificate, `CancellationError` when the task is cancelled.
    public func evaluate(
        _ certificates: [Certificate], for policy: TrustPolicy, delivered: DeliveredEvidence = DeliveredEvidence()
    ) async throws -> FetchedTrustResult {
        let trust = try self.trust(certificates, for: policy, delivered: delivered)
        let answer: FetchedTrustResult
        if let fetching, let options = fetching.remainingOptions {
            answer = try await trust.evaluate(fetching: fetching.fetcher, options)
        } else {
            answer = FetchedTrustResult(result: trust.evaluate())
        }
        self.storeUse?.note(answer.result, self.anchors.stores)
        return answer
    }

    /// Evaluates each chain of a server, with the responses and timestamps that it delivered.
    ///
    /// - Parameters:
    ///   - facts: What was found out about the server.
    ///   - policy: What its certificate is to be trusted for.
    /// - Returns: The results in the order of the chains; `nil` for a chain whose leaf cannot be read.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func results(of facts: ServerFacts, for policy: TrustPolicy) async throws -> [FetchedTrustResult?] {
        var results: [FetchedTrustResult?] = []
        for chain in facts.chains { results.append(try await self.result(of: chain, for: policy)) }
        return results
    }

    /// The same, with one deadline for all that is fetched about one server: a hostile one shows many chains, each of which
    /// names other places.
    ///
    /// - Parameter start: When the server was begun with.
    package func limitingFetches(since start: ContinuousClock.Instant = .now) -> TrustConfiguration {
        var limited = self
        if let deadline = self.fetching?.options.deadline { limited.fetching?.end = start + deadline }
        return limited
    }

    /// A result that counts: `nil` where it is not known what the chain is worth.
    func known(_ answer: FetchedTrustResult?) -> TrustResult? {
        answer.map(\.result).flatMap { self.isOfUnknownWorth($0) ? nil : $0 }
    }

    /// Whether a newer list of logs has to be asked before the chain counts as trusted.
    package func isOfUnknownWorth(_ result: TrustResult) -> Bool {
        self.requiresKnownLogs && result.isTrusted && result.certificateTransparency == .undetermined
    }

    /// Evaluates what a server sent, in DER.
    private func result(of chain: ChainFact, for policy: TrustPolicy) async throws -> FetchedTrustResult? {
        // Intermediates that cannot be read are as good as not sent; without the leaf there is nothing to evaluate.
        var certificates: [Certificate] = []
        var delivered = DeliveredEvidence(ocspResponse: chain.ocspResponse, timestamps: chain.timestamps)
        for (position, octets) in chain.certificates.enumerated() {
            do {
                certificates.append(try Certificate(der: octets))
            } catch {
                guard position > 0 else { return nil }
                delivered.noteUnreadable(error, at: position)
            }
        }
        var policy = policy
        if chain.signsHandshakes { policy.requirement.keyUsage.insert(.digitalSignature) }
        return certificates.isEmpty ? nil : try await self.evaluate(certificates, for: policy, delivered: delivered)
    }
}

/// What a server delivers beside its certificates.
public struct DeliveredEvidence: Sendable, Hashable {
    /// A stapled OCSP response in DER (RFC 6066 §8); `nil` without one.
    public var ocspResponse: [UInt8]?
    /// A `SignedCertificateTimestampList` (RFC 6962 §3.3.1); `nil` without one.
    public var timestamps: [UInt8]?
    /// What it asks for of a client certificate; `nil` where it asks for none.
    package var clientCertificateRequest: ClientCertificateRequest?
    /// Whether it was seen whether it asks for one.
    package var showsRequests = false
    /// What it delivers that cannot be read.
    package private(set) var unreadable: [TrustEvidence.Item] = []

    /// A certificate that cannot be read, at its place among those that were sent.
    package mutating func noteUnreadable(_ error: CertificateError, at position: Int) {
        guard case .malformed(let fault) = error.code else { return }
        self.unreadable.append(TrustEvidence.Item(unreadable: .certificate, at: position, fault))
    }

    /// What a server delivers.
    public init(ocspResponse: [UInt8]? = nil, timestamps: [UInt8]? = nil) {
        (self.ocspResponse, self.timestamps) = (ocspResponse, timestamps)
    }
}
