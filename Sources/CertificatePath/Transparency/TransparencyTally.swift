//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The logs that signed for a certificate, and whether they suffice.
struct TransparencyTally {
    let rules: TransparencyRules
    /// How many logs must have signed timestamps in the certificate.
    let needed: Int
    /// The moment of the evaluation, in milliseconds.
    private let now: UInt64
    /// Logs that are not retired, with the earliest time of a valid timestamp of any source.
    private var current: [[UInt8]: UInt64] = [:]
    /// Logs with a valid timestamp in the certificate, retired ones included.
    private var embedded: [[UInt8]: Signer] = [:]
    /// Logs with a valid timestamp that came apart from the certificate.
    private var delivered: [[UInt8]: Signer] = [:]
    /// Logs that the list does not know. Whether they signed anything, it does not tell.
    private var unknown: Set<[UInt8]> = []
    /// Those of them with a timestamp that came apart from the certificate.
    private var unknownDelivered: Set<[UInt8]> = []
    /// The earliest time of a timestamp of an unknown log.
    private var earliestUnknown: UInt64?

    /// A log that signed, and the earliest time at which it did.
    private struct Signer {
        let log: TransparencyLog
        var time: UInt64

        var operatorName: String { self.log.operatorName(at: self.time) }
    }

    init(_ rules: TransparencyRules, needed: Int, at time: Timestamp) {
        (self.rules, self.needed, self.now) = (rules, needed, Self.milliseconds(time))
    }

    /// Notes a timestamp of a log that the list does not know.
    mutating func noteUnknown(_ entry: TransparencyReport.Entry) {
        self.unknown.insert(entry.logIdentifier)
        if entry.source != .certificate { self.unknownDelivered.insert(entry.logIdentifier) }
        guard let time = entry.time.map(Self.milliseconds) else { return }
        self.earliestUnknown = min(self.earliestUnknown ?? time, time)
    }

    /// Counts a valid timestamp.
    mutating func count(_ log: TransparencyLog, _ time: UInt64, from source: TransparencyReport.Source) {
        if log.isCurrent { self.current[log.identifier] = min(self.current[log.identifier] ?? time, time) }
        if source == .certificate {
            Self.add(log, time, to: &self.embedded)
        } else {
            Self.add(log, time, to: &self.delivered)
        }
    }

    private static func add(_ log: TransparencyLog, _ time: UInt64, to signers: inout [[UInt8]: Signer]) {
        let earlier = signers[log.identifier]?.time ?? time
        signers[log.identifier] = Signer(log: log, time: min(earlier, time))
    }

    /// Zero for what is before 1970, when no log signed anything.
    static func milliseconds(_ time: Timestamp) -> UInt64 {
        let (milliseconds, overflow) = UInt64(clamping: time.secondsSinceEpoch).multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : milliseconds
    }
}

// MARK: - Whether they suffice

extension TransparencyTally {
    /// Whether timestamps that were delivered suffice, or those in the certificate.
    var meetsPolicy: Bool {
        if self.deliveredLogs >= 2, self.areDiverse(self.deliveredSigners, and: 0) { return true }
        let signers = self.embeddedSigners(issuedBy: self.now)
        return self.embedded.values.contains { $0.log.isCurrent } && signers.count >= self.needed
            && self.areDiverse(signers, and: 0)
    }

    /// Whether the policy would be met if every unknown log were a current one that signed, each of another operator.
    var couldMeetPolicy: Bool {
        let others = self.rules == .apple ? self.unknown.count : self.unknownDelivered.count
        let areDelivered = !self.delivered.isEmpty || !self.unknownDelivered.isEmpty
        let known = self.rules == .apple ? self.current.count : self.delivered.count
        if areDelivered, known + others >= 2, self.areDiverse(self.deliveredSigners, and: others) { return true }
        let hasCurrent = !self.unknown.isEmpty || self.embedded.values.contains { $0.log.isCurrent }
        let signers = self.embeddedSigners(issuedBy: min(self.earliestUnknown ?? .max, self.now))
        return hasCurrent && signers.count + self.unknown.count >= self.needed
            && self.areDiverse(signers, and: self.unknown.count)
    }

    /// How many logs have to sign, and how many count, where timestamps are delivered or else in the certificate.
    var standing: (needed: Int, counted: Int) {
        guard self.delivered.isEmpty else { return (2, self.deliveredLogs) }
        return (self.needed, self.embeddedSigners(issuedBy: self.now).count)
    }

    /// How many operators run the logs that count.
    var operators: Int {
        let signers = self.delivered.isEmpty ? self.embeddedSigners(issuedBy: self.now) : self.deliveredSigners
        return Set(signers.map(\.operatorName)).count
    }

    /// Where one timestamp was delivered, Apple counts current logs of any source; Chrome counts those that were delivered.
    private var deliveredLogs: Int {
        guard !self.delivered.isEmpty else { return 0 }
        return self.rules == .apple ? self.current.count : self.delivered.count
    }

    private var deliveredSigners: [Signer] { Array(self.delivered.values) }

    /// The logs that count for the certificate's own timestamps. A retired log signed before its retirement, and Apple asks
    /// the same of the certificate's issuance.
    ///
    /// - Parameter latest: A moment at which the certificate had been issued, in milliseconds.
    private func embeddedSigners(issuedBy latest: UInt64) -> [Signer] {
        let issuance = min(self.current.values.min() ?? latest, latest)
        return self.embedded.values.filter { signer in
            guard case .retired(let since) = signer.log.state else { return true }
            let retirement = Self.milliseconds(since)
            return signer.time < retirement && (self.rules == .chrome || issuance < retirement)
        }
    }

    /// - Parameter others: Further operators.
    private func areDiverse(_ signers: [Signer], and others: Int) -> Bool {
        self.rules.neededOperators <= 1
            || Set(signers.map(\.operatorName)).count + others >= self.rules.neededOperators
    }
}
