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
    func enter() async {
        await self.permits.acquire()
        guard let delay = self.pace?.withLock({ $0.reserve(at: .now) }), delay > .zero else { return }
        // When the task is cancelled, whoever waits looks at that next.
        try? await Task.sleep(for: delay)
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
        let rate = min(max(perSecond, 0.001), 1_000_000)
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
        var waiting = CircularBuffer<CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        self.state = Mutex(State(available: count))
    }

    func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                guard state.available > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.available -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func release() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let next = state.waiting.popFirst() else {
                state.available += 1
                return nil
            }
            return next
        }
        next?.resume()
    }
}
