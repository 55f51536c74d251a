//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// The statistics of a scan, of bounded size for any number of hosts.
package struct ScanTally: Sendable {
    /// The number of hosts by outcome.
    struct VerdictCounts: Sendable, Codable, Hashable {
        var passed = 0
        var failed = 0
        var unknown = 0

        mutating func count(_ outcome: String?) {
            switch outcome {
            case "passed": self.passed += 1
            case "failed": self.failed += 1
            case "unknown": self.unknown += 1
            default: break
            }
        }
    }

    /// A problem that one or more hosts have.
    struct Fault: Sendable {
        let code: String
        /// The name of the first host with the problem.
        let example: String
        let message: String
        var hosts = 0
    }

    private(set) var hosts = 0
    private(set) var ats = VerdictCounts()
    private(set) var fcp = VerdictCounts()
    private(set) var trust = VerdictCounts()
    private(set) var plist = VerdictCounts()
    private(set) var pins = VerdictCounts()
    private(set) var expiry = VerdictCounts()
    private(set) var unusable = 0
    private(set) var firstUnusable: (line: Int, message: String)?
    private(set) var degraded = 0
    private(set) var connections = 0
    /// The oldest date of Apple's data that a result is based on, in ISO 8601. `nil` if no result names one.
    private(set) var appleData: String?
    /// The slowest hosts, the slowest first.
    private(set) var slowest: [(name: String, milliseconds: Int)] = []
    private var faults: [String: Fault] = [:]
    private static let kept = 5
    /// The maximum number of codes, more than exist. Hosts cannot add codes, but files of results can.
    private static let mostFaults = 500

    /// The number of hosts and unusable lines.
    var results: Int { self.hosts + self.unusable }

    mutating func count(_ record: ScanRecord) {
        guard record.error == nil else {
            self.unusable += 1
            self.firstUnusable = self.firstUnusable ?? (record.line, record.error?.message ?? "")
            return
        }
        self.hosts += 1
        self.ats.count(record.outcome.ats)
        self.fcp.count(record.outcome.fcp)
        self.trust.count(record.outcome.trust)
        self.plist.count(record.outcome.plist)
        self.pins.count(record.outcome.pins)
        self.expiry.count(record.outcome(.expiry))
        if record.isDegraded { self.degraded += 1 }
        self.connections += max(0, record.connections)
        self.appleData = [self.appleData, record.appleData].compactMap(\.self).min()
        self.time(record)
        for code in Set(record.reasons) { self.count(code, record) }
    }

    private mutating func time(_ record: ScanRecord) {
        guard record.milliseconds > (self.slowest.last?.milliseconds ?? -1) || self.slowest.count < Self.kept else {
            return
        }
        self.slowest.append((record.name, record.milliseconds))
        self.slowest.sort { $0.milliseconds > $1.milliseconds }
        if self.slowest.count > Self.kept { self.slowest.removeLast() }
    }

    private mutating func count(_ code: String, _ record: ScanRecord) {
        if self.faults[code] != nil {
            self.faults[code]?.hosts += 1
        } else if self.faults.count < Self.mostFaults {
            let message = record.findings.first { $0.code == code }?.message ?? ""
            self.faults[code] = Fault(code: code, example: record.name, message: message, hosts: 1)
        }
    }

    func commonest(_ count: Int = 10) -> [Fault] {
        Array(self.faults.values.sorted { ($0.hosts, $1.code) > ($1.hosts, $0.code) }.prefix(count))
    }

    func answers(_ criterion: ScanCriterion) -> VerdictCounts {
        switch criterion {
        case .ats, .never: self.ats
        case .fcp: self.fcp
        case .trust: self.trust
        case .plist: self.plist
        case .pins: self.pins
        case .expiry: self.expiry
        }
    }

    /// Returns the worst verdict of all hosts.
    package func verdict(_ criterion: ScanCriterion) -> ReportVerdict {
        guard criterion != .never else { return .trusted }
        if self.unusable > 0 { return .notEvaluated }
        let answers = self.answers(criterion)
        if answers.unknown > 0 { return .notEvaluated }
        return answers.failed > 0 ? .notTrusted : .trusted
    }
}
