//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// The session that receives all results of a scan, writes and counts them, and tracks the progress through the list.
package actor ScanSession {
    /// The state of a scan.
    package struct State: Sendable {
        /// The tally of all hosts, including those of an earlier run.
        package var tally = ScanTally()
        var earlier = ScanTally()
        /// The line numbers in progress.
        var inFlight: Set<Int> = []
        /// The number of the last line that was started.
        var lastLine = 0
        var readBytes = 0
        /// The number of hosts skipped because an earlier run had finished them.
        var skipped = 0
        var failure: SystemError?

        /// The number of hosts and unusable lines that this run has finished.
        var finishedHosts: Int { self.tally.results - self.earlier.results }

        /// `true` if there was neither a line in the list nor an earlier result.
        package var isEmpty: Bool { self.lastLine == 0 && self.finishedHosts == 0 }

        /// The number of the last line up to which all lines are finished.
        var finishedLine: Int { self.inFlight.min().map { $0 - 1 } ?? self.lastLine }
    }

    private(set) var state = State()
    private var receivers: [any ScanReceiver]
    private var finished: FinishedHosts?
    private let onFailure: @Sendable () -> Void

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - receivers: The receivers of the results.
    ///   - finished: The hosts to skip.
    ///   - onFailure: A closure that is called once if a result cannot be written.
    init(_ receivers: [any ScanReceiver], finished: FinishedHosts? = nil, onFailure: @escaping @Sendable () -> Void) {
        self.receivers = receivers
        self.finished = finished
        if let finished { (self.state.tally, self.state.earlier) = (finished.tally, finished.tally) }
        self.onFailure = onFailure
    }

    /// Starts an entry.
    ///
    /// - Returns: `true` if the entry must be scanned, `false` if it is finished already or the output has failed.
    func begin(_ entry: ScanEntry, upTo readBytes: Int) -> Bool {
        self.state.readBytes = readBytes
        guard self.state.failure == nil else { return false }
        self.state.lastLine = entry.line
        guard self.finished?.take(entry) != true else {
            self.state.skipped += 1
            return false
        }
        self.state.inFlight.insert(entry.line)
        return true
    }

    /// Receives a result. It counts as finished after it is written.
    func finish(_ result: ScanResult) {
        guard self.state.failure == nil else { return }
        do {
            for index in self.receivers.indices { try self.receivers[index].receive(result) }
            self.state.inFlight.remove(result.record.line)
            self.state.tally.count(result.record)
        } catch {
            self.fail(error)
        }
    }

    func end(isComplete: Bool) {
        guard self.state.failure == nil else { return }
        do {
            for index in self.receivers.indices { try self.receivers[index].end(isComplete: isComplete) }
        } catch {
            self.fail(error)
        }
    }

    private func fail(_ error: SystemError) {
        self.state.failure = error
        self.onFailure()
    }
}
