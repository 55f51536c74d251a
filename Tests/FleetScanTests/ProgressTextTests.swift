//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("How a scan is getting on")
struct ProgressTextTests {
    @Test(
        "There is a bar on a terminal of 80 columns, and no line is wider than its terminal",
        arguments: [20, 60, 80, 132])
    func widths(width: Int) {
        var state = ScanSession.State()
        for line in 1...1234 {
            var record = ScanRecord(line: line, date: "now", outcome: .init(ats: "passed", fcp: nil, trust: "passed"))
            record.host = "a.test"
            record.connections = 7
            state.tally.count(record)
        }
        (state.readBytes, state.lastLine) = (40_000, 1_234)
        let line = ProgressText(state: state, elapsed: .seconds(100), size: 80_000).line(width: width)
        #expect(line.count < width)
        #expect(line.hasPrefix("[#") == (width >= 80), "\(line)")
        // The time that is left stands whole on every terminal.
        #expect(line.hasSuffix("1:40 left"), "\(line)")
        #expect(line.contains("connections/s") == (width >= 132), "\(line)")
    }
}
