//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust

/// What the rules make of one connection, and what the program's handler may make of that.
///
/// A class, as it is large and handed on.
final class ConnectionJudgment: Sendable {
    let destination: ATSDestination
    let connection: ATSConnection
    /// What was judged; `nil` for plain HTTP.
    let trust: Trust?
    let verdict: ATSVerdict
    /// What the program's own evaluator decided; `nil` without one.
    let decision: ServerTrustDecision?
    /// Whether what the server delivers beside its certificates was seen.
    let sawDeliveredEvidence: Bool

    init(
        _ destination: ATSDestination, _ connection: ATSConnection, trust: Trust?, verdict: ATSVerdict,
        decision: ServerTrustDecision?, sawDeliveredEvidence: Bool = false
    ) {
        self.sawDeliveredEvidence = sawDeliveredEvidence
        self.destination = destination
        self.connection = connection
        self.trust = trust
        self.verdict = verdict
        self.decision = decision
    }

    /// Whether what the server delivers could change the judgment: a stapled response that of a server that is let through,
    /// timestamps that of one that lacks nothing else.
    var mayChangeByLooking: Bool {
        guard !self.sawDeliveredEvidence, let result = self.connection.trust, let trust = result.trust else {
            return false
        }
        if [.missing, .undetermined].contains(result.certificateTransparency) { return true }
        guard trust.configuration.revocation.mode != .off, case .success = self.outcome else { return false }
        return true
    }

    /// Whether something that the settings let be fetched could change the judgment.
    var mayChangeByFetching: Bool {
        if let decision, decision.mayChangeByFetching { return true }
        return self.connection.trust.map { $0.mayChange(by: $0.trust?.configuration.fetching) } ?? false
    }

    /// What the rules come to.
    var outcome: Result<GatedConnection, ServerTrustGateError> {
        if let failure = self.decision?.failure { return .failure(self.error(failure)) }
        let isOverridden = self.decision != nil && self.verdict.isOverridable
        return self.verdict.isAllowed || isOverridden ? .success(GatedConnection(self)) : .failure(self.error(nil))
    }

    /// What a handler is asked; `nil` where the rules refuse the connection for good.
    func challenge(forHost host: String) -> ServerTrustChallenge? {
        let refusal: ServerTrustGateError? =
            switch self.outcome {
            case .success: nil
            case .failure(let error): error
            }
        guard let trust, refusal == nil || self.isLeftToProgram else { return nil }
        return ServerTrustChallenge(
            host: host, port: self.destination.port, trust: trust, result: self.connection.trust, refusal: refusal)
    }

    /// What becomes of the connection with a handler's answer.
    func outcome(_ answer: Result<ServerTrustDisposition, any Error>) -> Result<GatedConnection, ServerTrustGateError> {
        switch answer {
        case .failure(let error): return .failure(self.error(error))
        case .success(.performDefaultHandling): return self.outcome
        case .success(.cancelAuthenticationChallenge(let reason)):
            return .failure(self.error(reason ?? HandlerRefusal()))
        case .success(.useCredential(let credential)):
            guard let trust, credential.isFor(trust) else { return .failure(self.error(MistakenCredential())) }
            if case .success = self.outcome { return self.outcome }
            guard self.isLeftToProgram else { return self.outcome }
            var gated = GatedConnection(self)
            gated.isAcceptedByHandler = true
            return .success(gated)
        }
    }

    /// Whether the rules leave a refusal to the program: an untrusted chain, where no evaluator but that of the ordinary rules has
    /// refused it, and App Transport Security does not enforce them.
    private var isLeftToProgram: Bool {
        guard self.verdict.isAllowed || self.verdict.isOverridable else { return false }
        guard let decision, let failure = decision.failure else { return true }
        guard case .untrusted = failure.reason else { return false }
        return decision.leavesRefusalToProgram
    }

    private func error(_ cause: (any Error)?) -> ServerTrustGateError {
        ServerTrustGateError(self.destination, self.verdict, cause: cause)
    }
}
