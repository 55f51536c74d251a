//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// Keeps the connections of all probes within their limits: how many there are at a time, and how many in a second.
final class Traffic: Sendable {
    private let permits: Permits
    private let pace: Mutex<Pace>?

    init(_ configuration: Prober.Configuration) {
        self.permits = Permits(max(1, configuration.maximumConnections))
        self.pace = configuration.connectionsPerSecond.map { Mutex(Pace(perSecond: $0)) }
    }

    /// Waits until a connection may be opened. Each has to be given back with ``leave()``.
    ///
    /// - Returns: Whether it may be: not when the task was cancelled, and then there is nothing to give back.
    func enter() async -> Bool {
        guard await self.permits.acquire() else { return false }
        guard let delay = self.pace?.withLock({ $0.reserve(at: .now) }), delay > .zero else { return true }
        // When the task is cancelled, the caller looks at that next.
        try? await Task.sleep(for: delay)
        return true
    }

    /// Says that a connection is closed.
    func leave() { self.permits.release() }
}

/// A bucket of tokens, in the form of the time at which the next one falls into it.
struct Pace: Sendable {
    private let interval: Duration
    private let burst: Duration
    private var next: ContinuousClock.Instant?

    /// A pace that lets a tenth of a second's tokens pass at once.
    init(perSecond: Double) {
        // What is no number is as slow as can be: it is other people's servers that would have to bear more.
        let rate = perSecond >= 0.001 ? min(perSecond, 1_000_000) : 0.001
        self.interval = .seconds(1) / rate
        self.burst = .milliseconds(100)
    }

    /// Takes a token, and says how long to wait for it.
    mutating func reserve(at now: ContinuousClock.Instant) -> Duration {
        let earliest = max(self.next ?? now, now - self.burst)
        self.next = earliest + self.interval
        return max(.zero, now.duration(to: earliest))
    }
}

/// A number of permits, given out in the order of asking.
final class Permits: Sendable {
    private struct State {
        var available: Int
        /// Who waits, in the order of asking; those who gave up are in here still.
        var order = CircularBuffer<UInt64>()
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var next: UInt64 = 0

        /// Takes a permit if there is one, and has someone wait if not.
        mutating func take(_ continuation: CheckedContinuation<Bool, Never>, as number: UInt64) -> Bool {
            guard self.available > 0 else {
                self.order.append(number)
                self.waiting[number] = continuation
                return false
            }
            self.available -= 1
            return true
        }

        /// Who gets a permit that was given back.
        mutating func nextWaiting() -> CheckedContinuation<Bool, Never>? {
            while let number = self.order.popFirst() {
                if let continuation = self.waiting.removeValue(forKey: number) { return continuation }
            }
            self.available += 1
            return nil
        }
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        self.state = Mutex(State(available: count))
    }

    /// Waits for a permit.
    ///
    /// - Returns: Whether there is one: not when the task is cancelled.
    func acquire() async -> Bool {
        let number = self.state.withLock { state in
            state.next &+= 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A task is cancelled before its handlers are called: who is not now, is found waiting by them.
                let answer: Bool? = self.state.withLock { state in
                    if Task.isCancelled { return false }
                    return state.take(continuation, as: number) ? true : nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            self.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
        }
    }

    func release() { self.state.withLock { $0.nextWaiting() }?.resume(returning: true) }
}
