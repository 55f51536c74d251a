//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust

/// One question that takes time and is answered once: by the one that is asked, by the clock, or by the end of the connection.
final class PendingAnswer<Answer: Sendable>: Sendable {
    private let promise: EventLoopPromise<Answer>

    /// Asks.
    ///
    /// - Parameters:
    ///   - eventLoop: The connection's, where the answer is heard.
    ///   - timeout: The time to answer.
    ///   - question: What is asked. Its task is cancelled once nothing depends on the answer.
    init(
        on eventLoop: any EventLoop, timeout: Duration, _ question: @escaping @Sendable () async throws -> Answer
    ) {
        let promise = eventLoop.makePromise(of: Answer.self)
        let task = Task {
            do {
                promise.succeed(try await question())
            } catch {
                promise.fail(error)
            }
        }
        let timer = eventLoop.scheduleTask(in: TimeAmount(bounding: timeout)) { promise.fail(HandlerTimeout()) }
        promise.futureResult.whenComplete { _ in
            timer.cancel()
            task.cancel()
        }
        self.promise = promise
    }

    /// The answer.
    var answer: EventLoopFuture<Answer> { self.promise.futureResult }

    /// Ends it, as nothing depends on the answer anymore.
    func cancel() { self.promise.fail(CancellationError()) }
}
