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

/// A thread for one call that blocks for an unknown time and cannot be cancelled.
package enum BlockingThread {
    /// More than the resolvers of C libraries use. Untouched pages cost nothing.
    private static let stackSize = 512 << 10

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs a closure on a new thread, which ends with it.
    ///
    /// - Returns: `true` if the thread was started. Otherwise the closure is not run.
    package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body(run))
        let isStarted = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress, pthread_attr_init(attributes) == 0 else { return false }
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, Self.stackSize)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            return Self.create(attributes, body.toOpaque()) == 0
        }
        if !isStarted { body.release() }
        return isStarted
    }

    private static func create(
        _ attributes: UnsafeMutablePointer<pthread_attr_t>, _ body: UnsafeMutableRawPointer
    ) -> Int32 {
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        return pthread_create(&thread, attributes, { BlockingThread.run($0) }, body)
    }

    private static func run(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
    }
}
