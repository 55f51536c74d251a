//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A clock whose sleeper sleeps until the test wakes it.
package final class SteppedClock: Clock {
    package struct Instant: InstantProtocol {
        private let offset: Swift.Duration

        init(_ offset: Swift.Duration = .zero) { self.offset = offset }

        package func advanced(by duration: Swift.Duration) -> Instant { Instant(self.offset + duration) }
        package func duration(to other: Instant) -> Swift.Duration { other.offset - self.offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    package typealias Duration = Swift.Duration

    private let time = Mutex(Instant())
    private let sleepers = AsyncStream.makeStream(of: Void.self)
    private let wakes = AsyncStream.makeStream(of: Void.self)

    package init() {}

    package var now: Instant { self.time.withLock { $0 } }
    package var minimumResolution: Swift.Duration { .nanoseconds(1) }

    package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        self.sleepers.continuation.yield()
        var wakes = self.wakes.stream.makeAsyncIterator()
        guard await wakes.next() != nil, !Task.isCancelled else { throw CancellationError() }
        self.time.withLock { $0 = max($0, deadline) }
    }

    /// Waits until somebody sleeps.
    package func isSleptOn() async {
        var sleepers = self.sleepers.stream.makeAsyncIterator()
        _ = await sleepers.next()
    }

    /// Wakes the sleeper, and waits until it sleeps again.
    package func step() async {
        self.wakes.continuation.yield()
        await self.isSleptOn()
    }
}
