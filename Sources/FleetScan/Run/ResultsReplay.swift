//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Earlier results in place of a scan.
package struct ResultsReplay {
    private let path: String
    private let complain: Complaint

    /// - Parameters:
    ///   - path: The file of results.
    ///   - complain: Is told of lines that are no results.
    package init(_ path: String, complain: @escaping Complaint) {
        self.path = path
        self.complain = complain
    }

    /// Hands all results on.
    ///
    /// - Throws: ``FleetError`` when the file cannot be read, or is something else.
    package func run(_ receivers: [any ScanReceiver]) async throws -> (end: ScanEnd, state: ScanSession.State) {
        var receivers = receivers
        var state = ScanSession.State()
        do {
            let report = try ResultsFile(self.path).read { record, _ in
                for index in receivers.indices { try receivers[index].receive(ScanResult(record: record)) }
                state.tally.count(record)
            }
            if report.results == 0, let line = report.firstUnusable {
                throw FleetError("\(self.path): line \(line) is no result of `servertrust scan`")
            }
            if report.unusable > 0, let line = report.firstUnusable {
                self.complain("\(self.path): \(report.unusable) lines are no results; the first is line \(line)")
            }
            for index in receivers.indices { try receivers[index].end(isComplete: true) }
            return (.complete, state)
        } catch let error as SystemError {
            return (.unwritable(error), state)
        }
    }
}
