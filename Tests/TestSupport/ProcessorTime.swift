//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The time that a thread has of a processor. It says what work costs, however busy the machine is.
package enum ProcessorTime {
    /// Measures work that stays on the thread of its caller.
    package static func measure(_ work: () throws -> Void) rethrows -> Duration {
        let start = Self.ofThread
        try work()
        return Self.ofThread - start
    }

    private static var ofThread: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
