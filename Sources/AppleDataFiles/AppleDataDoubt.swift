//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
package import ServerTrust

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Whether new data are plausible.
package enum AppleDataDoubt {
    /// Why new data are hardly Apple's; `nil` where nothing speaks against them.
    package static func sentence(about data: AppleTrustData, besides current: AppleTrustData, now: Date) -> String? {
        let (roots, logs) = (data.serverRoots.count, data.logList.logs.count)
        let (oldRoots, oldLogs) = (current.serverRoots.count, current.logList.logs.count)
        let what: String
        if roots < (oldRoots + 1) / 2 {
            what = "they have \(roots) roots for TLS servers, and those that they would replace \(oldRoots)"
        } else if logs < (oldLogs + 1) / 2 {
            what = "they have \(logs) logs, and those that they would replace \(oldLogs)"
        } else if data.date < current.date, current.date <= now {
            what =
                "they are of \(ISO8601.text(data.date)), and those that they would replace of \(ISO8601.text(current.date))"
        } else {
            return nil
        }
        return "the data were not taken: \(what). Fetch them again, or add --dangerously-accept-doubtful-data"
    }
}
