//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerReports
package import ServerTrust

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What is in Apple's data, in numbers.
package struct AppleDataFacts: Encodable {
    private let format = "servertrust.apple-data/1"
    private let origin: String
    private let date: String
    private let ageInDays: Int
    package let isCurrent: Bool
    private let roots: Int
    private let serverRoots: Int
    private let constrainedRoots: Int
    private let extendedValidationRoots: Int
    private let logs: Int
    private let logsByState: [String: Int]
    private let logsByOperator: [String: Int]
    /// The last end of validity that a usable log takes: certificates that end later have no known log.
    private let lastExpiry: String?

    package init(_ data: AppleTrustData, now: Date) {
        let basis = PublicTrustBasis(data, now: now)
        self.origin =
            switch data.origin {
            case .builtIn(let release): "built in, from \(release)"
            case .folder(let path): DisplayText.text(path)
            }
        self.date = ISO8601.text(data.date)
        (self.ageInDays, self.isCurrent) = (basis.age, basis.isCurrent)
        self.roots = data.certificates.count
        self.serverRoots = data.serverRoots.count
        self.constrainedRoots = data.certificates.count { !(data.program.policies[$0.sha256Fingerprint] ?? []).isEmpty }
        self.extendedValidationRoots = data.extendedValidationPolicies.count
        let logs = data.logList.logs
        self.logs = logs.count
        self.logsByState = Self.counts(logs.map(\.state.word))
        self.logsByOperator = Self.counts(logs.map { DisplayText.text($0.operatorName) })
        let ends = logs.filter { $0.state == .usable }.map(\.endOfExpiry)
        self.lastExpiry = ends.contains { $0 == nil } ? nil : ends.compactMap(\.self).max().map { "\($0)" }
    }

    private static func counts(_ words: [String]) -> [String: Int] {
        words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// How old the data are, and what follows.
    package var sentence: String {
        guard self.ageInDays >= 0 else {
            return
                "The date of Apple's data, \(self.date) (\(self.origin)), is in the future. Update the data with --date."
        }
        let age = "Apple's data of \(self.date) (\(self.origin)) are \(self.ageInDays) days old"
        return self.isCurrent
            ? "\(age), young enough to refuse certificates by."
            : "\(age): newer logs are not known. Update them: servertrust apple-data update --from DIR"
    }

    package var text: String {
        let states = Self.list(self.logsByState)
        let rows = [
            ("Origin", self.origin), ("Date", "\(self.date), \(self.ageInDays) days ago"),
            ("Roots", "\(self.roots), \(self.serverRoots) of them for TLS servers"),
            ("Constrained", "\(self.constrainedRoots) roots serve certain policies only"),
            ("Extended", "\(self.extendedValidationRoots) roots with policies of extended validation"),
            ("Logs", "\(self.logs): \(states)"), ("Operators", Self.list(self.logsByOperator)),
            (
                "Expiry",
                self.lastExpiry.map { "usable logs take certificates that end before \($0)" }
                    ?? "no date limits the usable logs"
            ),
        ]
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { label, value in
            label + String(repeating: " ", count: width - label.count) + value + "\n"
        }.joined() + "\n\(self.sentence)\n"
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
