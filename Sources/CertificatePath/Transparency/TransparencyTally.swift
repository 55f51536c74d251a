//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The logs that signed timestamps for a certificate, and the rules for a sufficient number.
struct TransparencyTally {
    let rules: TransparencyRules
    /// The number of logs that must have signed timestamps in the certificate.
    let needed: Int
    /// The time of the evaluation, in milliseconds.
    private let now: UInt64
    /// The logs with a valid timestamp, at most sixteen, which is the limit on verifications.
    private var signers: [Signer] = []
    /// The identifiers of logs that the list does not have. Their timestamps cannot be verified.
    private var unknown: Set<[UInt8]> = []
    /// The unknown logs with a timestamp outside the certificate.
    private var unknownDelivered: Set<[UInt8]> = []
    /// The earliest time of an unknown log's timestamp.
    private var earliestUnknown: UInt64?

    /// A log that signed, with the earliest times of its timestamps.
    private struct Signer {
        let log: TransparencyLog
        /// The earliest time in the certificate.
        var embedded: UInt64?
        /// The earliest time outside the certificate.
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

    /// Notes a timestamp of a log that the list does not have.
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

    /// Returns a time in milliseconds, or zero before 1970, when no log existed.
    static func milliseconds(_ time: Timestamp) -> UInt64 {
        let (milliseconds, overflow) = UInt64(clamping: time.secondsSinceEpoch).multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : milliseconds
    }
}

// MARK: - Sufficiency

extension TransparencyTally {
    /// `true` if the delivered timestamps suffice, or the timestamps in the certificate.
    var meetsPolicy: Bool {
        if self.deliveredLogs >= 2, self.areDiverse(self.delivered, and: 0) { return true }
        let signers = self.embedded(issuedBy: self.now)
        return self.hasCurrentEmbedded && signers.count >= self.needed && self.areDiverse(signers, and: 0)
    }

    /// `true` if the policy would be met if every unknown log were a current one that signed, each of another operator.
    var couldMeetPolicy: Bool {
        let others = self.rules == .apple ? self.unknown.count : self.unknownDelivered.count
        let areDelivered = self.hasDelivered || !self.unknownDelivered.isEmpty
        let known = self.rules == .apple ? self.currentLogs : self.delivered.count
        if areDelivered, known + others >= 2, self.areDiverse(self.delivered, and: others) { return true }
        let signers = self.embedded(issuedBy: min(self.earliestUnknown ?? .max, self.now))
        return (self.hasCurrentEmbedded || !self.unknown.isEmpty) && signers.count + self.unknown.count >= self.needed
            && self.areDiverse(signers, and: self.unknown.count)
    }

    /// The number of logs that must have signed and the number that count, for delivered timestamps or else for those
    /// in the certificate.
    var standing: (needed: Int, counted: Int) {
        guard !self.hasDelivered else { return (2, self.deliveredLogs) }
        return (self.needed, self.embedded(issuedBy: self.now).count)
    }

    /// The number of operators of the logs that count.
    var operators: Int {
        Self.operators(of: self.hasDelivered ? self.delivered : self.embedded(issuedBy: self.now)).count
    }

    private var hasDelivered: Bool { self.signers.contains { $0.delivered != nil } }
    private var hasCurrentEmbedded: Bool { self.signers.contains { $0.embedded != nil && $0.log.isCurrent } }
    private var currentLogs: Int { self.signers.count { $0.log.isCurrent } }

    /// The number of logs that count if a timestamp was delivered. Apple counts current logs of any source. Chrome
    /// counts logs with delivered timestamps.
    private var deliveredLogs: Int {
        guard self.hasDelivered else { return 0 }
        return self.rules == .apple ? self.currentLogs : self.delivered.count
    }

    private typealias Counted = (log: TransparencyLog, time: UInt64)

    private var delivered: [Counted] { self.signers.compactMap { signer in signer.delivered.map { (signer.log, $0) } } }

    /// Returns the logs that count for the certificate's own timestamps. A retired log must have signed before its
    /// retirement, and Apple also requires that the certificate was issued before it.
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

    /// Returns `true` if enough operators run the logs.
    ///
    /// - Parameter others: The number of further operators.
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
