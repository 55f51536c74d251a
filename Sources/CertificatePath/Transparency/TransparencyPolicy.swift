//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How many logs must have signed (CertificateTransparency.m `verify_tls_ct_policy`).
enum TransparencyPolicy {
    /// From this moment on lifetimes are counted in seconds: 2021-04-21T00:00:00Z.
    private static let countsSecondsSince = Timestamp(year: 2021, month: 4, day: 21)
    private static let day: Int64 = 86_400

    /// The logs that timestamps in a certificate must come from, by how long it lives.
    static func neededLogs(from start: Timestamp, to end: Timestamp) -> Int {
        guard start >= self.countsSecondsSince else {
            let months = self.wholeMonths(from: start, to: end)
            return months < 15 ? 2 : months <= 27 ? 3 : months <= 39 ? 4 : 5
        }
        let (lifetime, overflow) = end.secondsSinceEpoch.subtractingReportingOverflow(start.secondsSinceEpoch)
        guard !overflow else { return 4 }
        return lifetime <= 180 * self.day ? 2 : lifetime <= 825 * self.day ? 3 : 4
    }

    /// The whole calendar months between two moments in UTC, as CFCalendar counts them: the same day of a shorter month is
    /// its last one.
    static func wholeMonths(from start: Timestamp, to end: Timestamp) -> Int64 {
        let (from, to) = (CivilTime(start), CivilTime(end))
        var months = (to.year - from.year) * 12 + to.month - from.month
        let day = min(from.day, CivilTime.days(inMonth: to.month, of: to.year))
        if (to.day, to.second) < (day, from.second) { months -= 1 }
        return months
    }

    /// The logs with current standing, and those whose timestamps in the certificate count, with the earliest time of each.
    struct Tally {
        /// Current logs with a valid timestamp of any source.
        var current: [[UInt8]: UInt64] = [:]
        /// Logs with a valid timestamp in the certificate, retired ones included.
        var embedded: [[UInt8]: (time: UInt64, log: TransparencyLog)] = [:]
        /// Whether a valid timestamp came apart from the certificate.
        var hasDelivered = false
        /// Logs that the list does not know. Whether they signed anything, it does not tell.
        private(set) var unknown: Set<[UInt8]> = []
        /// The earliest time of a timestamp of such a log.
        private var earliestUnknown: UInt64?
        /// Whether a timestamp of such a log came apart from the certificate.
        var hasUnknownDelivered = false

        /// Notes a timestamp of a log that the list does not know.
        mutating func noteUnknown(_ entry: TransparencyReport.Entry) {
            self.unknown.insert(entry.logIdentifier)
            guard let time = entry.time.map(Self.milliseconds) else { return }
            self.earliestUnknown = min(self.earliestUnknown ?? time, time)
        }

        /// Counts a valid timestamp.
        mutating func count(_ log: TransparencyLog, _ time: UInt64, _ source: TransparencyReport.Source) {
            if log.isCurrent { self.current[log.identifier] = min(self.current[log.identifier] ?? time, time) }
            guard source == .certificate else {
                self.hasDelivered = true
                return
            }
            let earlier = self.embedded[log.identifier]?.time ?? time
            self.embedded[log.identifier] = (min(earlier, time), log)
        }

        /// How many logs count for a certificate's own timestamps.
        func countedLogs(at time: Timestamp) -> Int { self.countedLogs(issuedBy: Self.milliseconds(time)) }

        /// - Parameter latest: A moment at which the certificate had been issued, in milliseconds.
        private func countedLogs(issuedBy latest: UInt64) -> Int {
            let issuance = min(self.current.values.min() ?? latest, latest)
            return self.embedded.values.count { entry in
                guard case .retired(let since) = entry.log.state else { return true }
                let retirement = Self.milliseconds(since)
                return entry.time < retirement && issuance < retirement
            }
        }

        /// Two current logs with one timestamp delivered, or enough logs in the certificate with a current one among them.
        func meetsPolicy(needed: Int, at time: Timestamp) -> Bool {
            if self.hasDelivered, self.current.count >= 2 { return true }
            return self.embedded.values.contains { $0.log.isCurrent } && self.countedLogs(at: time) >= needed
        }

        /// Whether the policy would be met if every unknown log were a current one that signed.
        func couldMeetPolicy(needed: Int, at time: Timestamp) -> Bool {
            if self.hasDelivered || self.hasUnknownDelivered, self.current.count + self.unknown.count >= 2 {
                return true
            }
            let hasCurrent = !self.unknown.isEmpty || self.embedded.values.contains { $0.log.isCurrent }
            let latest = min(self.earliestUnknown ?? .max, Self.milliseconds(time))
            return hasCurrent && self.countedLogs(issuedBy: latest) + self.unknown.count >= needed
        }

        /// Zero for what is before 1970, when no log signed anything.
        static func milliseconds(_ time: Timestamp) -> UInt64 {
            let (milliseconds, overflow) = UInt64(clamping: time.secondsSinceEpoch).multipliedReportingOverflow(
                by: 1_000)
            return overflow ? .max : milliseconds
        }
    }
}
