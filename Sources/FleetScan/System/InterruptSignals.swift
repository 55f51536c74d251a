//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A handler for SIGINT, SIGTERM and SIGHUP. The first signal requests a stop, and the second one ends the process at once.
package final class InterruptSignals: Sendable {
    private struct State {
        var first: Int32?
        var listeners: [Int: AsyncStream<Int32>.Continuation] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())
    private let last: @Sendable () -> Void

    /// Installs the handlers, so that the first signal does not end the process.
    ///
    /// A signal that is ignored stays ignored, because nohup and shells use this for background processes (POSIX, XCU 2.11).
    ///
    /// - Parameter last: A closure that runs before the second signal ends the process. It must not block.
    package init(last: @escaping @Sendable () -> Void = {}) {
        self.last = last
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(signal(number, SIG_IGN)) {
            let source = DispatchSource.makeSignalSource(signal: number)
            // The source retains itself for the lifetime of the process.
            source.setEventHandler { [self, source] in
                // Signals in quick succession are delivered as one event.
                for _ in 0..<max(source.data, 1) { self.receive(number) }
            }
            source.activate()
        }
    }

    private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The exit code for the first signal, or `nil` if there was none.
    var exitCode: Int32? { self.state.withLock { $0.first }.map { 128 + $0 } }

    /// Returns a stream that yields the first signal, at once if it has already arrived.
    func arrivals() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let (number, first) = self.state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return (state.nextListener, state.first)
        }
        continuation.onTermination = { [self] _ in _ = self.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        if let first { continuation.yield(first) }
        return stream
    }

    /// Waits for the first signal. Returns at once if it has already arrived.
    package func first() async {
        for await _ in self.arrivals() { break }
    }

    private func receive(_ number: Int32) {
        let listeners = self.state.withLock { state -> [Int: AsyncStream<Int32>.Continuation]? in
            guard state.first == nil else { return nil }
            state.first = number
            return state.listeners
        }
        // The second signal ends the process, whatever it is waiting for.
        guard let listeners else {
            self.last()
            _exit(128 + number)
        }
        for listener in listeners.values { listener.yield(number) }
    }
}
