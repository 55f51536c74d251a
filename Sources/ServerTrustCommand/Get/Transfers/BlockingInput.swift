//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrustNIO

/// Input that may wait for another program, such as a pipe. It is read on a thread of its own, so that time limits hold and
/// responses are read meanwhile.
enum BlockingInput {
    /// Reads something.
    ///
    /// - Parameters:
    ///   - deadline: When the wait ends; `nil` waits for as long as it takes. The thread stays with what it reads.
    ///   - read: Reads it.
    /// - Throws: What `read` throws; ``CommandError`` at the deadline.
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
