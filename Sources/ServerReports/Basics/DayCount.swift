//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The number of days until a certificate expires, in whole days rounded towards zero, as every report counts them.
enum DayCount {
    /// Returns the whole days between two moments. The number is negative if the end is earlier, and at most -1 then.
    static func days(from start: Date, to end: Date) -> Int {
        let days = Int((end.timeIntervalSince(start) / 86_400).rounded(.towardZero))
        return end < start ? min(days, -1) : days
    }

    /// Returns the validity period of a certificate and the distance of its end from a moment.
    static func validity(of certificate: Certificate, at date: Date) -> String {
        let (start, end) = (certificate.notValidBefore, certificate.notValidAfter)
        let distance =
            if date < start {
                "in \(Self.text(from: date, to: start))"
            } else if date > end {
                "ended \(Self.text(from: end, to: date)) ago"
            } else {
                "\(Self.text(from: date, to: end)) left, \(Self.percentLeft(of: certificate, at: date)) %"
            }
        return "\(ISO8601.text(start)) to \(ISO8601.text(end)) (\(distance))"
    }

    private static func percentLeft(of certificate: Certificate, at date: Date) -> Int {
        CertificateLife(of: certificate, at: Timestamp(date)).percentLeft
    }

    private static func text(from start: Date, to end: Date) -> String {
        let days = Self.days(from: start, to: end)
        return days == 0 ? "less than a day" : "\(days) \(days == 1 ? "day" : "days")"
    }
}
