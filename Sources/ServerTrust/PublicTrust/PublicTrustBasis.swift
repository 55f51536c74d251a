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
    /// Of when each part of Apple's data is, and where it comes from.
    public let parts: AppleTrustData.Parts
    /// Whole days from the date of Apple's list of logs to the present.
    public let age: Int
    /// What the list of logs can tell of a certificate that is issued now for ninety days.
    public var newCertificates: LogCoverage
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
        self.parts = data.parts
        self.age = self.parts.logList.age(at: now)
        self.newCertificates = data.logList.coverage(lifetimeInDays: Self.lifetimeOfNewCertificates, issuedAt: now)
        self.isCurrent = data.isCurrent(at: now)
    }

    /// How long the certificates live that ``newCertificates`` is about, in days: what public authorities issue most.
    public static let lifetimeOfNewCertificates = 90

    /// When the release of Apple's roots was published or fetched.
    public var date: Date { self.parts.roots.date }
    /// Where the release of Apple's roots comes from.
    public var origin: AppleTrustData.Origin { self.parts.roots.origin }

    /// That the list of logs knows too little to judge new certificates, and what to do; `nil` where it knows enough.
    public var warning: String? {
        guard !self.newCertificates.suffices else { return nil }
        let known =
            switch (self.newCertificates.logs, self.newCertificates.operators) {
            case (0, _): "it knows no log that takes one"
            case (1, _): "it knows 1 log that takes one"
            case (let logs, 1): "it knows \(logs) logs that take one, of 1 operator"
            case (let logs, let operators): "it knows \(logs) logs that take one, of \(operators) operators"
            }
        return "The list of logs is too old to judge a certificate that is issued now for "
            + "\(self.newCertificates.lifetimeInDays) days: \(known). Update it (docs/apple-data.md says how)."
    }

    /// The same in one to three sentences.
    public var sentence: String {
        let notes = [self.basis, self.ageNote, self.roots == .given ? nil : self.warning]
        return notes.compactMap(\.self).joined(separator: " ")
    }

    private var basis: String {
        let logs = self.logs
        let status = self.parts.rootStatus.map { "blocked roots are those of \($0.day)" } ?? "blocked roots are trusted"
        return switch self.roots {
        case .apple where logs == nil: "Public roots and logs are those of Apple's data of \(self.datesOfParts)."
        case .apple: "Public roots are those of Apple's data of \(self.datesOfRoots). Logs are those of \(logs ?? "")."
        case .machine:
            "Public roots are those of this machine's store. Logs are those of \(logs ?? self.ownLogs); \(status)."
        case .given: "Only the given roots are trusted. Logs are those of \(logs ?? self.ownLogs); \(status)."
        }
    }

    private var ownLogs: String { "Apple's data of \(self.parts.logList.day)" }

    private var datesOfRoots: String {
        guard let status = self.parts.rootStatus else { return "\(self.parts.roots.day), with the blocked ones" }
        return "\(self.parts.roots.day), with their status of \(status.day)"
    }

    private var datesOfParts: String {
        guard let status = self.parts.rootStatus else {
            return "\(self.parts.roots.day) (roots, with the blocked ones) and \(self.parts.logList.day) (logs)"
        }
        return "\(self.parts.roots.day) (roots), \(status.day) (their status) and \(self.parts.logList.day) (logs)"
    }

    private var ageNote: String? {
        // A chain below a given root seldom has to do with public logs.
        guard self.roots != .given else { return nil }
        if self.hasFutureLogs {
            return "The date of the list is in the future"
                + (self.isCurrent ? "." : ", too far to refuse certificates by.")
        }
        guard !self.isCurrent else { return nil }
        if self.hasOtherLogs { return "The list is too old, or has no date, to refuse certificates by." }
        guard self.age >= 0 else { return "The date of the data is in the future." }
        return "The data are \(self.age) days old: newer logs are not known (docs/apple-data.md says how to update)."
    }

    /// The list of logs, where it is not Apple's or not counted by Apple's rules.
    private var logs: String? {
        let date = self.logListDate.map { " of \($0.formatted(.iso8601.year().month().day()))" } ?? ""
        guard self.hasOtherLogs || self.transparencyRules != .apple else { return nil }
        let list = self.hasOtherLogs ? "the given list" + date : self.ownLogs
        return self.transparencyRules == .apple ? list : list + ", counted by Chrome's policy"
    }
}

extension AppleTrustData.Part {
    /// Whole days from the date to a moment.
    package func age(at now: Date) -> Int {
        Int(clamping: Int64((now.timeIntervalSince(self.date) / 86_400).rounded(.down)))
    }
}
