//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

/// A replay of earlier results in place of a scan, from one file or from the parts of a fleet.
package struct ResultsReplay {
    private let paths: [String]
    private let complain: Complaint

    /// Creates a replay.
    ///
    /// - Parameters:
    ///   - paths: The files of results in their order. `-` is standard input.
    ///   - complain: A closure that reports lines that are not results.
    package init(_ paths: [String], complain: @escaping Complaint) {
        self.paths = paths
        self.complain = complain
    }

    /// Passes all results to the receivers, each in its original line.
    ///
    /// - Throws: ``FleetError`` if a file cannot be read or has no results.
    package func run(_ receivers: [any ScanReceiver]) async throws -> (end: ScanEnd, state: ScanSession.State) {
        var receivers = receivers
        var state = ScanSession.State()
        do {
            for path in self.paths { try self.replay(path, to: &receivers, counting: &state.tally) }
            for index in receivers.indices { try receivers[index].end(isComplete: true) }
            return (.complete, state)
        } catch let error as SystemError {
            return (.unwritable(error), state)
        }
    }

    private func replay(
        _ path: String, to receivers: inout [any ScanReceiver], counting tally: inout ScanTally
    ) throws {
        let report = try ResultsFile(path).read { entry in
            let result = ScanResult(record: entry.record, written: entry.bytes)
            for index in receivers.indices { try receivers[index].receive(result) }
            tally.count(entry.record)
        }
        guard let line = report.firstUnusable else { return }
        guard report.results > 0 else { throw FleetError("\(path): line \(line) is no result of a scan") }
        self.complain("\(path): \(report.unusable) lines are no results. The first is line \(line)")
    }
}
