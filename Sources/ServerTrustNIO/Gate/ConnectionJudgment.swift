//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust

/// The verdict of the rules on one connection, with the decision of the program's evaluator.
///
/// A class, because it is large and passed on several times.
final class ConnectionJudgment: Sendable {
    let destination: ATSDestination
    let connection: ATSConnection
    /// The evaluated chain, or `nil` for plain HTTP.
    let trust: Trust?
    let verdict: ATSVerdict
    /// The decision of the program's own evaluator, or `nil` if there is none.
    let decision: ServerTrustDecision?
    /// `true` if the judgment includes the stapled response and the SCTs of a look at the server.
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

    /// `true` if a look at the server could change the judgment.
    ///
    /// A stapled response can refuse a server that is let through. SCTs can admit a server that lacks nothing else.
    var mayChangeByLooking: Bool {
        guard !self.sawDeliveredEvidence, let result = self.connection.trust, let trust = result.trust else {
            return false
        }
        if [.missing, .undetermined].contains(result.certificateTransparency) { return true }
        guard trust.configuration.revocation.mode != .off, case .success = self.outcome else { return false }
        return true
    }

    /// `true` if a resource that the settings allow to be fetched could change the judgment.
    var mayChangeByFetching: Bool {
        if let decision, decision.mayChangeByFetching { return true }
        return self.connection.trust.map { $0.mayChange(by: $0.trust?.configuration.fetching) } ?? false
    }

    /// The result of the rules and of the program's evaluator, before any handler.
    var outcome: Result<GatedConnection, ServerTrustGateError> {
        if let failure = self.decision?.failure { return .failure(self.error(failure)) }
        let isOverridden = self.decision != nil && self.verdict.isOverridable
        return self.verdict.isAllowed || isOverridden ? .success(GatedConnection(self)) : .failure(self.error(nil))
    }

    /// Returns the challenge for the program's handler, or `nil` if the rules refuse the connection and leave it no say.
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

    /// Returns the result after the answer of the program's handler.
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

    /// `true` if the program's handler may accept the connection in spite of a refusal.
    ///
    /// That takes an untrusted chain on which App Transport Security leaves the decision to the app, and which no evaluator other
    /// than the ordinary rules has refused.
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
