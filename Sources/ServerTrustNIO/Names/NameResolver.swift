//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// Looks names up on threads of its own: so many at a time, and one for each name.
///
/// `getaddrinfo` cannot be called off. A name whose servers do not answer keeps a thread for as long as the system tries, 5 to
/// 30 seconds; on threads that others need, a few such names stop everything. Here they keep their own thread and no other:
/// a second caller who asks for the same name waits for the same look-up. The time of a caller runs from the moment at which
/// the look-up has a thread, so that other names are never held against this one.
package final class NameResolver: Sendable {
    /// For the hosts that a program connects to by itself. The threads are the process's, as those of NIO's event loops are.
    package static let system = NameResolver(threads: 128)
    /// For the hosts that certificates point to. Strangers choose them, and must not use up the threads of ``system``.
    package static let certificates = NameResolver(threads: 32)

    private let threads: Int
    private let lookUp: @Sendable (String) -> NameLookupOutcome
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Mutex(State())

    private struct State {
        var running = 0
        /// The names that are looked up, or wait for a thread.
        var lookups: [String: Lookup] = [:]
        var queue = CircularBuffer<String>()
    }

    private struct Lookup {
        var hasBegun = false
        var callers: [NameCaller]
    }

    /// A resolver.
    ///
    /// - Parameters:
    ///   - threads: How many names are looked up at the same time.
    ///   - lookUp: Looks a name up and blocks; by default by the operating system.
    ///   - start: Runs something on a thread of its own, and says whether there is one.
    package init(
        threads: Int, lookUp: @escaping @Sendable (String) -> NameLookupOutcome = SystemNameLookup.addresses,
        start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = BlockingThread.start
    ) {
        self.threads = max(1, threads)
        self.lookUp = lookUp
        self.start = start
    }

    /// What a look-up came to, and how long it waited for a thread.
    package struct Answer: Sendable {
        package let outcome: NameLookupOutcome
        package let waited: Duration

        /// An answer.
        package init(outcome: NameLookupOutcome, waited: Duration) {
            self.outcome = outcome
            self.waited = waited
        }
    }

    /// Looks a host up. An IP address is its own answer.
    ///
    /// - Parameters:
    ///   - host: A DNS name, or an IP address without brackets.
    ///   - timeout: The time that the look-up has, once it has a thread.
    ///   - patience: The time that the caller waits for a thread; `nil` for as long as it takes.
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

    /// The address that a text is; `nil` where it is a name.
    static func address(_ text: String) -> SocketAddress? { try? SocketAddress(ipAddress: text, port: 0) }

    private func join(_ caller: NameCaller, for name: String) {
        let hasBegun = self.state.withLock { state in
            guard var lookup = state.lookups[name] else {
                state.lookups[name] = Lookup(callers: [caller])
                state.queue.append(name)
                return false
            }
            // Callers that have gone are not kept for as long as others come.
            lookup.callers.removeAll(where: \.isFinished)
            lookup.callers.append(caller)
            state.lookups[name] = lookup
            return lookup.hasBegun
        }
        if hasBegun { caller.begin() }
        self.startWaiting()
    }

    /// Gives threads to the names that wait for one, in the order of asking.
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

    /// Lets a name wait that the system gave no thread for, until another look-up is over; `false` when no look-up is running.
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
