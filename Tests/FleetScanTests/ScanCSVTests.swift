//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ReportSupport
import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("Results as CSV")
struct ScanCSVTests {
    @Test("The columns of CSV have the beginning, the share and the level, and are empty where nothing is known")
    func columns() throws {
        let due = ExpiryFixture.record(
            from: ExpiryFixture.start, days: 90, at: ExpiryFixture.start + 85 * ExpiryFixture.day, digest: "a")
        let known = [due, passingRecord()].map { record in
            Dictionary(uniqueKeysWithValues: zip(ScanCSV.header, ScanCSV.fields(record)))
        }
        #expect(known.allSatisfy { $0.count == ScanCSV.header.count })
        #expect(known[0]["not_before"] == "2026-05-28T20:26:40Z" && known[0]["expiry"] == "critical")
        #expect(known[0]["percent_left"] == "5" && known[0]["days_left"] == "5")
        for name in ["not_before", "percent_left", "expiry"] { #expect(known[1][name] == "") }
    }
}
