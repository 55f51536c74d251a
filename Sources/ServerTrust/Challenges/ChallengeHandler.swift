//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Answers challenges: what the delegate's methods for them are to URLSession.
///
/// ```swift
/// struct SendsToken: ChallengeHandler {
///     func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition {
///         guard challenge.previousFailureCount == 0, challenge.protectionSpace.host == api,
///             challenge.protectionSpace.receivesCredentialSecurely
///         else { return .rejectProtectionSpace }
///         return .useCredential(Credential(user: "app", password: token, persistence: .session))
///     }
/// }
/// ```
///
/// A ``ChallengeRouter`` asks it, gives it a limited time, and cancels its task when the answer no longer matters.
public protocol ChallengeHandler: Sendable {
    /// Answers a challenge.
    ///
    /// - Parameter challenge: The challenge.
    /// - Returns: What becomes of it.
    /// - Throws: Any error; the request fails then.
    func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition
}

/// A handler that answers through a completion, as the methods of a delegate do.
public struct CompletionChallengeHandler: ChallengeHandler {
    private let body: @Sendable (AuthenticationChallenge, ChallengeCompletion) -> Void

    /// A handler.
    ///
    /// - Parameter body: Is given a challenge, and its answer goes to the completion, then or later.
    public init(_ body: @escaping @Sendable (AuthenticationChallenge, ChallengeCompletion) -> Void) {
        self.body = body
    }

    /// Answers a challenge.
    ///
    /// - Parameter challenge: The challenge.
    /// - Returns: The first answer.
    /// - Throws: ``ChallengeError`` when the completion is gone without an answer, or the task is cancelled.
    public func respond(
        to challenge: AuthenticationChallenge
    ) async throws -> AuthenticationDisposition {
        let (answers, sink) = AsyncStream.makeStream(of: AuthenticationDisposition.self)
        self.body(challenge, ChallengeCompletion(sink))
        for await answer in answers { return answer }
        throw ChallengeError(Task.isCancelled ? .cancelled : .noAnswer)
    }
}

/// Takes the answer of a ``CompletionChallengeHandler``: the first one counts.
public final class ChallengeCompletion: Sendable {
    private let sink: AsyncStream<AuthenticationDisposition>.Continuation
    private let isAnswered = Mutex(false)

    init(_ sink: AsyncStream<AuthenticationDisposition>.Continuation) { self.sink = sink }

    deinit { self.sink.finish() }

    /// Answers.
    ///
    /// - Parameter disposition: What becomes of the challenge.
    /// - Returns: Whether it is the first answer. Later ones change nothing.
    @discardableResult
    public func callAsFunction(_ disposition: AuthenticationDisposition) -> Bool {
        let isFirst = self.isAnswered.withLock { isAnswered in
            defer { isAnswered = true }
            return !isAnswered
        }
        guard isFirst else { return false }
        self.sink.yield(disposition)
        self.sink.finish()
        return true
    }
}
