//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Hands reports to those who want them, beside the evaluations and never on their way.
///
/// An evaluation leaves its report in a queue and goes on. One task takes them out, one after the other. The same report
/// is handed on once in a while only; and where reports come faster than they are taken, the newest are dropped and
/// counted.
public final class PinReporter: Sendable {
    /// The limits of a reporter.
    public struct Configuration: Sendable, Hashable {
        /// The time before the same report is handed on again. Reports are the same when host, port, pattern, path, pins and
        /// decision are.
        public var interval = Duration.seconds(86_400)
        /// The most different reports about one host within that time: an attacker in between can make a new certificate
        /// for every connection.
        public var maximumPerHost = 16
        /// The most reports that wait.
        public var capacity = 64
        /// The most different reports that are remembered as handed on; beyond it the oldest are forgotten.
        public var memory = 1_024

        /// The usual limits: the same report once a day, 16 about one host, 64 waiting.
        public init() {}
    }

    /// What became of the reports so far.
    public struct Counts: Sendable, Hashable {
        /// Handed on.
        public internal(set) var handedOn = 0
        /// Left out, as the same, or enough about the host, was handed on before.
        public internal(set) var repeated = 0
        /// Left out, as too many waited.
        public internal(set) var dropped = 0
    }

    private struct State: Sendable {
        var recent: RecentReports
        var counts = Counts()
    }

    private let state: Mutex<State>
    private let queue: AsyncStream<PinReport>.Continuation
    private let task: Task<Void, Never>

    /// A reporter.
    ///
    /// - Parameters:
    ///   - configuration: The limits.
    ///   - handler: Takes one report after the other, on a task of its own.
    public init(
        configuration: Configuration = Configuration(), handler: @escaping @Sendable (PinReport) async -> Void
    ) {
        let recent = RecentReports(
            interval: configuration.interval, capacity: configuration.memory, perHost: configuration.maximumPerHost)
        self.state = Mutex(State(recent: recent))
        let (reports, queue) = AsyncStream.makeStream(
            of: PinReport.self, bufferingPolicy: .bufferingOldest(max(1, configuration.capacity)))
        self.queue = queue
        self.task = Task {
            for await report in reports { await handler(report) }
        }
    }

    deinit { self.queue.finish() }

    /// Leaves a report to be handed on. Returns at once.
    public func report(_ report: PinReport) {
        let key = RecentReports.Key(report)
        self.state.withLock { state in
            guard state.recent.isNew(key, at: report.date) else {
                state.counts.repeated += 1
                return
            }
            if case .enqueued = self.queue.yield(report) {
                state.counts.handedOn += 1
                state.recent.remember(key, at: report.date)
            } else {
                state.counts.dropped += 1
            }
        }
    }

    /// What became of the reports so far.
    public var counts: Counts { self.state.withLock { $0.counts } }

    /// Takes no more reports, and waits until those that wait are handed on.
    public func finish() async {
        self.queue.finish()
        await self.task.value
    }
}
