//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// What is counted of a scan: a handful of numbers, however many hosts there are.
package struct ScanTally: Sendable {
    /// How many hosts came out which way.
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

    /// Something that speaks against hosts.
    struct Fault: Sendable {
        let code: String
        /// The first host that has it, and what is said of it there.
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
    /// Lines that name no host.
    private(set) var unusable = 0
    private(set) var firstUnusable: (line: Int, message: String)?
    private(set) var degraded = 0
    private(set) var connections = 0
    /// The oldest date of Apple's data that an answer stands on, in ISO 8601; `nil` where no answer names one.
    private(set) var appleData: String?
    /// The hosts that took longest, the slowest first.
    private(set) var slowest: [(name: String, milliseconds: Int)] = []
    private var faults: [String: Fault] = [:]
    private static let kept = 5
    /// More codes than there are; hosts have no say in them, but files of results might.
    private static let mostFaults = 500

    /// Hosts, and lines that name none.
    var results: Int { self.hosts + self.unusable }

    /// Counts a host.
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

    /// The commonest faults, the commonest first.
    func commonest(_ count: Int = 10) -> [Fault] {
        Array(self.faults.values.sorted { ($0.hosts, $1.code) > ($1.hosts, $0.code) }.prefix(count))
    }

    /// How many hosts came out which way, by the question that decides.
    func answers(_ criterion: ScanCriterion) -> VerdictCounts {
        switch criterion {
        case .ats, .never: self.ats
        case .fcp: self.fcp
        case .trust: self.trust
        case .plist: self.plist
        case .pins: self.pins
        }
    }

    /// The worst of all hosts.
    package func verdict(_ criterion: ScanCriterion) -> ReportVerdict {
        guard criterion != .never else { return .trusted }
        if self.unusable > 0 { return .notEvaluated }
        let answers = self.answers(criterion)
        if answers.unknown > 0 { return .notEvaluated }
        return answers.failed > 0 ? .notTrusted : .trusted
    }
}
