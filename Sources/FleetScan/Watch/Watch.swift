//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// How a watch ended.
package enum WatchEnd: Error {
    /// By a signal; the exit code that it means.
    case interrupted(Int32)
    /// The changes cannot be written.
    case unwritable
}

/// Asks the same hosts again and again, and says what has changed.
package struct Watch {
    let loop: ScanLoop
    let interval: Duration
    let criterion: ScanCriterion
    let signals: InterruptSignals
    let progress: ScanProgress
    let writer: ChangeWriter
    let warner: ExpiryWarner
    let metrics: MetricsBoard?
    let isQuiet: Bool
    /// Is told of rounds, and of what went wrong.
    let complain: Complaint

    /// A watch.
    ///
    /// - Parameters:
    ///   - loop: What asks the hosts of a list.
    ///   - interval: The time from the beginning of one round to that of the next.
    ///   - criterion: The question whose answers are counted.
    ///   - signals: What ends the watch.
    ///   - progress: What shows a round on a terminal.
    ///   - writer: What writes changes.
    ///   - warner: What warns before certificates end.
    ///   - metrics: What is served to Prometheus; `nil` for nothing.
    ///   - isQuiet: Whether rounds are left unsaid.
    ///   - complain: Is told of rounds, and of what went wrong.
    package init(
        loop: ScanLoop, interval: Duration, criterion: ScanCriterion, signals: InterruptSignals,
        progress: ScanProgress, writer: ChangeWriter, warner: ExpiryWarner, metrics: MetricsBoard?,
        isQuiet: Bool, complain: @escaping Complaint
    ) {
        self.loop = loop
        self.interval = interval
        self.criterion = criterion
        self.signals = signals
        self.progress = progress
        self.writer = writer
        self.warner = warner
        self.metrics = metrics
        self.isQuiet = isQuiet
        self.complain = complain
    }

    /// Watches until a signal comes, or nothing can be written any more.
    ///
    /// - Parameter list: Opens the list; called before each round, so that a list may change.
    /// - Throws: ``WatchEnd``, always: there is no other end. In the first round ``FleetError`` when the list cannot be opened.
    package func run(_ list: () throws(FleetError) -> LineInput) async throws {
        var earlier: EarlierResults?
        var number = 1
        while true {
            let start = ContinuousClock.now
            do {
                earlier = try await self.round(number, since: earlier, list: list)
            } catch let error as FleetError where number > 1 {
                // Lists are replaced, disks are full for a while: what is known stays, and is compared with next time.
                self.complain("round \(number) is left out: \(error)")
            }
            number += 1
            try await self.rest(until: start + self.interval)
        }
    }

    /// Asks all hosts once.
    ///
    /// - Returns: What the next round is to be compared with.
    private func round(
        _ number: Int, since earlier: EarlierResults?, list: () throws(FleetError) -> LineInput
    ) async throws -> EarlierResults {
        let start = ContinuousClock.now
        let (recorder, list) = (try Self.recorder(), try list())
        let comparison = earlier.map { ChangeReceiver(self.writer, $0, criterion: self.criterion) }
        var receivers: [any ScanReceiver] = [self.warner, RoundReceiver(recorder, comparison)]
        if let metrics { receivers.append(MetricsReceiver(metrics)) }
        let before = self.writer.written.all
        let (end, state) = await ScanRunner(loop: self.loop, signals: self.signals, progress: self.progress)
            .run(list, receivers)
        try self.stop(end)
        let elapsed = start.duration(to: .now)
        self.metrics?.finish(state.tally, elapsed)
        self.say(number, state.tally, elapsed: elapsed, changes: self.writer.written.all - before)
        if let failure = recorder.failure {
            throw FleetError("there is no place to keep its results: \(failure)")
        }
        return recorder.results
    }

    private static func recorder() throws -> RoundRecorder {
        do {
            return try RoundRecorder()
        } catch {
            throw FleetError("there is no place for a file to compare with: \(error)")
        }
    }

    private func stop(_ end: ScanEnd) throws {
        switch end {
        case .complete: return
        case .interrupted(let code): throw WatchEnd.interrupted(code)
        case .unwritable(let error) where error.isBrokenPipe: throw WatchEnd.unwritable
        case .unwritable(let error):
            self.complain("the changes cannot be written: \(error)")
            throw WatchEnd.unwritable
        case .unreadable(let error): throw FleetError("the list cannot be read: \(error)")
        case .starved(let error): throw FleetError("there is no room for another connection: \(error)")
        }
    }

    private func say(_ round: Int, _ tally: ScanTally, elapsed: Duration, changes: Int) {
        guard !self.isQuiet else { return }
        let answers = tally.answers(self.criterion)
        let seconds = (ProgressText.seconds(elapsed) * 10).rounded() / 10
        self.complain(
            "round \(round): \(tally.hosts) hosts in \(seconds) s, \(answers.passed) pass, \(answers.failed) fail, "
                + "\(answers.unknown) unknown, \(changes) changes and warnings")
    }

    /// Waits for the next round, or a signal.
    private func rest(until moment: ContinuousClock.Instant) async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(until: moment) }
            group.addTask { for await _ in self.signals.arrivals() { break } }
            await group.next()
            group.cancelAll()
        }
        if let code = self.signals.exitCode { throw WatchEnd.interrupted(code) }
    }
}
