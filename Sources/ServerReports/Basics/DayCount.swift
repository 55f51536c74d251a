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

/// The days until a certificate ends, as every report counts them: whole days, begun ones left out.
enum DayCount {
    /// The whole days from one moment to a later one; negative to an earlier one, and never zero for what is over.
    static func days(from start: Date, to end: Date) -> Int {
        let days = Int((end.timeIntervalSince(start) / 86_400).rounded(.towardZero))
        return end < start ? min(days, -1) : days
    }

    /// The validity of a certificate, and how far its end is from a moment.
    static func validity(of certificate: Certificate, at date: Date) -> String {
        let (start, end) = (certificate.notValidBefore, certificate.notValidAfter)
        let distance =
            if date < start {
                "in \(Self.text(from: date, to: start))"
            } else if date > end {
                "ended \(Self.text(from: end, to: date)) ago"
            } else {
                "\(Self.text(from: date, to: end)) left"
            }
        return "\(ISO8601.text(start)) to \(ISO8601.text(end)) (\(distance))"
    }

    private static func text(from start: Date, to end: Date) -> String {
        let days = Self.days(from: start, to: end)
        return days == 0 ? "less than a day" : "\(days) \(days == 1 ? "day" : "days")"
    }
}
