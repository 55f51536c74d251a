//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust

/// One question to a program's handler, which is answered once: by the handler, by the clock, or by the end of the connection.
final class HandlerCall: Sendable {
    private let promise: EventLoopPromise<ServerTrustDisposition>
    private let task: Task<Void, Never>

    /// Asks.
    ///
    /// - Parameters:
    ///   - handler: Who is asked.
    ///   - challenge: About what.
    ///   - eventLoop: The connection's, where the answer is heard.
    ///   - timeout: The time to answer.
    init(
        _ handler: any ServerTrustHandler, _ challenge: ServerTrustChallenge, on eventLoop: any EventLoop,
        timeout: Duration
    ) {
        let promise = eventLoop.makePromise(of: ServerTrustDisposition.self)
        let task = Task {
            do {
                promise.succeed(try await handler.respond(to: challenge))
            } catch {
                promise.fail(error)
            }
        }
        let timer = eventLoop.scheduleTask(in: TimeAmount(bounding: timeout)) {
            promise.fail(HandlerTimeout())
        }
        promise.futureResult.whenComplete { _ in
            timer.cancel()
            task.cancel()
        }
        (self.promise, self.task) = (promise, task)
    }

    /// What it is answered.
    var answer: EventLoopFuture<ServerTrustDisposition> { self.promise.futureResult }

    /// Ends it, as nothing depends on the answer anymore. Its task is cancelled.
    func cancel() {
        self.promise.fail(CancellationError())
    }
}
