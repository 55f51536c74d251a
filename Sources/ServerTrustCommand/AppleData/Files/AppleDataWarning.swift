//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The plausibility check of new data.
enum AppleDataWarning {
    /// Returns the reason why new data are probably not Apple's, or `nil` if they are plausible.
    static func sentence(about data: AppleTrustData, besides current: AppleTrustData, now: Date) -> String? {
        let what =
            Self.shortage(data.serverRoots.count, current.serverRoots.count, of: "roots for TLS servers")
            ?? Self.shortage(data.logList.logs.count, current.logList.logs.count, of: "logs")
            ?? Self.shortage(
                data.blockedRoots.fingerprints.count, current.blockedRoots.fingerprints.count, of: "blocked roots")
            ?? Self.age(data.parts, current.parts, now: now)
        guard let what else { return nil }
        return "the data were not taken: \(what). Fetch them again, or add --dangerously-accept-doubtful-data"
    }

    private static func shortage(_ new: Int, _ old: Int, of kind: String) -> String? {
        new < (old + 1) / 2 ? "they have \(new) \(kind), and those that they would replace \(old)" : nil
    }

    private static func age(_ new: AppleTrustData.Parts, _ old: AppleTrustData.Parts, now: Date) -> String? {
        var pairs = [(new.roots, old.roots), (new.logList, old.logList)]
        if let status = new.rootStatus, let oldStatus = old.rootStatus { pairs.append((status, oldStatus)) }
        return pairs.first { $0.date < $1.date && $1.date <= now }.map { new, old in
            "they are of \(ISO8601.text(new.date)), and those that they would replace of \(ISO8601.text(old.date))"
        }
    }
}
