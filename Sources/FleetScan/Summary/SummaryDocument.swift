//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The summary of a scan in JSON.
struct SummaryDocument: Encodable {
    private let format = "servertrust.scan-summary/1"
    private let end: String
    private let hosts: Int
    private let skipped: Int
    private let unusableLines: Int
    private let finishedLine: Int
    private let degraded: Int
    private let connections: Int
    /// The oldest date of Apple's data that a result is based on. Absent if no result names one.
    private let dataDate: String?
    private let seconds: Double
    private let ats: ScanTally.VerdictCounts
    private let fcp: ScanTally.VerdictCounts
    private let trust: ScanTally.VerdictCounts
    /// Absent if no Info.plist was given.
    private let plist: ScanTally.VerdictCounts?
    /// Absent if no host has pins.
    private let pins: ScanTally.VerdictCounts?
    /// Failed hosts present a certificate that is due for a warning before it ends.
    private let expiry: ScanTally.VerdictCounts
    private let faults: [Fault]
    private let slowest: [Slow]

    private struct Fault: Encodable {
        let code: String
        let hosts: Int
        let example: String
        let message: String
    }

    private struct Slow: Encodable {
        let host: String
        let milliseconds: Int
    }

    /// The beginning of every summary, without white space.
    static let beginning = "{\"ats\":{\"failed\":"

    init(_ summary: ScanSummary) {
        let tally = summary.state.tally
        self.end = summary.end.name
        self.hosts = tally.hosts
        self.skipped = summary.state.skipped
        self.unusableLines = tally.unusable
        self.finishedLine = summary.state.finishedLine
        self.degraded = tally.degraded
        self.connections = tally.connections
        self.dataDate = tally.appleData
        self.seconds = (ProgressText.seconds(summary.elapsed) * 1000).rounded() / 1000
        self.ats = tally.ats
        self.fcp = tally.fcp
        self.trust = tally.trust
        self.plist = tally.plist == ScanTally.VerdictCounts() ? nil : tally.plist
        self.pins = tally.pins == ScanTally.VerdictCounts() ? nil : tally.pins
        self.expiry = tally.expiry
        self.faults = tally.commonest().map {
            Fault(code: $0.code, hosts: $0.hosts, example: $0.example, message: $0.message)
        }
        self.slowest = tally.slowest.map { Slow(host: $0.name, milliseconds: $0.milliseconds) }
    }
}

extension ScanEnd {
    fileprivate var name: String {
        switch self {
        case .complete: "complete"
        case .interrupted: "interrupted"
        case .unwritable: "unwritable"
        case .unreadable: "unreadable"
        case .starved: "starved"
        }
    }
}
