//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// The way a watch ended.
package enum WatchEnd: Error {
    /// A signal stopped the watch. The value is the exit code for that signal.
    case interrupted(Int32)
    case unwritable
}

/// A watch that scans the same hosts repeatedly and writes the changes.
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
    let complain: Complaint

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - loop: The loop that scans a list.
    ///   - interval: The time from the start of one round to the start of the next.
    ///   - criterion: The criterion by which outcomes are counted.
    ///   - signals: The signals that end the watch.
    ///   - progress: The progress display of a round.
    ///   - writer: The writer of changes.
    ///   - warner: The receiver that warns of certificates that expire soon.
    ///   - metrics: The metrics for Prometheus, or `nil` if there is none.
    ///   - isQuiet: `true` to omit the reports of rounds.
    ///   - complain: A closure that receives reports of rounds and errors.
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

    /// Watches until a signal arrives or the output fails.
    ///
    /// - Parameter list: A closure that opens the list. It is called before each round, so that the list may change.
    /// - Throws: ``WatchEnd`` at the end of the watch, or ``FleetError`` if the first round fails.
    package func run(_ list: () throws(FleetError) -> LineInput) async throws {
        var earlier: EarlierResults?
        var number = 1
        while true {
            let start = ContinuousClock.now
            do {
                earlier = try await self.round(number, since: earlier, list: list)
            } catch let error as FleetError where number > 1 {
                // A list that is being replaced or a full disk is temporary. The earlier results are kept for the next comparison.
                self.complain("round \(number) is left out: \(error)")
            }
            number += 1
            try await self.rest(until: start + self.interval)
        }
    }

    /// Scans all hosts once.
    ///
    /// - Returns: The results for comparison with the next round.
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
