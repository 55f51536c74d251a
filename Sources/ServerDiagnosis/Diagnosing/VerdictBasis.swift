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

/// The rules that verdicts about servers stand on, and what reports tell of them.
///
/// The properties of ``rules`` are properties of the basis, too.
@dynamicMemberLookup
public struct VerdictBasis: Sendable {
    /// What is trusted, the rules that chains are evaluated by, and what may be fetched.
    public var rules: TrustConfiguration
    /// Which public roots the verdicts stand on, for reports; `nil` where it is not known.
    public var publicTrust: PublicTrustBasis?
    /// Whether a chain is of unknown worth when only a newer list of logs can tell whether its timestamps suffice; otherwise
    /// it is trusted.
    public var requiresKnownLogs = false
    /// What remembers which stores are used, where that is told; `nil` remembers nothing.
    package var storeUse: TrustStoreUsage?
    /// What this machine trusts, where that is of interest.
    let machineStore = MachineStore()

    /// A basis of which reports tell nothing.
    ///
    /// - Parameter rules: What is trusted, and the rules.
    public init(_ rules: TrustConfiguration) {
        self.rules = rules
    }

    /// Apple's whole verdict, without fetching.
    ///
    /// - Parameters:
    ///   - data: The roots and the logs.
    ///   - now: The present, which the data are too old for or not.
    /// - Throws: `TrustStoreError` when the data have no root for TLS servers.
    public init(_ data: AppleTrustData = .builtIn, now: Date = Date()) throws(TrustStoreError) {
        self.init(try .apple(data, now: now))
        self.publicTrust = PublicTrustBasis(data, now: now)
    }

    /// A property of ``rules``.
    public subscript<Value>(dynamicMember property: WritableKeyPath<TrustConfiguration, Value>) -> Value {
        get { self.rules[keyPath: property] }
        set { self.rules[keyPath: property] = newValue }
    }
}

extension VerdictBasis {
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
        var trust = try Trust(certificates: certificates, policy: policy, configuration: self.rules)
        trust.unreadableEvidence = delivered.unreadable
        if let octets = delivered.ocspResponse {
            do throws(DERError) {
                trust.revocation.stapledResponses.append(try OCSPResponse(der: octets))
            } catch {
                // A response that cannot be read says nothing, as one that was not stapled.
                trust.unreadableEvidence.append(TrustEvidence.Item(unreadable: .stapledResponse, at: 0, error))
            }
        }
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
        if let fetching = self.rules.fetching, let options = fetching.remainingOptions {
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

    /// The same, with one deadline for all that is fetched about one server.
    ///
    /// - Parameter start: When the server was begun with.
    package func limitingFetches(since start: ContinuousClock.Instant = .now) -> VerdictBasis {
        var limited = self
        limited.rules = self.rules.limitingFetches(since: start)
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
        // Where the key signs too, no client of today needs the other way.
        if chain.deciphersSecrets, !chain.signsHandshakes { policy.requirement.keyUsage.insert(.keyEncipherment) }
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
        self.ocspResponse = ocspResponse
        self.timestamps = timestamps
    }
}
