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

/// The rules behind the verdicts about servers, and their description in reports.
///
/// Pass a basis to ``ServerDiagnoser/init(trust:configuration:)``, or evaluate single chains with ``evaluate(_:for:delivered:)``.
/// The properties of ``rules`` are properties of the basis, too.
@dynamicMemberLookup
public struct VerdictBasis: Sendable {
    /// The anchors, the rules for the evaluation of chains, and the resources that may be fetched.
    public var rules: TrustConfiguration
    /// The public roots behind the verdicts, for reports, or `nil` if they are unknown.
    public var publicTrust: PublicTrustBasis?
    /// `true` to give no verdict on a chain if only a newer list of logs can determine that its SCTs suffice. Otherwise such a
    /// chain is trusted.
    public var requiresKnownLogs = false
    /// The record of used stores, or `nil` to keep none.
    package var storeUse: TrustStoreUsage?
    let machineStore = MachineStore()

    /// Creates a basis that reports do not describe.
    ///
    /// - Parameter rules: The anchors and the rules.
    public init(_ rules: TrustConfiguration) {
        self.rules = rules
    }

    /// Creates the basis for Apple's whole verdict, without fetching.
    ///
    /// - Parameters:
    ///   - data: The roots and the logs.
    ///   - now: The present date, which determines if the data are too old.
    /// - Throws: `TrustStoreError` if the data have no root for TLS servers.
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
    /// Returns the inputs of an evaluation under these rules.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - policy: The purpose of the leaf.
    ///   - delivered: The evidence that the server delivered with its certificates.
    /// - Throws: `TrustError` if there is no certificate.
    package func trust(
        _ certificates: [Certificate], for policy: TrustPolicy, delivered: DeliveredEvidence = DeliveredEvidence()
    ) throws -> Trust {
        var trust = try Trust(certificates: certificates, policy: policy, configuration: self.rules)
        trust.unreadableEvidence = delivered.unreadable
        if let octets = delivered.ocspResponse {
            do throws(DERError) {
                trust.revocation.stapledResponses.append(try OCSPResponse(der: octets))
            } catch {
                // An unreadable response counts as one that was not stapled.
                trust.unreadableEvidence.append(TrustEvidence.Item(unreadable: .stapledResponse, at: 0, error))
            }
        }
        trust.transparency?.timestampLists += delivered.timestamps.map { [$0] } ?? []
        return trust
    }

    /// Evaluates a chain.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, the leaf first.
    ///   - policy: The purpose of the leaf.
    ///   - delivered: The evidence that the server delivered with its certificates.
    /// - Returns: The result, and the resources that were fetched for it.
    /// - Throws: `TrustError` if there is no certificate, `CancellationError` if the task is cancelled.
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

    /// Evaluates each chain of a server, with the OCSP responses and SCTs that it delivered.
    ///
    /// - Parameters:
    ///   - facts: The facts about the server.
    ///   - policy: The purpose of its certificate.
    /// - Returns: The results in the order of the chains, with `nil` for a chain that has no readable leaf.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func results(of facts: ServerFacts, for policy: TrustPolicy) async throws -> [FetchedTrustResult?] {
        var results: [FetchedTrustResult?] = []
        for chain in facts.chains { results.append(try await self.result(of: chain, for: policy)) }
        return results
    }

    /// Returns the basis with one deadline for all fetches about one server.
    ///
    /// - Parameter start: The start of the work on the server.
    package func limitingFetches(since start: ContinuousClock.Instant = .now) -> VerdictBasis {
        var limited = self
        limited.rules = self.rules.limitingFetches(since: start)
        return limited
    }

    /// Returns the result, or `nil` if it is undetermined.
    func known(_ answer: FetchedTrustResult?) -> TrustResult? {
        answer.map(\.result).flatMap { self.isOfUnknownWorth($0) ? nil : $0 }
    }

    /// Returns `true` if only a newer list of logs can determine that the chain is trusted.
    package func isOfUnknownWorth(_ result: TrustResult) -> Bool {
        self.requiresKnownLogs && result.isTrusted && result.certificateTransparency == .undetermined
    }

    /// Evaluates one chain of a server, in DER.
    private func result(of chain: ChainFact, for policy: TrustPolicy) async throws -> FetchedTrustResult? {
        // Unreadable intermediates count as not sent. Without a leaf there is nothing to evaluate.
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
        // If the key also signs, no client of today needs it for key encipherment.
        if chain.deciphersSecrets, !chain.signsHandshakes { policy.requirement.keyUsage.insert(.keyEncipherment) }
        return certificates.isEmpty ? nil : try await self.evaluate(certificates, for: policy, delivered: delivered)
    }
}

/// The evidence that a server delivers in the handshake with its certificates.
///
/// Pass it to ``VerdictBasis/evaluate(_:for:delivered:)``, so that the stapled response and the SCTs count.
public struct DeliveredEvidence: Sendable, Hashable {
    /// A stapled OCSP response in DER (RFC 6066 §8), or `nil` if there is none.
    public var ocspResponse: [UInt8]?
    /// A `SignedCertificateTimestampList` (RFC 6962 §3.3.1), or `nil` if there is none.
    public var timestamps: [UInt8]?
    /// The server's request for a client certificate, or `nil` if it made none.
    package var clientCertificateRequest: ClientCertificateRequest?
    /// `true` if the handshake could have shown a request for a client certificate.
    package var showsRequests = false
    package private(set) var unreadable: [TrustEvidence.Item] = []

    /// Records an unreadable certificate, with its position in the server's message.
    package mutating func noteUnreadable(_ error: CertificateError, at position: Int) {
        guard case .malformed(let fault) = error.code else { return }
        self.unreadable.append(TrustEvidence.Item(unreadable: .certificate, at: position, fault))
    }

    /// Creates the evidence from its parts.
    public init(ocspResponse: [UInt8]? = nil, timestamps: [UInt8]? = nil) {
        self.ocspResponse = ocspResponse
        self.timestamps = timestamps
    }
}
