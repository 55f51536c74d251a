//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Who decides about the server of a stream: the rules, or the caller, in the time that handlers have. Either way it holds what
/// there is to decide about.
final class StreamDecision: ServerTrustHandler {
    /// What there is to decide about, once; fails where nothing comes to be decided.
    let challenges: AsyncThrowingStream<ServerTrustChallenge, any Error>

    private let validation: SecureStream.Validation
    /// The program's own, which decides where the caller does not.
    private let base: (any ServerTrustHandler)?
    private let challenge: AsyncThrowingStream<ServerTrustChallenge, any Error>.Continuation
    private let answers: AsyncStream<ServerTrustDisposition>
    private let answer: AsyncStream<ServerTrustDisposition>.Continuation

    init(_ validation: SecureStream.Validation, base: (any ServerTrustHandler)?) {
        self.validation = validation
        self.base = base
        (self.challenges, self.challenge) = AsyncThrowingStream.makeStream()
        (self.answers, self.answer) = AsyncStream.makeStream()
    }

    func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition {
        self.challenge.yield(challenge)
        switch self.validation {
        case .automatic: return try await self.base?.respond(to: challenge) ?? .performDefaultHandling
        case .byCaller:
            for await answer in self.answers { return answer }
            throw CancellationError()
        }
    }

    /// The caller's answer. The first one counts.
    func decide(_ disposition: ServerTrustDisposition) { self.answer.yield(disposition) }

    /// There is nothing to decide about anymore.
    func end(_ error: (any Error)?) {
        self.challenge.finish(throwing: error)
        self.answer.finish()
    }
}
