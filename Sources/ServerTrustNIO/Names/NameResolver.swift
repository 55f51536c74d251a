//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// A resolver with its own threads, which are limited in number. Each name takes at most one.
///
/// `getaddrinfo` cannot be cancelled. A name whose servers do not answer occupies a thread for as long as the system tries, 5 to 30
/// seconds. On shared threads a few such names would block everything. Here each occupies only its own thread, and further callers
/// for the same name wait for the same query. The timeout of a caller starts when its query has a thread, so the wait for other
/// names does not count.
package final class NameResolver: Sendable {
    /// The resolver of the hosts that a program connects to by itself. Its threads are shared by the process, as those of NIO's
    /// event loops are.
    package static let system = NameResolver(threads: 128)
    /// The resolver of the hosts that certificates name. Strangers choose these hosts, and must not be able to use up the threads
    /// of ``system``.
    package static let certificates = NameResolver(threads: 32)

    private let threads: Int
    private let lookUp: @Sendable (String) -> NameLookupOutcome
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Mutex(State())

    private struct State {
        var running = 0
        /// The running queries, and those waiting for a thread.
        var lookups: [String: Lookup] = [:]
        var queue = CircularBuffer<String>()
    }

    private struct Lookup {
        var hasBegun = false
        var callers: [NameCaller]
    }

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - threads: The maximum number of concurrent queries.
    ///   - lookUp: Resolves a name and blocks. The default uses the operating system.
    ///   - start: Runs a closure on a new thread, and returns `false` if there is none.
    package init(
        threads: Int, lookUp: @escaping @Sendable (String) -> NameLookupOutcome = SystemNameLookup.addresses,
        start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = BlockingThread.start
    ) {
        self.threads = max(1, threads)
        self.lookUp = lookUp
        self.start = start
    }

    /// The outcome of a query, and the time that it waited for a thread.
    package struct Answer: Sendable {
        package let outcome: NameLookupOutcome
        package let waited: Duration

        package init(outcome: NameLookupOutcome, waited: Duration) {
            self.outcome = outcome
            self.waited = waited
        }
    }

    /// Resolves a host. An IP address is its own answer.
    ///
    /// - Parameters:
    ///   - host: A DNS name, or an IP address without brackets.
    ///   - timeout: The time for the query once it has a thread.
    ///   - patience: The time to wait for a thread, or `nil` to wait without a limit.
    package func addresses(of host: String, timeout: Duration, patience: Duration? = nil) async -> Answer {
        if let address = Self.address(host) { return Answer(outcome: .found([address]), waited: .zero) }
        let caller = NameCaller(timeout: timeout)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                caller.wait(continuation, patience: patience)
                self.join(caller, for: host)
            }
        } onCancel: {
            caller.finish(.cancelled)
        }
    }

    /// Returns the address in a text, or `nil` if the text is a name.
    static func address(_ text: String) -> SocketAddress? { try? SocketAddress(ipAddress: text, port: 0) }

    private func join(_ caller: NameCaller, for name: String) {
        let hasBegun = self.state.withLock { state in
            guard var lookup = state.lookups[name] else {
                state.lookups[name] = Lookup(callers: [caller])
                state.queue.append(name)
                return false
            }
            // Finished callers are removed, so that they do not accumulate while others join.
            lookup.callers.removeAll(where: \.isFinished)
            lookup.callers.append(caller)
            state.lookups[name] = lookup
            return lookup.hasBegun
        }
        if hasBegun { caller.begin() }
        self.startWaiting()
    }

    /// Starts the waiting queries in their order, as far as there are threads.
    private func startWaiting() {
        while let (name, callers) = self.state.withLock({ self.next(&$0) }) {
            let isStarted = self.start {
                self.finish(name, self.lookUp(name))
                self.startWaiting()
            }
            if isStarted {
                for caller in callers { caller.begin() }
            } else if self.putBack(name) {
                return
            } else {
                self.finish(name, .starved)
            }
        }
    }

    /// Puts a query back for which the system gave no thread, until another query ends. Returns `false` if no other is running.
    private func putBack(_ name: String) -> Bool {
        self.state.withLock { state in
            guard state.running > 1 else { return false }
            state.running -= 1
            state.lookups[name]?.hasBegun = false
            state.queue.prepend(name)
            return true
        }
    }

    private func next(_ state: inout State) -> (String, [NameCaller])? {
        while state.running < self.threads, let name = state.queue.popFirst() {
            guard let callers = state.lookups[name]?.callers, callers.contains(where: { !$0.isFinished }) else {
                state.lookups[name] = nil
                continue
            }
            state.lookups[name]?.hasBegun = true
            state.running += 1
            return (name, callers)
        }
        return nil
    }

    private func finish(_ name: String, _ outcome: NameLookupOutcome) {
        let callers = self.state.withLock { state in
            state.running -= 1
            return state.lookups.removeValue(forKey: name)?.callers ?? []
        }
        for caller in callers { caller.finish(outcome) }
    }
}
