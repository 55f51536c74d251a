//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Statistics about Apple's data, and the certificates that the data can evaluate.
struct AppleDataFacts: Encodable {
    private let format = "servertrust.apple-data/1"
    private let origin: String
    private let date: String
    private let rootStatus: AppleDataPart?
    private let logList: AppleDataPart
    private let ageInDays: Int
    let isCurrent: Bool
    private let roots: Int
    private let serverRoots: Int
    private let constrainedRoots: Int
    private let extendedValidationRoots: Int
    private let rootChanges: AppleRootChanges
    private let logs: Int
    private let logsByState: [String: Int]
    private let logsByOperator: [String: Int]
    /// The latest expiration date that a usable log accepts. Certificates that expire later have no known log.
    private let lastExpiry: String?
    /// The expiration date from which certificates of ninety days cannot be evaluated.
    private let judgesExpiryBefore: String?
    /// The coverage of certificates that are issued now.
    let newCertificates: [AppleDataCoverage]

    /// The lifetimes in the report, in days: short-lived certificates, the most common ones, and the longest permitted in 2026.
    static let lifetimes = [30, 90, 200]

    /// Creates the statistics.
    ///
    /// - Parameters:
    ///   - data: Apple's data.
    ///   - now: The current date.
    ///   - lifetimes: The lifetimes of certificates to report on, in days.
    init(_ data: AppleTrustData, now: Date, lifetimes: [Int]? = nil) {
        let (parts, list) = (data.parts, data.logList)
        self.origin = AppleDataPart.text(parts.roots.origin)
        self.date = ISO8601.text(parts.roots.date)
        self.rootStatus = parts.rootStatus.map { AppleDataPart($0, now: now) }
        self.logList = AppleDataPart(parts.logList, now: now)
        self.ageInDays = parts.logList.age(at: now)
        self.isCurrent = data.isCurrent(at: now)
        self.roots = data.certificates.count
        self.serverRoots = data.serverRoots.count
        self.constrainedRoots = data.certificates.count { !(data.program.policies[$0.sha256Fingerprint] ?? []).isEmpty }
        self.extendedValidationRoots = data.extendedValidationPolicies.count
        self.rootChanges = AppleRootChanges(data)
        self.logs = list.logs.count
        self.logsByState = Self.counts(list.logs.map(\.state.word))
        self.logsByOperator = Self.counts(list.logs.map { DisplayText.text($0.operatorName) })
        let ends = list.logs.filter { $0.state == .usable }.map(\.endOfExpiry)
        self.lastExpiry = ends.contains { $0 == nil } ? nil : ends.compactMap(\.self).max().map { "\($0)" }
        self.judgesExpiryBefore = list.judgesUntil(
            lifetimeInDays: PublicTrustBasis.lifetimeOfNewCertificates, at: now
        ).map(ISO8601.text)
        self.newCertificates = (lifetimes ?? Self.lifetimes).map {
            AppleDataCoverage(list.coverage(lifetimeInDays: $0, issuedAt: now))
        }
    }

    private static func counts(_ words: [String]) -> [String: Int] {
        words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// The age of the list of logs and its consequence.
    var sentence: String {
        guard self.ageInDays >= 0 else {
            return
                "The date of Apple's list of logs, \(self.logList.date) (\(self.logList.origin)), is in the future. Update the data with --date."
        }
        let age = "Apple's data of \(self.logList.date) (\(self.logList.origin)) are \(self.ageInDays) days old"
        return self.isCurrent
            ? "\(age), young enough to refuse certificates by."
            : "\(age): newer logs are not known. Update them: servertrust apple-data update --from \(AppleDataUpdateCommand.repository)"
    }

    /// The sentence about the age and those about new certificates.
    fileprivate var sentences: String {
        ([self.sentence] + self.newCertificates.map(\.sentence)).joined(separator: "\n") + "\n"
    }

    fileprivate var text: String {
        let rows = self.partRows + self.rootRows + self.logRows
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { label, value in
            label + String(repeating: " ", count: width - label.count) + value + "\n"
        }.joined() + "\n\(self.sentences)" + self.rootChanges.text
    }

    private var partRows: [(String, String)] {
        let status = self.rootStatus.map { "\($0.text)" } ?? "not used: blocked roots are trusted"
        return [
            ("Root release", "\(self.origin), \(self.date)"), ("Root status", status), ("Log list", self.logList.text),
        ]
    }

    private var rootRows: [(String, String)] {
        [
            ("Roots", "\(self.roots), \(self.serverRoots) of them for TLS servers"),
            ("Constrained", "\(self.constrainedRoots) roots serve certain policies only"),
            ("Extended", "\(self.extendedValidationRoots) roots with policies of extended validation"),
        ]
    }

    private var logRows: [(String, String)] {
        let last = self.lastExpiry.map { "usable logs take certificates that end before \($0)" }
        let judged = self.judgesExpiryBefore.map { ". Those of 90 days are judged that end before \($0)" } ?? ""
        return [
            ("Logs", "\(self.logs): \(Self.list(self.logsByState))"),
            ("Operators", Self.list(self.logsByOperator)),
            ("Expiry", (last ?? "no date limits the usable logs") + judged),
        ]
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }.joined(
            separator: ", ")
    }
}

extension TransparencyLog.State {
    fileprivate var word: String {
        switch self {
        case .usable: "usable"
        case .readOnly: "read-only"
        case .retired: "retired"
        }
    }
}

/// The contents of Apple's data, as text or as a document.
struct AppleDataReport: DocumentReport {
    let facts: AppleDataFacts

    /// The verdict is always positive, because data exist.
    var verdict: ReportVerdict { .trusted }

    var document: AppleDataFacts { self.facts }

    func text(_ style: TextStyle) -> String { self.facts.text }
}

/// The usability of Apple's data, as text or as a document.
struct AppleDataCheckReport: DocumentReport {
    let document: AppleDataFacts
    let verdict: ReportVerdict

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - data: Apple's data.
    ///   - now: The current date.
    ///   - lifetime: The lifetime in days of the certificates to evaluate, or `nil` to decide by the age of the data.
    init(_ data: AppleTrustData, now: Date, lifetime: Int?) {
        self.document = AppleDataFacts(data, now: now, lifetimes: lifetime.map { [$0] })
        let isPassed = lifetime == nil ? self.document.isCurrent : self.document.newCertificates.allSatisfy(\.suffices)
        self.verdict = isPassed ? .trusted : .notTrusted
    }

    func text(_ style: TextStyle) -> String {
        let (word, clause) = self.verdict == .trusted ? ("PASSED", "the data suffice") : ("FAILED", "update the data")
        return self.document.sentences
            + "\n\(style.coloured(word, self.verdict))  \(clause)\n"
    }
}
