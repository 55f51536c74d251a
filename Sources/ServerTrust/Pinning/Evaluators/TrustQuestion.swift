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

/// What an evaluator asks of the engine, and how the answer becomes a decision: the one place where pins are enforced.
struct TrustQuestion: Sendable {
    /// The host, for whoever reads the decision; what is checked is in the policies.
    let host: String?
    private(set) var trust: Trust
    /// What must be on the path.
    private(set) var pins: PinSet?
    private var requirements: [PinRequirement] = []
    /// Whether the pins are the anchors as well, so that a path without one reaches none.
    private(set) var pinsAreAnchors = false
    /// The checks that may fail.
    private(set) var lifted: Set<TrustCheck> = []

    /// A question about a server.
    ///
    /// - Parameters:
    ///   - trust: What was sent and what is trusted.
    ///   - host: The host.
    ///   - validatesHost: Whether the certificate must be for it.
    ///   - isServer: Whether the rules for TLS servers hold, or only those for any certificate.
    init(_ trust: Trust, host: String?, validatesHost: Bool = true, isServer: Bool = true) {
        self.host = host
        self.trust = trust
        var policy = TrustPolicy.tlsServer(hostname: validatesHost ? host : nil)
        if !isServer { policy.requirement.purpose = .any }
        self.trust.policies = [policy] + trust.policies.filter { $0.revocationOptions != nil }
        // One moment for the certificates and the pins, however long the evaluation takes.
        self.trust.verifyDate = trust.verifyDate ?? Date()
    }

    /// The same question with another policy beside the server's.
    func adding(_ policy: TrustPolicy) -> TrustQuestion {
        var question = self
        question.trust.policies.append(policy)
        return question
    }

    /// The same question about a path that has what is pinned.
    ///
    /// - Parameters:
    ///   - pins: What is pinned.
    ///   - requirements: The same as the engine has it, for evaluators that ask often.
    func requiring(_ pins: PinSet, _ requirements: [PinRequirement]? = nil) -> TrustQuestion {
        var question = self
        question.pins = pins
        question.requirements = requirements ?? pins.pathRequirements
        return question
    }

    /// The same question with what is pinned as all that is trusted: whoever the pinned key vouches for, and nobody else.
    ///
    /// - Parameters:
    ///   - certificates: The certificates to trust.
    ///   - pins: The same, for explanations.
    ///   - lifted: The checks that may fail.
    func trustingOnly(
        _ certificates: some Sequence<Certificate>, pinnedBy pins: PinSet?, lifting lifted: Set<TrustCheck> = []
    ) -> TrustQuestion {
        var question = self
        question.trust.anchors = .only(Array(certificates))
        (question.pins, question.pinsAreAnchors, question.lifted) = (pins, true, lifted)
        return question
    }
}

extension TrustQuestion {
    /// What “allow invalid certificates” lifts of a path whose anchor is pinned: its age, its lifetime, the size of its keys
    /// and the usage the web demands. Never a signature, a digest that can be forged, who may issue, names, or revocation.
    static let liftedForInvalidCertificates: Set<TrustCheck> = [
        .temporalValidity, .keySize, .serverAuthEKU, .systemTrustValidityPeriod, .otherTrustValidityPeriod,
    ]

    /// Asks, without a network.
    func decision() -> ServerTrustDecision {
        let asked = self.withPins
        let decision = asked.decision(about: asked.trust.evaluate())
        guard self.asksAgain(after: decision) else { return decision }
        return self.decision(about: self.trust.evaluate(), after: decision)
    }

    /// Asks, and fetches what is allowed to be.
    func decision(fetching fetcher: any ResourceFetcher, _ options: FetchOptions) async throws -> ServerTrustDecision {
        let asked = self.withPins
        var answer = try await asked.trust.evaluate(fetching: fetcher, options)
        var decision = asked.decision(about: answer.result)
        if self.asksAgain(after: decision) {
            answer = try await self.trust.evaluate(fetching: fetcher, options)
            decision = self.decision(about: answer.result, after: decision)
        }
        decision.fetched = answer
        return decision
    }

    /// The question with the pins among what paths are searched for.
    private var withPins: TrustQuestion {
        guard self.pinState.isLookedFor, !self.trust.policies.isEmpty else { return self }
        var question = self
        question.trust.policies[0].requirement.pins += self.requirements
        return question
    }

    /// Whether what was refused is to be let through if only the pins speak against it. Asked without them, as a path with
    /// a pin may have been preferred that breaks another rule.
    private func asksAgain(after decision: ServerTrustDecision) -> Bool {
        self.pinState == .reported && !decision.isTrusted
    }
}

// MARK: - What holds at the moment

extension TrustQuestion {
    private enum PinState: Equatable {
        case none, enforced, reported, anchors, ended(PinExpiration)

        var isLookedFor: Bool { self == .enforced || self == .reported }
    }

    private var pinState: PinState {
        guard let pins else { return .none }
        if self.pinsAreAnchors { return .anchors }
        guard let expiration = pins.expiration, let date = self.trust.verifyDate, date >= expiration.date else {
            return pins.isReportOnly ? .reported : .enforced
        }
        return expiration.consequence == .report ? .reported : .ended(expiration)
    }
}

// MARK: - Answers

extension TrustQuestion {
    private func decision(about result: TrustResult) -> ServerTrustDecision {
        let standing = result.failure?.reasons.filter { !self.lifted.contains($0.check) } ?? []
        let isLifted = result.resultType == .recoverableTrustFailure && result.anchorClass != nil && standing.isEmpty
        guard result.isTrusted || isLifted else { return self.refusal(result, standing) }
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
        let isPinning =
            standing.contains { $0.check.isPinning } || (self.pinState == .anchors && result.anchorClass == nil)
        guard let pins, isPinning else { return ServerTrustDecision(result, host: self.host) }
        let mismatch = PinMismatch(pins, host: self.host ?? "", trust: self.trust, result: result)
        let isOnlyPins = self.pinState == .anchors || standing.allSatisfy { $0.check.isPinning }
        let reason: ServerTrustFailure.Reason =
            isOnlyPins ? .notPinned(mismatch) : result.failure.map { .untrusted($0) } ?? .notEvaluated
        return .refused(ServerTrustFailure(reason, host: self.host), result, pinning: .mismatched(mismatch))
    }

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
    var isPinning: Bool { self == .leafSPKISHA256 || self == .caspkiSHA256 || self == .pinnedPath }
}
