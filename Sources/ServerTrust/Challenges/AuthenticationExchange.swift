//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The challenges of one request, which ends when credentials keep failing.
///
/// A server that refuses a credential asks again, and a handler that does not look at
/// ``AuthenticationChallenge/previousFailureCount`` answers again. Here the failures are counted, so that no server and no
/// handler can keep a request going.
///
/// ```swift
/// var exchange = AuthenticationExchange(router)
/// // For each response that asks:
/// let outcome = await exchange.outcome(of: challenges)
/// ```
public struct AuthenticationExchange: Sendable {
    private let router: ChallengeRouter
    private var hasSentCredential = false
    private var otherRoundCount = 0

    /// How many credentials failed.
    public private(set) var previousFailureCount = 0

    /// An exchange that no server has asked in yet.
    ///
    /// - Parameter router: Answers the challenges.
    public init(_ router: ChallengeRouter) { self.router = router }

    /// Answers the challenges of a response. A credential that was sent since the response before it has failed.
    ///
    /// - Parameters:
    ///   - challenges: The challenges. A failure count of theirs that is higher than the exchange's is kept.
    ///   - isStale: Whether the server says that the credential was right and its nonce too old, which is not a failure
    ///     (RFC 7616 §3.3).
    /// - Returns: What becomes of the request.
    public mutating func outcome(
        of challenges: [AuthenticationChallenge], isStale: Bool = false
    ) async -> ChallengeOutcome {
        if self.hasSentCredential && !isStale {
            self.previousFailureCount += 1
        } else {
            self.otherRoundCount += 1
        }
        // Nonces may well become stale; a server for which all of them are asks forever.
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
