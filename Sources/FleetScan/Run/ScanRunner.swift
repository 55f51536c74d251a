//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import SystemPackage

/// The way a scan ended.
package enum ScanEnd: Sendable, Equatable {
    case complete
    /// A signal stopped the scan. The value is the exit code for that signal.
    case interrupted(Int32)
    case unwritable(SystemError)
    case unreadable(SystemError)
    /// The process or the system has no descriptor left for another connection.
    case starved(SystemError)
}

/// A runner that scans a list until its end, or until a signal or an error stops it.
package struct ScanRunner: Sendable {
    let loop: ScanLoop
    let signals: InterruptSignals
    let progress: ScanProgress
    /// The time that hosts in progress have left after the first signal.
    var grace = Duration.seconds(2)

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - loop: The loop that scans the hosts.
    ///   - signals: The signals that stop the scan.
    ///   - progress: The progress display.
    ///   - grace: The time that hosts in progress have left after the first signal.
    package init(
        loop: ScanLoop, signals: InterruptSignals, progress: ScanProgress, grace: Duration = Duration.seconds(2)
    ) {
        self.loop = loop
        self.signals = signals
        self.progress = progress
        self.grace = grace
    }

    /// Scans a list.
    ///
    /// - Returns: The way the scan ended and its final state.
    package func run(
        _ input: LineInput, _ receivers: [any ScanReceiver], finished: FinishedHosts? = nil
    ) async -> (end: ScanEnd, state: ScanSession.State) {
        let stop = Stop(input)
        let session = ScanSession(receivers, finished: finished) { stop.now() }
        let work = Task { try await self.loop.run(input, session) }
        stop.cancels(work)
        let watch = Task {
            for await _ in self.signals.arrivals() {
                input.stop()
                try? await Task.sleep(for: self.grace)
                stop.now()
            }
        }
        let ticks = Task { await self.progress.run(session, size: input.size) }
        let result = await work.result
        watch.cancel()
        ticks.cancel()
        await ticks.value
        let isComplete = self.end(result, await session.state) == .complete
        await session.end(isComplete: isComplete)
        let state = await session.state
        return (self.end(result, state), state)
    }

    private func end(_ result: Result<Void, any Error>, _ state: ScanSession.State) -> ScanEnd {
        if let failure = state.failure { return .unwritable(failure) }
        if let code = self.signals.exitCode { return .interrupted(code) }
        if case .failure(let error as StarvedProbe) = result { return .starved(error.cause) }
        if case .failure(let error) = result { return .unreadable(error as? SystemError ?? .ioError) }
        return .complete
    }
}

/// A switch that ends the input and the work, from any task and at any time.
private final class Stop: Sendable {
    private let input: LineInput
    private let state = Mutex<(isStopped: Bool, work: Task<Void, any Error>?)>((false, nil))

    init(_ input: LineInput) {
        self.input = input
    }

    func cancels(_ work: Task<Void, any Error>) {
        let isStopped = self.state.withLock { state in
            state.work = work
            return state.isStopped
        }
        if isStopped { work.cancel() }
    }

    func now() {
        self.input.stop()
        self.state.withLock { state in
            state.isStopped = true
            return state.work
        }?.cancel()
    }
}
