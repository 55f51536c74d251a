//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The challenges of one request, which fails after too many failed credentials.
///
/// A server that refuses a credential sends a new challenge, and a handler that ignores
/// ``AuthenticationChallenge/previousFailureCount`` may answer forever. The exchange counts failures, so that neither can keep a
/// request going.
///
/// ```swift
/// var exchange = AuthenticationExchange(router)
/// // For each response with challenges:
/// let outcome = await exchange.outcome(of: challenges)
/// ```
public struct AuthenticationExchange: Sendable {
    private let router: ChallengeRouter
    private var hasSentCredential = false
    private var otherRoundCount = 0

    /// The number of credentials that failed.
    public private(set) var previousFailureCount = 0

    /// Creates an exchange for a new request.
    ///
    /// - Parameter router: The router that answers the challenges.
    public init(_ router: ChallengeRouter) { self.router = router }

    /// Answers the challenges of a response. A credential sent since the previous response counts as failed.
    ///
    /// - Parameters:
    ///   - challenges: The challenges. A failure count of theirs that is higher than the exchange's is kept.
    ///   - isStale: `true` if the server reports that the credential was right and only its nonce too old, which is not a failure
    ///     (RFC 7616 §3.3).
    /// - Returns: The next step of the request.
    public mutating func outcome(
        of challenges: [AuthenticationChallenge], isStale: Bool = false
    ) async -> ChallengeOutcome {
        if self.hasSentCredential && !isStale {
            self.previousFailureCount += 1
        } else {
            self.otherRoundCount += 1
        }
        // Nonces may become stale. The limit stops a server that claims it forever.
        guard self.otherRoundCount <= self.router.maximumFailures else {
            return .cancel(ChallengeError(.tooManyFailures))
        }
        let outcome = await self.router.outcome(of: challenges.map(self.counted))
        if case .useCredential = outcome { self.hasSentCredential = true } else { self.hasSentCredential = false }
        return outcome
    }

    private func counted(_ challenge: AuthenticationChallenge) -> AuthenticationChallenge {
        var challenge = challenge
        challenge.previousFailureCount = max(challenge.previousFailureCount, self.previousFailureCount)
        return challenge
    }
}
