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

/// SIGINT, SIGTERM and SIGHUP as a request to stop; the second one ends the process at once.
package final class InterruptSignals: Sendable {
    private struct State {
        var first: Int32?
        var listeners: [Int: AsyncStream<Int32>.Continuation] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())
    private let last: @Sendable () -> Void

    /// Takes the signals over from now on: they no longer end the process. One that is ignored stays so, as nohup and shells
    /// have it for what is to go on without them (POSIX, XCU 2.11).
    ///
    /// - Parameter last: What is done before the second signal ends the process. It must not wait.
    package init(last: @escaping @Sendable () -> Void = {}) {
        self.last = last
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(signal(number, SIG_IGN)) {
            let source = DispatchSource.makeSignalSource(signal: number)
            // The source keeps itself alive, as long as the process is.
            source.setEventHandler { [self, source] in
                // Signals that came close to each other are handed over as one.
                for _ in 0..<max(source.data, 1) { self.receive(number) }
            }
            source.activate()
        }
    }

    private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The exit code that the first signal means; `nil` when there was none.
    var exitCode: Int32? { self.state.withLock { $0.first }.map { 128 + $0 } }

    /// The first signal, when it comes; at once if it has come.
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

    /// Waits for the first signal; returns at once if it has come.
    package func first() async {
        for await _ in self.arrivals() { break }
    }

    private func receive(_ number: Int32) {
        let listeners = self.state.withLock { state -> [Int: AsyncStream<Int32>.Continuation]? in
            guard state.first == nil else { return nil }
            state.first = number
            return state.listeners
        }
        // The second signal means: at once, whatever this process is waiting for.
        guard let listeners else {
            self.last()
            _exit(128 + number)
        }
        for listener in listeners.values { listener.yield(number) }
    }
}
