//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

/// Runs tasks on an event loop, so that they and the connections of the loop do not wait for each other's threads.
///
/// Only for tasks that never block: everything on the loop would wait for them.
package final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// An executor that runs tasks on an event loop.
    package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
