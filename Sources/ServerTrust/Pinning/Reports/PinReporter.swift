//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A reporter that delivers pin reports to the program without delaying evaluations.
///
/// An evaluation puts its report into a queue and continues. One task delivers the reports, one after the other. Equal reports are
/// delivered only once in an interval. If reports arrive faster than the handler takes them, the newest are dropped and counted.
public final class PinReporter: Sendable {
    /// The limits of a reporter.
    ///
    /// They protect the handler: an attacker can cause any number of reports.
    public struct Configuration: Sendable, Hashable {
        /// The time before an equal report is delivered again. Reports are equal if host, port, pattern, path, pins and failure
        /// code are.
        public var interval = Duration.seconds(86_400)
        /// The maximum number of different reports about one host within the interval. An attacker on the network path can make a
        /// new certificate for every connection.
        public var maximumPerHost = 16
        /// The maximum number of waiting reports.
        public var capacity = 64
        /// The maximum number of delivered reports to remember. Beyond it the oldest are forgotten.
        public var memory = 1_024

        /// Creates the default limits: an equal report once a day, 16 about one host, 64 waiting.
        public init() {}
    }

    /// The numbers of reports so far, by outcome.
    public struct Counts: Sendable, Hashable {
        /// The number of reports put into the queue for the handler.
        public internal(set) var handedOn = 0
        /// The number of reports left out because an equal one, or enough about the host, was delivered before.
        public internal(set) var repeated = 0
        /// The number of reports left out because too many were waiting.
        public internal(set) var dropped = 0
    }

    private struct State: Sendable {
        var recent: RecentReports
        var counts = Counts()
    }

    private let state: Mutex<State>
    private let queue: AsyncStream<PinReport>.Continuation
    private let task: Task<Void, Never>

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - configuration: The limits.
    ///   - handler: The function that receives one report after the other, on its own task.
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

    /// Puts a report into the queue and returns immediately.
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

    /// The numbers of reports so far, by outcome.
    public var counts: Counts { self.state.withLock { $0.counts } }

    /// Stops accepting reports, and waits until the handler has received the waiting ones.
    ///
    /// If the task is canceled, the handler's task is canceled as well, and the remaining reports are dropped.
    public func finish() async {
        self.queue.finish()
        await withTaskCancellationHandler {
            await self.task.value
        } onCancel: {
            self.task.cancel()
        }
    }
}
