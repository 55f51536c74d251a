//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Hands reports to whoever wants them, beside the evaluations and never on their way.
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
        /// The most reports that wait.
        public var capacity = 64
        /// The most different reports that are remembered as handed on; beyond it the oldest are forgotten.
        public var memory = 1_024

        /// The usual limits: the same report once a day, 64 waiting.
        public init() {}
    }

    /// What became of the reports so far.
    public struct Counts: Sendable, Hashable {
        /// Handed on.
        public internal(set) var handedOn = 0
        /// Left out, as the same was handed on before.
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
        let recent = RecentReports(interval: configuration.interval, capacity: configuration.memory)
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

/// The reports that were handed on lately.
struct RecentReports: Sendable {
    /// What makes two reports the same.
    struct Key: Hashable {
        let host: String
        let port: Int?
        let pattern: HostPattern?
        let path: [[UInt8]]
        let pins: PinSet
        let failureCode: String?

        init(_ report: PinReport) {
            self.host = report.host
            self.port = report.port
            self.pattern = report.pattern
            self.path = report.mismatch.path.map(\.sha256Fingerprint)
            self.pins = report.mismatch.pins
            self.failureCode = report.failureCode
        }
    }

    private let interval: TimeInterval
    private let capacity: Int
    private var dates: [Key: Date] = [:]
    private var order: [Key] = []

    init(interval: Duration, capacity: Int) {
        let (seconds, attoseconds) = interval.components
        self.interval = TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
        self.capacity = max(1, capacity)
    }

    /// Whether the same was not handed on within the interval, by the clock of the evaluations.
    func isNew(_ key: Key, at date: Date) -> Bool {
        guard let last = self.dates[key] else { return true }
        return abs(date.timeIntervalSince(last)) >= self.interval
    }

    mutating func remember(_ key: Key, at date: Date) {
        if self.dates.updateValue(date, forKey: key) == nil { self.order.append(key) }
        if self.order.count > self.capacity { self.dates.removeValue(forKey: self.order.removeFirst()) }
    }
}
