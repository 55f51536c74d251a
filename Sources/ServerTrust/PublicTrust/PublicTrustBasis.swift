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

/// The origin and date of the public roots and logs behind a verdict, as root programs and log lists change every month.
///
/// ``sentence`` describes it for people, and ``warning`` is set if the log list is too old for new certificates.
public struct PublicTrustBasis: Sendable, Hashable {
    /// The origins of public roots.
    public enum Roots: String, Sendable, Hashable {
        /// The public roots are those of Apple's program.
        case apple
        /// The public roots are those of this machine's store.
        case machine
        /// Only the given roots are trusted.
        case given
    }

    /// The origin of the public roots.
    public let roots: Roots
    /// The date and origin of each part of Apple's data.
    public let parts: AppleTrustData.Parts
    /// The age of Apple's log list in whole days.
    public let age: Int
    /// The logs of the list that accept a certificate issued now for ninety days.
    public var newCertificates: LogCoverage
    /// The first end of validity for which the list has too few logs to judge a certificate of ninety days, or `nil` if no date limits
    /// the logs.
    public var judgesUntil: Date?
    /// `true` if the log list in use is recent enough to refuse certificates that lack timestamps.
    public var isCurrent: Bool
    /// The date of the log list that replaces Apple's, or `nil` if Apple's own is used or the list has no date.
    public var logListDate: Date?
    /// `true` if another log list replaces Apple's.
    public var hasOtherLogs = false
    /// `true` if the log list that replaces Apple's has a date in the future.
    public var hasFutureLogs = false
    /// The rules by which timestamps are counted.
    public var transparencyRules = TransparencyRules.apple

    /// Creates the description of Apple's data.
    ///
    /// - Parameters:
    ///   - data: Apple's data.
    ///   - roots: The origin of the public roots.
    ///   - now: The current date.
    public init(_ data: AppleTrustData, roots: Roots = .apple, now: Date) {
        self.roots = roots
        self.parts = data.parts
        self.age = self.parts.logList.age(at: now)
        self.newCertificates = data.logList.coverage(lifetimeInDays: Self.lifetimeOfNewCertificates, issuedAt: now)
        self.judgesUntil = data.logList.judgesUntil(lifetimeInDays: Self.lifetimeOfNewCertificates, at: now)
        self.isCurrent = data.isCurrent(at: now)
    }

    /// The lifetime of the certificates of ``newCertificates``, in days: the most frequent one of public authorities.
    public static let lifetimeOfNewCertificates = 90

    /// The date at which the release of Apple's roots was published or fetched.
    public var date: Date { self.parts.roots.date }
    /// The origin of the release of Apple's roots.
    public var origin: AppleTrustData.Origin { self.parts.roots.origin }

    /// A warning that the log list has too few logs for new certificates, with the remedy, or `nil` if it has enough.
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

    /// The origin, the age and the warning, in one to three sentences.
    public var sentence: String {
        let notes = [self.basis, self.ageNote, self.roots == .given ? nil : self.warning]
        return notes.compactMap(\.self).joined(separator: " ")
    }

    private var basis: String {
        let logs = self.logs
        let status = self.parts.rootStatus.map { "Blocked roots are those of \($0.day)" } ?? "Blocked roots are trusted"
        return switch self.roots {
        case .apple where logs == nil: "Public roots and logs are those of Apple's data of \(self.datesOfParts)."
        case .apple: "Public roots are those of Apple's data of \(self.datesOfRoots). Logs are those of \(logs ?? "")."
        case .machine:
            "Public roots are those of this machine's store. Logs are those of \(logs ?? self.ownLogs). \(status)."
        case .given: "Only the given roots are trusted. Logs are those of \(logs ?? self.ownLogs). \(status)."
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
        // A chain below a given root rarely has timestamps of public logs.
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

    /// The name of the log list, or `nil` if it is Apple's and counted by Apple's rules.
    private var logs: String? {
        let date = self.logListDate.map { " of \($0.formatted(.iso8601.year().month().day()))" } ?? ""
        guard self.hasOtherLogs || self.transparencyRules != .apple else { return nil }
        let list = self.hasOtherLogs ? "the given list" + date : self.ownLogs
        return self.transparencyRules == .apple ? list : list + ", counted by Chrome's policy"
    }
}

extension AppleTrustData.Part {
    /// Returns the age of the part in whole days.
    package func age(at now: Date) -> Int {
        Int(clamping: Int64((now.timeIntervalSince(self.date) / 86_400).rounded(.down)))
    }
}
