//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A handler that answers challenges, like the methods of a URLSession delegate.
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
/// A ``ChallengeRouter`` calls it with a time limit, and cancels its task if the answer is no longer needed.
public protocol ChallengeHandler: Sendable {
    /// Answers a challenge.
    ///
    /// - Parameter challenge: The challenge.
    /// - Returns: The decision about the challenge.
    /// - Throws: Any error. The request then fails.
    func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition
}

/// A handler that answers through a completion, like the methods of a delegate.
///
/// Use it to adapt existing delegate code. If the completion is released without an answer, the request fails.
public struct CompletionChallengeHandler: ChallengeHandler {
    private let body: @Sendable (AuthenticationChallenge, ChallengeCompletion) -> Void

    /// Creates a handler.
    ///
    /// - Parameter body: A function that receives a challenge and passes its answer to the completion, immediately or later.
    public init(_ body: @escaping @Sendable (AuthenticationChallenge, ChallengeCompletion) -> Void) {
        self.body = body
    }

    /// Answers a challenge.
    ///
    /// - Parameter challenge: The challenge.
    /// - Returns: The first answer.
    /// - Throws: ``ChallengeError`` if the completion is released without an answer, or the task is cancelled.
    public func respond(
        to challenge: AuthenticationChallenge
    ) async throws -> AuthenticationDisposition {
        let (answers, sink) = AsyncStream.makeStream(of: AuthenticationDisposition.self)
        self.body(challenge, ChallengeCompletion(sink))
        for await answer in answers { return answer }
        throw ChallengeError(Task.isCancelled ? .cancelled : .noAnswer)
    }
}

/// The completion of a ``CompletionChallengeHandler``. Only the first answer counts.
///
/// It can be called from any thread, and kept until the answer is known.
public final class ChallengeCompletion: Sendable {
    private let sink: AsyncStream<AuthenticationDisposition>.Continuation
    private let isAnswered = Mutex(false)

    init(_ sink: AsyncStream<AuthenticationDisposition>.Continuation) { self.sink = sink }

    deinit { self.sink.finish() }

    /// Answers the challenge.
    ///
    /// - Parameter disposition: The decision about the challenge.
    /// - Returns: `true` if it is the first answer. Later answers have no effect.
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
