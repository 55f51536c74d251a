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

/// An evaluation with what is pinned, and how its result becomes a decision: the one place where pins are enforced.
struct PinnedEvaluation: Sendable {
    /// The host, for the text of the decision; the policies say what is checked.
    let host: String?
    /// What the engine evaluates, pins included where they are looked for.
    private var trust: Trust
    /// What must be on the path.
    private var pins: PinSet?
    private var pinState = PinState.none
    /// The checks that may fail.
    private var lifted: Set<TrustCheck> = []

    /// What becomes of the pins at the moment of the evaluation.
    private enum PinState: Equatable {
        /// There are none.
        case none
        /// Paths without one are refused, or let through and reported.
        case enforced, reported
        /// They are the anchors as well, so that a path without one reaches none.
        case anchors
        /// They have ended, and are not looked for.
        case ended(PinExpiration)
    }

    /// An evaluation of a server.
    ///
    /// - Parameters:
    ///   - trust: What was sent and what is trusted. Of its policies those about revocation stay.
    ///   - host: The host.
    ///   - validatesHost: Whether the certificate must be for it.
    ///   - purpose: Whether the rules for TLS servers hold, those for TLS clients, or only those for any certificate.
    init(
        _ trust: Trust, host: String?, validatesHost: Bool = true,
        purpose: PurposeRequirement.Purpose = .server
    ) {
        self.host = host
        self.trust = trust
        var policy = TrustPolicy.tlsServer(hostname: validatesHost ? host : nil)
        policy.requirement.purpose = purpose
        self.trust.policies = [policy] + trust.policies.filter { $0.revocationOptions != nil }
        // One moment for the certificates and the pins, however long the evaluation takes.
        self.trust.verifyDate = trust.verifyDate ?? Date()
    }

    /// Adds a policy beside the server's.
    mutating func add(_ policy: TrustPolicy) {
        self.trust.policies.append(policy)
    }

    /// Asks for a path that has what is pinned.
    ///
    /// - Parameters:
    ///   - pins: What is pinned.
    ///   - requirements: The same as the engine has it, for evaluators that ask often.
    mutating func require(_ pins: PinSet, _ requirements: [PinRequirement]? = nil) {
        self.pins = pins
        self.pinState = pins.isReportOnly ? .reported : .enforced
        if let expiration = pins.expiration, let date = self.trust.verifyDate, date >= expiration.date {
            self.pinState = expiration.consequence == .report ? .reported : .ended(expiration)
        }
        if case .ended = self.pinState { return }
        self.trust.policies[0].requirement.pins += requirements ?? pins.pathRequirements
    }

    /// Trusts what is pinned and nothing else: every certificate that a pinned key has signed.
    ///
    /// - Parameters:
    ///   - certificates: The certificates to trust.
    ///   - pins: The same, for explanations.
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
    /// What “allow invalid certificates” lifts of a path whose anchor is pinned: its age, its lifetime, the size of its keys
    /// and the usage the web demands. Never a signature, a digest that can be forged, who may issue, names, or revocation.
    static let liftedForInvalidCertificates: Set<TrustCheck> = [
        .temporalValidity, .keySize, .serverAuthEKU, .systemTrustValidityPeriod, .otherTrustValidityPeriod,
    ]

    /// Evaluates without a network.
    func decision() -> ServerTrustDecision {
        let decision = self.decision(about: self.trust.evaluate())
        guard self.asksAgain(after: decision) else { return decision }
        return self.decision(about: self.withoutPins.evaluate(), after: decision)
    }

    /// Evaluates, and fetches what may be fetched.
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

    /// Whether what was refused is to be let through if only the pins speak against it. Asked without them, as a path with
    /// a pin may have been preferred that breaks another rule.
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
        // Exceptions that were recorded lift what certificates lack; they are no pins.
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
        // The path's own faults come first: as long as it is not in order, it says nothing about the pins.
        let untrusted = others.isEmpty ? nil : TrustFailure(others + pinning)
        let failure = ServerTrustFailure(
            untrusted.map { .untrusted($0) } ?? .notPinned(mismatch), host: self.host, mismatch: mismatch)
        return .refused(failure, result, pinning: .mismatched(mismatch))
    }

    /// What speaks against the pins, and what else speaks against the path. Where the pins are the anchors, a path that
    /// reaches none of them is one without a pin.
    private func split(
        _ standing: [TrustFailureReason], reachesNoPin: Bool
    ) -> (pinning: [TrustFailureReason], others: [TrustFailureReason]) {
        func isPinning(_ reason: TrustFailureReason) -> Bool {
            reason.check.isPinning || (reachesNoPin && Self.checksOfAnchors.contains(reason.check))
        }
        return (standing.filter(isPinning), standing.filter { !isPinning($0) })
    }

    /// The checks that fail where a path reaches no anchor.
    private static let checksOfAnchors: Set<TrustCheck> = [.anchorTrusted, .missingIntermediate]

    /// The decision about a path that was asked for again, without the pins.
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
    /// Whether the check is about pins.
    package var isPinning: Bool { self == .leafSPKISHA256 || self == .caspkiSHA256 || self == .pinnedPath }
}
