//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust

/// The pending answer to one question. It completes once: with the answer, with a timeout, or by cancellation when the connection
/// ends.
final class PendingAnswer<Answer: Sendable>: Sendable {
    private let promise: EventLoopPromise<Answer>

    /// Asks a question.
    ///
    /// - Parameters:
    ///   - eventLoop: The connection's event loop, on which the answer arrives.
    ///   - timeout: The time to answer.
    ///   - error: The error after that time.
    ///   - question: The question. Its task is cancelled once the answer is no longer needed.
    init(
        on eventLoop: any EventLoop, timeout: Duration, error: any Error,
        _ question: @escaping @Sendable () async throws -> Answer
    ) {
        let promise = eventLoop.makePromise(of: Answer.self)
        let task = Task {
            do {
                promise.succeed(try await question())
            } catch {
                promise.fail(error)
            }
        }
        let timer = eventLoop.scheduleTask(in: TimeAmount(bounding: timeout)) { promise.fail(error) }
        promise.futureResult.whenComplete { _ in
            timer.cancel()
            task.cancel()
        }
        self.promise = promise
    }

    var answer: EventLoopFuture<Answer> { self.promise.futureResult }

    /// Cancels the question when the answer is no longer needed.
    func cancel() { self.promise.fail(CancellationError()) }
}
