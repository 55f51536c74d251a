//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The moment of `--at`: a date, or a date and a time, in UTC.
enum EvaluationMoment {
    /// Parses `2026-01-31T12:00:00Z`, or `2026-01-31` for the start of the day.
    ///
    /// - Throws: ``CommandError`` with an example.
    static func parse(_ text: String) throws -> Date {
        guard let date = ISO8601Text.date(text) else {
            throw CommandError("not a moment in UTC between 1950 and 9999. Write 2026-01-31T12:00:00Z or 2026-01-31")
        }
        return date
    }
}
