//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// Asks the same hosts again and again, and says what has changed.
struct Watch {
    let loop: ScanLoop
    let interval: Duration
    let criterion: ScanCriterion
    let signals: InterruptSignals
    let progress: ScanProgress
    let writer: ChangeWriter
    let warner: ExpiryWarner
    let metrics: MetricsBoard?
    let isQuiet: Bool

    /// Watches until a signal comes, or nothing can be written any more.
    ///
    /// - Parameter list: Opens the list; called before each round, so that a list may change.
    /// - Throws: `ExitCode`, always: there is no other end. In the first round ``CommandError`` when the list cannot be opened.
    func run(_ list: () throws -> LineInput) async throws {
        var earlier: EarlierResults?
        var number = 1
        while true {
            let start = ContinuousClock.now
            do {
                earlier = try await self.round(number, since: earlier, list)
            } catch let error as CommandError where number > 1 {
                // Lists are replaced, disks are full for a while: what is known stays, and is compared with next time.
                Console.complain("round \(number) is left out: \(error)")
            }
            number += 1
            try await self.rest(until: start + self.interval)
        }
    }

    /// Asks all hosts once.
    ///
    /// - Returns: What the next round is to be compared with.
    private func round(
        _ number: Int, since earlier: EarlierResults?, _ list: () throws -> LineInput
    ) async throws -> EarlierResults {
        let start = ContinuousClock.now
        let (recorder, list) = (try Self.recorder(), try list())
        let comparison = earlier.map { ChangeReceiver(self.writer, $0, self.criterion) }
        var receivers: [any ScanReceiver] = [self.warner, RoundReceiver(recorder, comparison)]
        if let metrics { receivers.append(MetricsReceiver(metrics)) }
        let before = self.writer.written.all
        let (end, state) = await ScanRunner(loop: self.loop, signals: self.signals, progress: self.progress)
            .run(list, receivers)
        try self.stop(end)
        let elapsed = start.duration(to: .now)
        self.metrics?.finish(state.tally, elapsed)
        self.say(number, state.tally, elapsed, changes: self.writer.written.all - before)
        if let failure = recorder.failure {
            throw CommandError("there is no place to keep what it found out: \(failure)")
        }
        return recorder.results
    }

    private static func recorder() throws -> RoundRecorder {
        do {
            return try RoundRecorder()
        } catch {
            throw CommandError("there is no place for a file to compare with: \(error)")
        }
    }

    private func stop(_ end: ScanEnd) throws {
        switch end {
        case .complete: return
        case .interrupted(let code): throw ExitCode(code)
        case .unwritable(let error) where error.isBrokenPipe: throw ExitCode(ReportVerdict.notEvaluated.rawValue)
        case .unwritable(let error):
            Console.complain("the changes cannot be written: \(error)")
            throw ExitCode(ReportVerdict.notEvaluated.rawValue)
        case .unreadable(let error): throw CommandError("the list cannot be read: \(error)")
        case .starved(let error): throw CommandError("there is no room for another connection: \(error)")
        }
    }

    private func say(_ round: Int, _ tally: ScanTally, _ elapsed: Duration, changes: Int) {
        guard !self.isQuiet else { return }
        let answers = tally.answers(self.criterion)
        let seconds = (ProgressText.seconds(elapsed) * 10).rounded() / 10
        Console.complain(
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
        if let code = self.signals.exitCode { throw ExitCode(code) }
    }
}
