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
        /// The most different reports about one host within that time: whoever is in between can make a new certificate
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

    /// A host, with how many reports about it were handed on since when.
    private struct Share {
        var start: Date
        var count: Int
    }

    private let interval: TimeInterval
    private let capacity: Int
    private let perHost: Int
    private var dates: [Key: Date] = [:]
    private var order: [Key] = []
    private var shares: [String: Share] = [:]

    init(interval: Duration, capacity: Int, perHost: Int) {
        let (seconds, attoseconds) = interval.components
        self.interval = TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
        self.capacity = max(1, capacity)
        self.perHost = max(1, perHost)
    }

    /// Whether the same was not handed on within the interval, nor enough about its host, by the clock of the evaluations.
    func isNew(_ key: Key, at date: Date) -> Bool {
        if let share = self.shares[key.host], share.count >= self.perHost, !self.isOver(share.start, at: date) {
            return false
        }
        guard let last = self.dates[key] else { return true }
        return self.isOver(last, at: date)
    }

    mutating func remember(_ key: Key, at date: Date) {
        if self.dates.updateValue(date, forKey: key) == nil { self.order.append(key) }
        if self.order.count > self.capacity { self.dates.removeValue(forKey: self.order.removeFirst()) }
        // Hosts are the configuration's; only where wildcards make them many are they forgotten, all at once.
        if self.shares.count >= self.capacity { self.shares.removeAll() }
        var share = self.shares[key.host] ?? Share(start: date, count: 0)
        if self.isOver(share.start, at: date) { share = Share(start: date, count: 0) }
        share.count += 1
        self.shares[key.host] = share
    }

    private func isOver(_ start: Date, at date: Date) -> Bool { abs(date.timeIntervalSince(start)) >= self.interval }
}
