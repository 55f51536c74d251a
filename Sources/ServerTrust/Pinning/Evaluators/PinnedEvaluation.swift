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

/// An evaluation with its pins, and the decision that follows from the result. All pins are enforced here.
struct PinnedEvaluation: Sendable {
    /// The host in the text of the decision. The policies determine the checked name.
    let host: String?
    /// The trust for the engine, with the pins that the engine must find.
    private var trust: Trust
    private var pins: PinSet?
    private var pinState = PinState.none
    /// The checks that may fail.
    private var lifted: Set<TrustCheck> = []

    /// The treatment of the pins at the date of the evaluation.
    private enum PinState: Equatable {
        /// No pins.
        case none
        /// Paths without a pin are refused, or accepted and reported.
        case enforced, reported
        /// The pins are also the anchors, so a path without a pin reaches no anchor.
        case anchors
        /// The pins have expired and are not checked.
        case ended(PinExpiration)
    }

    /// Creates an evaluation of a server.
    ///
    /// - Parameters:
    ///   - trust: The received certificates with the configuration. Only its revocation policies are kept.
    ///   - host: The host.
    ///   - validatesHost: `true` if the certificate must match the host.
    ///   - purpose: The purpose that selects the rules: those for TLS servers, for TLS clients, or for any certificate.
    init(
        _ trust: Trust, host: String?, validatesHost: Bool = true,
        purpose: PurposeRequirement.Purpose = .server
    ) {
        self.host = host
        self.trust = trust
        var policy = TrustPolicy.tlsServer(hostname: validatesHost ? host : nil)
        policy.requirement.purpose = purpose
        self.trust.policies = [policy] + trust.policies.filter { $0.revocationOptions != nil }
        // A fixed date for certificates and pins, however long the evaluation takes.
        self.trust.verifyDate = trust.verifyDate ?? Date()
    }

    mutating func add(_ policy: TrustPolicy) {
        self.trust.policies.append(policy)
    }

    /// Requires a path that matches the pins.
    ///
    /// - Parameters:
    ///   - pins: The expected pins.
    ///   - requirements: The engine's form of the pins, for evaluators that computed it once.
    mutating func require(_ pins: PinSet, _ requirements: [PinRequirement]? = nil) {
        self.pins = pins
        self.pinState = pins.isReportOnly ? .reported : .enforced
        if let expiration = pins.expiration, let date = self.trust.verifyDate, date >= expiration.date {
            self.pinState = expiration.consequence == .report ? .reported : .ended(expiration)
        }
        if case .ended = self.pinState { return }
        self.trust.policies[0].requirement.pins += requirements ?? pins.pathRequirements
    }

    /// Trusts the given certificates as the only anchors.
    ///
    /// - Parameters:
    ///   - certificates: The certificates to trust.
    ///   - pins: The pins of these certificates, for explanations.
    ///   - lifted: The checks that may fail.
    mutating func trustOnly(
        _ certificates: some Sequence<Certificate>, pinnedBy pins: PinSet, lifting lifted: Set<TrustCheck> = []
    ) {
        self.trust.anchors = self.trust.anchors.replaced(by: certificates)
        self.pins = pins
        self.pinState = .anchors
        self.lifted = lifted
    }
}

extension PinnedEvaluation {
    /// The checks that “allow invalid certificates” lifts from a path with a pinned anchor: expiry, lifetime, key size, and the
    /// usage required of public servers. Signatures, broken digests, the right to issue, names and revocation always count.
    static let liftedForInvalidCertificates: Set<TrustCheck> = [
        .temporalValidity, .keySize, .serverAuthEKU, .systemTrustValidityPeriod, .otherTrustValidityPeriod,
    ]

    func decision() -> ServerTrustDecision {
        let decision = self.decision(about: self.trust.evaluate())
        guard self.asksAgain(after: decision) else { return decision }
        return self.decision(about: self.withoutPins.evaluate(), after: decision)
    }

    func decision(fetching fetcher: any ResourceFetcher, _ options: FetchOptions) async throws -> ServerTrustDecision {
        var answer = try await self.trust.evaluate(fetching: fetcher, options)
        var decision = self.decision(about: answer.result)
        if self.asksAgain(after: decision) {
            answer = try await self.withoutPins.evaluate(fetching: fetcher, options)
            decision = self.decision(about: answer.result, after: decision)
        }
        decision.fetched = answer
        return decision
    }

    /// Returns `true` if the trust must be evaluated once more without its pins, as mismatches are only reported. The first
    /// evaluation may have preferred a path that has a pin and breaks another rule.
    private func asksAgain(after decision: ServerTrustDecision) -> Bool {
        self.pinState == .reported && !decision.isTrusted
    }

    private var withoutPins: Trust {
        var trust = self.trust
        trust.policies[0].requirement.pins = []
        return trust
    }
}

// MARK: - Answers

extension PinnedEvaluation {
    private func decision(about result: TrustResult) -> ServerTrustDecision {
        let standing = result.failure?.reasons.filter { !self.lifted.contains($0.check) } ?? []
        let isLifted = result.resultType == .recoverableTrustFailure && result.anchorClass != nil && standing.isEmpty
        // Recorded exceptions lift faults of certificates, but never replace a pin.
        let unpinned = result.allReasons.filter { $0.check.isPinning }
        let reachesPin = self.pinState != .anchors || result.anchorClass != nil
        guard result.isTrusted || isLifted, unpinned.isEmpty, reachesPin else {
            return self.refusal(result, standing.isEmpty ? unpinned : standing)
        }
        guard case .ended(let expiration) = self.pinState else {
            return .trusted(result, pinning: self.outcome(of: result))
        }
        guard expiration.consequence == .refuse else { return .trusted(result, pinning: .expired(expiration)) }
        let failure = ServerTrustFailure(.pinsExpired(expiration), host: self.host)
        return .refused(failure, result, pinning: .expired(expiration))
    }

    private func outcome(of result: TrustResult) -> PinningOutcome? {
        guard let pins else { return nil }
        if let anchorClass = result.anchorClass, pins.exemptAnchors.contains(anchorClass) {
            return .exempt(anchorClass)
        }
        return .matched
    }

    private func refusal(_ result: TrustResult, _ standing: [TrustFailureReason]) -> ServerTrustDecision {
        let reachesNoPin = self.pinState == .anchors && result.anchorClass == nil
        guard let pins, reachesNoPin || standing.contains(where: { $0.check.isPinning }) else {
            let decision = ServerTrustDecision(result, host: self.host)
            return ServerTrustDecision(
                failure: decision.failure, result: result, pinning: self.pins == nil ? nil : .notCompared)
        }
        let (pinning, others) = self.split(standing, reachesNoPin: reachesNoPin)
        let mismatch = PinMismatch(
            pins, host: self.host ?? "", trust: self.trust, result: result, isPathTrusted: others.isEmpty)
        // Other faults of the path come first: an untrusted path says nothing about the pins.
        let untrusted = others.isEmpty ? nil : TrustFailure(others + pinning)
        let failure = ServerTrustFailure(
            untrusted.map { .untrusted($0) } ?? .notPinned(mismatch), host: self.host, mismatch: mismatch)
        return .refused(failure, result, pinning: .mismatched(mismatch))
    }

    /// Splits the failures into those about pins and all others. If the pins are the anchors, a path that reaches no anchor is a
    /// path without a pin.
    private func split(
        _ standing: [TrustFailureReason], reachesNoPin: Bool
    ) -> (pinning: [TrustFailureReason], others: [TrustFailureReason]) {
        func isPinning(_ reason: TrustFailureReason) -> Bool {
            reason.check.isPinning || (reachesNoPin && Self.checksOfAnchors.contains(reason.check))
        }
        return (standing.filter(isPinning), standing.filter { !isPinning($0) })
    }

    /// The checks that fail if a path reaches no anchor.
    private static let checksOfAnchors: Set<TrustCheck> = [.anchorTrusted, .missingIntermediate]

    /// Returns the decision for a trust that was evaluated once more without its pins.
    private func decision(about result: TrustResult, after refusal: ServerTrustDecision) -> ServerTrustDecision {
        let decision = ServerTrustDecision(result, host: self.host)
        var pinning = refusal.pinning
        if let pins, decision.isTrusted {
            pinning = .mismatched(PinMismatch(pins, host: self.host ?? "", trust: self.trust, result: result))
        }
        return ServerTrustDecision(failure: decision.failure, result: result, pinning: pinning)
    }
}

extension TrustCheck {
    package var isPinning: Bool { self == .leafSPKISHA256 || self == .caspkiSHA256 || self == .pinnedPath }
}
