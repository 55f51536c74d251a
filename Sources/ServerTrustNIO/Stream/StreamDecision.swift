//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The handler that decides about the server of a stream: by the rules or by the caller, within the time for handlers. In both
/// cases it hands the challenge to the stream.
final class StreamDecision: ServerTrustHandler {
    /// The challenge, which arrives once. The sequence fails if there is none.
    let challenges: AsyncThrowingStream<ServerTrustChallenge, any Error>

    private let validation: SecureStream.Validation
    /// The program's own handler, which decides if the caller does not.
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

    /// Answers for the caller. Only the first answer counts.
    func decide(_ disposition: ServerTrustDisposition) { self.answer.yield(disposition) }

    func end(_ error: (any Error)?) {
        self.challenge.finish(throwing: error)
        self.answer.finish()
    }
}
