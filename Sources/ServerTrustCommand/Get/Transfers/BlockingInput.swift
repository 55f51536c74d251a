//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrustNIO

/// Input that may block, such as a pipe. It is read on a thread of its own, so that time limits apply and responses are read in
/// the meantime.
enum BlockingInput {
    /// Reads blocking input.
    ///
    /// - Parameters:
    ///   - deadline: The end of the wait, or `nil` to wait without a limit. The thread continues its read after the deadline.
    ///   - read: Reads the input.
    /// - Throws: The error of `read`, or ``CommandError`` at the deadline.
    static func read<Value: Sendable>(
        until deadline: NIODeadline? = nil, _ read: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = eventLoop.makePromise(of: Value.self)
        let timer = deadline.map { deadline in
            eventLoop.scheduleTask(deadline: deadline) {
                promise.fail(CommandError("the input does not end within the time of --max-time"))
            }
        }
        defer { timer?.cancel() }
        if !BlockingThread.start({ promise.completeWith(Result { try read() }) }) {
            promise.fail(CommandError("this machine has no thread to read the input"))
        }
        return try await promise.futureResult.get()
    }
}
