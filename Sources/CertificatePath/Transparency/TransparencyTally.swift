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
    /// The logs with a valid timestamp. They are few: no list has more than sixteen that are verified.
    private var signers: [Signer] = []
    /// Logs that the list does not know. Whether they signed anything, it does not tell.
    private var unknown: Set<[UInt8]> = []
    /// Those of them with a timestamp that came apart from the certificate.
    private var unknownDelivered: Set<[UInt8]> = []
    /// The earliest time of a timestamp of an unknown log.
    private var earliestUnknown: UInt64?

    /// A log that signed, and the earliest times at which it did.
    private struct Signer {
        let log: TransparencyLog
        /// In the certificate.
        var embedded: UInt64?
        /// Apart from the certificate.
        var delivered: UInt64?

        mutating func note(_ time: UInt64, from source: TransparencyReport.Source) {
            if source == .certificate {
                self.embedded = min(self.embedded ?? time, time)
            } else {
                self.delivered = min(self.delivered ?? time, time)
            }
        }

        var earliest: UInt64 { min(self.embedded ?? .max, self.delivered ?? .max) }
    }

    init(_ rules: TransparencyRules, needed: Int, at time: Timestamp) {
        self.rules = rules
        self.needed = needed
        self.now = Self.milliseconds(time)
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
        if let index = self.signers.firstIndex(where: { $0.log.identifier == log.identifier }) {
            self.signers[index].note(time, from: source)
        } else {
            var signer = Signer(log: log)
            signer.note(time, from: source)
            self.signers.append(signer)
        }
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
        if self.deliveredLogs >= 2, self.areDiverse(self.delivered, and: 0) { return true }
        let signers = self.embedded(issuedBy: self.now)
        return self.hasCurrentEmbedded && signers.count >= self.needed && self.areDiverse(signers, and: 0)
    }

    /// Whether the policy would be met if every unknown log were a current one that signed, each of another operator.
    var couldMeetPolicy: Bool {
        let others = self.rules == .apple ? self.unknown.count : self.unknownDelivered.count
        let areDelivered = self.hasDelivered || !self.unknownDelivered.isEmpty
        let known = self.rules == .apple ? self.currentLogs : self.delivered.count
        if areDelivered, known + others >= 2, self.areDiverse(self.delivered, and: others) { return true }
        let signers = self.embedded(issuedBy: min(self.earliestUnknown ?? .max, self.now))
        return (self.hasCurrentEmbedded || !self.unknown.isEmpty) && signers.count + self.unknown.count >= self.needed
            && self.areDiverse(signers, and: self.unknown.count)
    }

    /// How many logs have to sign, and how many count, where timestamps are delivered or else in the certificate.
    var standing: (needed: Int, counted: Int) {
        guard !self.hasDelivered else { return (2, self.deliveredLogs) }
        return (self.needed, self.embedded(issuedBy: self.now).count)
    }

    /// How many operators run the logs that count.
    var operators: Int {
        Self.operators(of: self.hasDelivered ? self.delivered : self.embedded(issuedBy: self.now)).count
    }

    private var hasDelivered: Bool { self.signers.contains { $0.delivered != nil } }
    private var hasCurrentEmbedded: Bool { self.signers.contains { $0.embedded != nil && $0.log.isCurrent } }
    private var currentLogs: Int { self.signers.count { $0.log.isCurrent } }

    /// Where one timestamp was delivered, Apple counts current logs of any source; Chrome counts those that were delivered.
    private var deliveredLogs: Int {
        guard self.hasDelivered else { return 0 }
        return self.rules == .apple ? self.currentLogs : self.delivered.count
    }

    private typealias Counted = (log: TransparencyLog, time: UInt64)

    private var delivered: [Counted] { self.signers.compactMap { signer in signer.delivered.map { (signer.log, $0) } } }

    /// The logs that count for the certificate's own timestamps. A retired log signed before its retirement, and Apple asks
    /// the same of the certificate's issuance.
    ///
    /// - Parameter latest: A moment at which the certificate had been issued, in milliseconds.
    private func embedded(issuedBy latest: UInt64) -> [Counted] {
        let issuance = self.signers.reduce(latest) { $1.log.isCurrent ? min($0, $1.earliest) : $0 }
        return self.signers.compactMap { signer in
            guard let time = signer.embedded else { return nil }
            guard case .retired(let since) = signer.log.state else { return (signer.log, time) }
            let retirement = Self.milliseconds(since)
            let counts = time < retirement && (self.rules == .chrome || issuance < retirement)
            return counts ? (signer.log, time) : nil
        }
    }

    /// - Parameter others: Further operators.
    private func areDiverse(_ signers: [Counted], and others: Int) -> Bool {
        let needed = self.rules.neededOperators
        return needed <= 1 || Self.operators(of: signers).count + others >= needed
    }

    private static func operators(of signers: [Counted]) -> [String] {
        signers.reduce(into: []) { names, signer in
            let name = signer.log.operatorName(at: signer.time)
            if !names.contains(name) { names.append(name) }
        }
    }
}
