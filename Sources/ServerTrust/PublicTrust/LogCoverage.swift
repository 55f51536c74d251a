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

/// What a list of logs can tell of certificates that are issued at one moment, for one lifetime.
///
/// Authorities choose logs as they like among those that take a certificate. A list that knows one operator's logs alone knows
/// too little of what they chose.
public struct LogCoverage: Sendable, Hashable {
    /// How long the certificates live, in days.
    public let lifetimeInDays: Int
    /// When they end.
    public let expiry: Date
    /// The number of logs that take timestamps of them.
    public let logs: Int
    /// The number of operators of these logs.
    public let operators: Int
    /// The number of logs that must have signed one of them, by Apple's counting.
    public let neededLogs: Int

    /// The number of operators without which a list is not believed to know the logs that are used. Apple's policy asks for two
    /// in a certificate (support.apple.com/103214), though its systems count none.
    public static let neededOperators = 2

    /// Whether a certificate can be judged: there are as many logs as must have signed it, of enough operators.
    public var suffices: Bool { self.logs >= self.neededLogs && self.operators >= Self.neededOperators }
}

extension LogList {
    /// What the list can tell of certificates.
    ///
    /// - Parameters:
    ///   - days: How long the certificates live.
    ///   - issuance: When they are issued.
    public func coverage(lifetimeInDays days: Int, issuedAt issuance: Date) -> LogCoverage {
        let expiry = issuance.addingTimeInterval(Double(days) * Self.day)
        let logs = self.openLogs(at: Timestamp(expiry))
        return LogCoverage(
            lifetimeInDays: days, expiry: expiry, logs: logs.count, operators: Set(logs.map(\.operatorName)).count,
            neededLogs: TransparencyRules.apple.neededLogs(from: Timestamp(issuance), to: Timestamp(expiry)))
    }

    /// The end of validity from which on certificates that are issued now cannot be judged; `nil` where no date limits the logs.
    ///
    /// - Parameters:
    ///   - days: How long the certificates live: longer ones need more logs.
    ///   - now: The present, which is the answer where not even certificates that end now can be judged.
    public func judgesUntil(lifetimeInDays days: Int, at now: Date) -> Date? {
        let needed = TransparencyRules.apple.neededLogs(
            from: Timestamp(now), to: Timestamp(now.addingTimeInterval(Double(days) * Self.day)))
        // What is known changes at the ends of intervals alone.
        let moments = self.logs.flatMap { [$0.firstExpiry, $0.endOfExpiry].compactMap(\.self) }
        let start = Timestamp(now)
        return ([start] + moments.filter { $0 > start }.sorted()).first { moment in
            let logs = self.openLogs(at: moment)
            return logs.count < needed || Set(logs.map(\.operatorName)).count < LogCoverage.neededOperators
        }.map { Date($0) }
    }

    /// The logs that give timestamps to certificates that end at a moment. A read-only log gives no more.
    private func openLogs(at expiry: Timestamp) -> [TransparencyLog] {
        self.logs.filter { log in
            log.state == .usable && (log.firstExpiry.map { $0 <= expiry } ?? true)
                && (log.endOfExpiry.map { expiry < $0 } ?? true)
        }
    }

    private static let day = 86_400.0
}
