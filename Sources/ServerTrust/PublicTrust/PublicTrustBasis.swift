//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Which public roots verdicts stand on, and as of when: a root program and its lists of logs change from month to month.
public struct PublicTrustBasis: Sendable, Hashable {
    /// Where public roots come from.
    public enum Roots: String, Sendable, Hashable {
        /// Apple's program.
        case apple
        /// The store of this machine.
        case machine
        /// There are none but those that were given.
        case given
    }

    /// Where public roots come from.
    public let roots: Roots
    /// When Apple's data were published or fetched, which say which roots and which logs are public.
    public let date: Date
    /// Where Apple's data come from.
    public let origin: AppleTrustData.Origin
    /// Whole days from the date of the data to the present.
    public let age: Int
    /// Whether the logs are of a list that is young enough to refuse certificates for want of timestamps.
    public var isCurrent: Bool
    /// When the list of logs was made that is used in the place of Apple's; `nil` for Apple's own, or without a date.
    public var logListDate: Date?
    /// Whether another list of logs is used in the place of Apple's.
    public var hasOtherLogs = false
    /// Whether the list of logs in the place of Apple's is dated after the present.
    public var hasFutureLogs = false
    /// The rules by which timestamps are counted.
    public var transparencyRules = TransparencyRules.apple

    /// What verdicts stand on.
    ///
    /// - Parameters:
    ///   - data: Apple's data.
    ///   - roots: Where public roots come from.
    ///   - now: The present.
    public init(_ data: AppleTrustData, roots: Roots = .apple, now: Date) {
        self.roots = roots
        self.date = data.date
        self.origin = data.origin
        self.age = Int(clamping: Int64((now.timeIntervalSince(data.date) / 86_400).rounded(.down)))
        self.isCurrent = data.isCurrent(at: now)
    }

    /// The same in one or two sentences.
    public var sentence: String {
        let day = self.date.formatted(.iso8601.year().month().day())
        let data = "Apple's data of \(day)"
        let logs = self.logs(of: data)
        let basis =
            switch self.roots {
            case .apple where logs == data: "Public roots and logs are those of \(data)."
            case .apple: "Public roots are those of \(data); logs are those of \(logs)."
            case .machine: "Public roots are those of this machine's store; logs are those of \(logs)."
            case .given: "Only the given roots are trusted; logs are those of \(logs)."
            }
        // A chain below a given root seldom has to do with public logs.
        guard self.roots != .given else { return basis }
        if self.hasFutureLogs {
            return basis + " The date of the list is in the future"
                + (self.isCurrent ? "." : ", too far to refuse certificates by.")
        }
        guard !self.isCurrent else { return basis }
        if self.hasOtherLogs {
            return basis + " The list is too old, or has no date, to refuse certificates by."
        }
        guard self.age >= 0 else { return basis + " The date of the data is in the future." }
        return basis
            + " The data are \(self.age) days old: newer logs are not known (docs/apple-data.md says how to update)."
    }

    private func logs(of data: String) -> String {
        let date = self.logListDate.map { " of \($0.formatted(.iso8601.year().month().day()))" } ?? ""
        let list = self.hasOtherLogs ? "the given list" + date : data
        return self.transparencyRules == .apple ? list : list + ", counted by Chrome's policy"
    }
}
