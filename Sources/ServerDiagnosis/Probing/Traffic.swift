//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// The limits on the connections of all probes: their number at a time and their rate.
final class Traffic: Sendable {
    private let permits: Permits
    private let pace: Mutex<Pace>?

    init(_ configuration: Prober.Configuration) {
        self.permits = Permits(max(1, configuration.maximumConnections))
        self.pace = configuration.connectionsPerSecond.map { Mutex(Pace(perSecond: $0)) }
    }

    /// Waits until a connection may be opened. The caller must call ``leave()`` after closing it.
    ///
    /// - Returns: `true` if the connection may be opened. `false` if the task was cancelled, and then ``leave()`` must not be
    ///   called.
    func enter() async -> Bool {
        guard await self.permits.acquire() else { return false }
        guard let delay = self.pace?.withLock({ $0.reserve(at: .now) }), delay > .zero else { return true }
        // If the task is cancelled, the caller checks that next.
        try? await Task.sleep(for: delay)
        return true
    }

    func leave() { self.permits.release() }
}

/// A token bucket, stored as the time of its next token.
struct Pace: Sendable {
    private let interval: Duration
    private let burst: Duration
    private var next: ContinuousClock.Instant?

    /// Creates a bucket that allows a burst of a tenth of a second's tokens.
    init(perSecond: Double) {
        // A rate that is not a number counts as the slowest rate, to protect other people's servers.
        let rate = perSecond >= 0.001 ? min(perSecond, 1_000_000) : 0.001
        self.interval = .seconds(1) / rate
        self.burst = .milliseconds(100)
    }

    /// Takes a token, and returns the time to wait for it.
    mutating func reserve(at now: ContinuousClock.Instant) -> Duration {
        let earliest = max(self.next ?? now, now - self.burst)
        self.next = earliest + self.interval
        return max(.zero, now.duration(to: earliest))
    }
}

/// A fixed number of permits, granted in the order of the requests.
final class Permits: Sendable {
    private struct State {
        var available: Int
        /// The waiting requests in their order, including cancelled ones.
        var order = CircularBuffer<UInt64>()
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var next: UInt64 = 0

        /// Takes a permit if there is one. Otherwise the request waits.
        mutating func take(_ continuation: CheckedContinuation<Bool, Never>, as number: UInt64) -> Bool {
            guard self.available > 0 else {
                self.order.append(number)
                self.waiting[number] = continuation
                return false
            }
            self.available -= 1
            return true
        }

        /// Returns the waiting request that receives a released permit, or `nil` if none waits.
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
    /// - Returns: `true` once there is a permit, `false` if the task is cancelled.
    func acquire() async -> Bool {
        let number = self.state.withLock { state in
            state.next &+= 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancellation is checked under the lock, so `onCancel` always finds the continuation.
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
