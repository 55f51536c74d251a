//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Dates in UTC, with or without a time: the only form of ISO 8601 that this package reads.
package enum ISO8601Text {
    /// The years in which certificates can begin and end (RFC 5280 §4.1.2.5).
    private static let years = 1950...9999

    /// Parses `2026-01-31T12:00:00Z`, or `2026-01-31` as its first second. Returns `nil` for other text or an invalid date.
    package static func date(_ text: String) -> Date? {
        guard let numbers = Self.numbers(in: Array(text.utf8.prefix(32))), Self.years.contains(numbers[0]) else {
            return nil
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(
            calendar: calendar, timeZone: .gmt, year: numbers[0], month: numbers[1], day: numbers[2],
            hour: numbers[3], minute: numbers[4], second: numbers[5])
        // Without the check, February 30 would become March 2.
        return components.isValidDate ? components.date : nil
    }

    /// Returns the six numbers of a text with the right format.
    private static func numbers(in text: [UInt8]) -> [Int]? {
        let template = Array((text.count == 10 ? "0000-00-00" : "0000-00-00T00:00:00Z").utf8)
        guard text.count == template.count else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let fits = zip(text, template).allSatisfy { $1 == digits.lowerBound ? digits.contains($0) : $0 == $1 }
        guard fits else { return nil }
        let numbers = text.split { !digits.contains($0) }.map { $0.reduce(0) { $0 * 10 + Int($1 - digits.lowerBound) } }
        return numbers + Array(repeating: 0, count: 6 - numbers.count)
    }
}
