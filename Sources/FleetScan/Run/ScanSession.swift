//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// The one place through which everything passes that a scan finds out: it is written, counted, and remembered how far the
/// list is done.
package actor ScanSession {
    /// Where a scan is.
    package struct State: Sendable {
        /// What is known of all hosts, those of an earlier run among them.
        package var tally = ScanTally()
        /// What an earlier run had found out.
        var earlier = ScanTally()
        /// Lines of the list that are in work.
        var inFlight: Set<Int> = []
        /// The last line that was begun.
        var lastLine = 0
        /// How many bytes of the list were read.
        var readBytes = 0
        /// Hosts that an earlier run had finished.
        var skipped = 0
        /// Why nothing can be written any more.
        var failure: SystemError?

        /// The hosts, and lines that name none, that this run has finished.
        var finishedHosts: Int { self.tally.results - self.earlier.results }

        /// Whether there was nothing to be asked: neither a line of the list nor an earlier result.
        package var isEmpty: Bool { self.lastLine == 0 && self.finishedHosts == 0 }

        /// The line of the list up to which everything is finished.
        var finishedLine: Int { self.inFlight.min().map { $0 - 1 } ?? self.lastLine }
    }

    private(set) var state = State()
    private var receivers: [any ScanReceiver]
    private var finished: FinishedHosts?
    private let onFailure: @Sendable () -> Void

    /// - Parameters:
    ///   - receivers: What becomes of the results.
    ///   - finished: The hosts that need not be asked again.
    ///   - onFailure: Called once when a result cannot be written.
    init(_ receivers: [any ScanReceiver], finished: FinishedHosts? = nil, onFailure: @escaping @Sendable () -> Void) {
        self.receivers = receivers
        self.finished = finished
        if let finished { (self.state.tally, self.state.earlier) = (finished.tally, finished.tally) }
        self.onFailure = onFailure
    }

    /// Takes an entry into work.
    ///
    /// - Returns: Whether there is anything to do.
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

    /// Takes a result. It counts as finished when it is written.
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

    /// Writes what comes at the end, where it can still be written.
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
