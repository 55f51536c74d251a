//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization

/// One caller of a query. It is answered once: by the query, by its timeout, or by cancellation.
final class NameCaller: Sendable {
    private let timeout: Duration
    private let asked = ContinuousClock.now
    private let state = Mutex(State())

    private struct State {
        var continuation: CheckedContinuation<NameResolver.Answer, Never>?
        var timer: Scheduled<Void>?
        var begun: ContinuousClock.Instant?
        var outcome: NameLookupOutcome?
    }

    init(timeout: Duration) {
        self.timeout = timeout
    }

    var isFinished: Bool { self.state.withLock { $0.outcome != nil } }

    /// Takes the continuation. A caller that is already cancelled is answered at once.
    func wait(_ continuation: CheckedContinuation<NameResolver.Answer, Never>, patience: Duration?) {
        let outcome = self.state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { return continuation.resume(returning: NameResolver.Answer(outcome: outcome, waited: .zero)) }
        if let patience { self.schedule(.busy, in: patience) { $0.begun == nil } }
    }

    /// Starts the caller's timeout, because the query now has a thread.
    func begin() {
        let isFirst = self.state.withLock { state in
            defer { state.begun = state.begun ?? .now }
            return state.begun == nil
        }
        if isFirst { self.schedule(.timedOut, in: self.timeout) { _ in true } }
    }

    func finish(_ outcome: NameLookupOutcome) { self.finish(outcome) { _ in true } }

    private func schedule(
        _ outcome: NameLookupOutcome, in time: Duration, where isDue: @escaping @Sendable (State) -> Bool
    ) {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let timer = loop.scheduleTask(in: TimeAmount(bounding: time)) { self.finish(outcome, where: isDue) }
        let previous = self.state.withLock { state in
            defer { state.timer = state.outcome == nil ? timer : nil }
            return state.outcome == nil ? state.timer : timer
        }
        previous?.cancel()
    }

    private func finish(_ outcome: NameLookupOutcome, where isDue: (State) -> Bool) {
        let (continuation, waited) = self.state.withLock { state in
            guard state.outcome == nil, isDue(state) else {
                return (nil as CheckedContinuation<NameResolver.Answer, Never>?, Duration.zero)
            }
            state.outcome = outcome
            state.timer?.cancel()
            defer { state.continuation = nil }
            return (state.continuation, self.asked.duration(to: state.begun ?? .now))
        }
        continuation?.resume(returning: NameResolver.Answer(outcome: outcome, waited: waited))
    }
}
