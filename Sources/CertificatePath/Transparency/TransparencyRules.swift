//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules for counting timestamps.
public enum TransparencyRules: String, Sendable, Hashable, CaseIterable {
    /// Apple's rules, as its systems apply them (CertificateTransparency.m `verify_tls_ct_policy`).
    case apple
    /// Chrome's rules of 2026-04-15 (https://googlechrome.github.io/CertificateTransparency/ct_policy.html). Two logs
    /// of different operators must have signed.
    case chrome

    /// The start of the requirement. Certificates issued from this moment on need timestamps.
    var start: Timestamp {
        switch self {
        case .apple: Timestamp(year: 2018, month: 10, day: 16)
        case .chrome: Timestamp(year: 2018, month: 5, day: 1)
        }
    }

    /// The maximum age of a list of logs that may reject certificates, in seconds (OTATrustUtilities.h, and Chrome's
    /// policy, "Enforcement").
    var maximumListAge: Int64 {
        switch self {
        case .apple: 60 * Self.day
        case .chrome: 70 * Self.day
        }
    }

    /// The number of operators that must run the logs that signed.
    public var neededOperators: Int { self == .chrome ? 2 : 1 }

    /// The moment from which Apple counts lifetimes in seconds, 2021-04-21T00:00:00Z.
    private static let countsSecondsSince = Timestamp(year: 2021, month: 4, day: 21)
    private static let day: Int64 = 86_400

    /// Returns the number of logs that must have signed timestamps in a certificate of this lifetime.
    package func neededLogs(from start: Timestamp, to end: Timestamp) -> Int {
        guard start >= Self.countsSecondsSince || self == .chrome else {
            let months = Self.wholeMonths(from: start, to: end)
            return months < 15 ? 2 : months <= 27 ? 3 : months <= 39 ? 4 : 5
        }
        let (lifetime, overflow) = end.secondsSinceEpoch.subtractingReportingOverflow(start.secondsSinceEpoch)
        if !overflow, lifetime <= 180 * Self.day { return 2 }
        return self == .chrome || (!overflow && lifetime <= 825 * Self.day) ? 3 : 4
    }

    /// Returns the whole calendar months between two moments in UTC, as CFCalendar counts them. A day that a shorter
    /// month does not have is its last day.
    static func wholeMonths(from start: Timestamp, to end: Timestamp) -> Int64 {
        let (from, to) = (CivilTime(start), CivilTime(end))
        var months = (to.year - from.year) * 12 + to.month - from.month
        let day = min(from.day, CivilTime.days(inMonth: to.month, of: to.year))
        if (to.day, to.second) < (day, from.second) { months -= 1 }
        return months
    }
}
