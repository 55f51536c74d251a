//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The logs of a list that accept certificates of one lifetime, issued at one date.
///
/// Authorities freely choose logs among those that accept a certificate. A list with the logs of only one operator has too few of
/// the logs in use.
public struct LogCoverage: Sendable, Hashable {
    /// The lifetime of the certificates, in days.
    public let lifetimeInDays: Int
    /// The end of their validity.
    public let expiry: Date
    /// The number of logs that give them timestamps.
    public let logs: Int
    /// The number of operators of these logs.
    public let operators: Int
    /// The number of logs that must sign such a certificate, by Apple's count.
    public let neededLogs: Int

    /// The minimum number of operators for a list that is considered complete. Apple's policy requires two for a certificate
    /// (support.apple.com/103214), although its systems do not count operators.
    public static let neededOperators = 2

    /// `true` if such certificates can be evaluated: the list has the required number of logs, of enough operators.
    public var suffices: Bool { self.logs >= self.neededLogs && self.operators >= Self.neededOperators }
}

extension LogList {
    /// Returns the logs of the list that accept certificates of a lifetime and date.
    ///
    /// - Parameters:
    ///   - days: The lifetime of the certificates, in days.
    ///   - issuance: The date of their issuance.
    public func coverage(lifetimeInDays days: Int, issuedAt issuance: Date) -> LogCoverage {
        let expiry = issuance.addingTimeInterval(Double(days) * Self.day)
        let logs = self.openLogs(at: Timestamp(expiry))
        return LogCoverage(
            lifetimeInDays: days, expiry: expiry, logs: logs.count, operators: Set(logs.map(\.operatorName)).count,
            neededLogs: TransparencyRules.apple.neededLogs(from: Timestamp(issuance), to: Timestamp(expiry)))
    }

    /// Returns the first end of validity for which the list has too few logs, or `nil` if no date limits the logs.
    ///
    /// - Parameters:
    ///   - days: The lifetime of the certificates, in days. Longer ones need more logs.
    ///   - now: The current date. It is the result if the list has too few logs even for certificates that end now.
    public func judgesUntil(lifetimeInDays days: Int, at now: Date) -> Date? {
        let needed = TransparencyRules.apple.neededLogs(
            from: Timestamp(now), to: Timestamp(now.addingTimeInterval(Double(days) * Self.day)))
        // The number of logs changes only at the ends of intervals. A list may have thousands of them, so it is counted along.
        var (moment, open) = (Timestamp(now), OpenLogs())
        var changes = self.openings(from: moment).sorted { $0.moment < $1.moment }[...]
        while true {
            while let change = changes.first, change.moment <= moment {
                open.apply(change)
                changes = changes.dropFirst()
            }
            guard open.count >= needed, open.operators >= LogCoverage.neededOperators else { return Date(moment) }
            guard let next = changes.first else { return nil }
            moment = next.moment
        }
    }

    /// Returns the openings and closings of usable logs from a moment on, with a moment for those that are open then.
    private func openings(from start: Timestamp) -> [OpenLogs.Change] {
        self.logs.filter { $0.state == .usable }.flatMap { log -> [OpenLogs.Change] in
            let first = max(log.firstExpiry ?? start, start)
            let opening = OpenLogs.Change(moment: first, logs: 1, operatorName: log.operatorName)
            guard let end = log.endOfExpiry else { return [opening] }
            guard first < end else { return [] }
            return [opening, OpenLogs.Change(moment: end, logs: -1, operatorName: log.operatorName)]
        }
    }

    /// Returns the logs that give timestamps to certificates with this end of validity. A read-only log gives none.
    private func openLogs(at expiry: Timestamp) -> [TransparencyLog] {
        self.logs.filter { log in
            log.state == .usable && (log.firstExpiry.map { $0 <= expiry } ?? true)
                && (log.endOfExpiry.map { expiry < $0 } ?? true)
        }
    }

    private static let day = 86_400.0
}

/// The logs that accept certificates with one end of validity, counted from one end to the next.
private struct OpenLogs {
    struct Change {
        let moment: Timestamp
        let logs: Int
        let operatorName: String
    }

    private(set) var count = 0
    private var logsByOperator: [String: Int] = [:]

    var operators: Int { self.logsByOperator.count }

    mutating func apply(_ change: Change) {
        self.count += change.logs
        let own = self.logsByOperator[change.operatorName, default: 0] + change.logs
        self.logsByOperator[change.operatorName] = own > 0 ? own : nil
    }
}
