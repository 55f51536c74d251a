//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustNIO
import SystemPackage
import TLSProbe
import TLSWire

/// The hosts that an earlier run has finished, in sixteen bytes each.
package struct FinishedHosts: Sendable {
    /// The number of results of each host. A list may name a host twice.
    private var counts: [TargetIdentity: Int32] = [:]
    let tally: ScanTally
    let report: ResultsFile.Report
    /// `true` if the file of results does not exist yet.
    package private(set) var isNew = false

    /// Reads the results of an earlier run.
    ///
    /// - Parameters:
    ///   - path: The file of results. If it does not exist, no host is finished, so that the first run and a resumed one use
    ///     the same command.
    ///   - complain: A closure that reports lines that are not results.
    /// - Throws: ``FleetError`` if the file cannot be read or has no results.
    package init(_ path: String, complain: Complaint) throws {
        var counts: [TargetIdentity: Int32] = [:]
        var tally = ScanTally()
        let needsFile = "A scan goes on with the results that are in a file"
        guard let file = try SharedFile.results(path, needsFile: needsFile) else {
            self.tally = tally
            self.report = ResultsFile.Report()
            self.isNew = true
            return
        }
        self.report = try ResultsFile(path, reading: file.descriptor).read { entry in
            counts[entry.record.identity, default: 0] += 1
            tally.count(entry.record)
        }
        self.tally = tally
        self.counts = counts
        try self.check(path, complain: complain)
    }

    private func check(_ path: String, complain: Complaint) throws(FleetError) {
        if self.report.results == 0, let line = self.report.firstUnusable {
            throw FleetError(
                "\(path): line \(line) is no result of a scan. Name the file of an earlier run")
        }
        if self.report.unusable > 0, let line = self.report.firstUnusable {
            complain(
                "\(path): \(self.report.unusable) lines are no results, the first is line \(line). Their hosts are "
                    + "asked again")
        }
    }

    /// Returns `true` if an entry of the list is finished. Each finished entry is returned once.
    mutating func take(_ entry: ScanEntry) -> Bool {
        let identity = entry.identity
        guard let count = self.counts[identity] else { return false }
        self.counts[identity] = count > 1 ? count - 1 : nil
        return true
    }
}

extension ScanEntry {
    /// The identity of the host, by the same rule as in results.
    var identity: TargetIdentity {
        var record = ScanRecord(line: self.line, date: "", outcome: .init())
        switch self.target {
        case .success(let target):
            record.host = target.endpoint.host.text
            record.port = target.endpoint.port
            record.connectTo = target.endpoint.connectAddress?.text
            record.sni = target.serverName.map(DisplayText.text)
            record.startTLS = target.startTLS?.rawValue
        case .failure: record.text = self.text
        }
        return record.identity
    }
}
