//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one form of dates in property lists, `2026-01-31T23:59:59Z`.
enum PropertyListDate {
    /// The first second of the year 1 and of the year 10000, in seconds since 2001. The form can write no others.
    ///
    /// A binary property list may hold any number, and Foundation's calendars do not support them all.
    private static let range = -63_113_904_000.0..<252_423_993_600.0

    static func parse(_ text: String) -> Date? {
        let digits = Array(text.utf8)
        guard digits.count == 20,
            zip([4, 7, 10, 13, 16, 19], "--T::Z".utf8).allSatisfy({ digits[$0] == $1 }),
            let year = Self.number(digits[0..<4], in: 1...9_999),
            let month = Self.number(digits[5..<7], in: 1...12),
            let day = Self.number(digits[8..<10], in: 1...Self.days(in: month, of: year)),
            let hour = Self.number(digits[11..<13], in: 0...23),
            let minute = Self.number(digits[14..<16], in: 0...59),
            // A leap second counts as the second after it.
            let second = Self.number(digits[17..<19], in: 0...60)
        else { return nil }
        let days = Self.daysSince2001(year, month, day: day)
        return Date(timeIntervalSinceReferenceDate: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    /// Returns the date that many seconds after 2001, or `nil` outside the years 1 to 9999.
    static func date(secondsSince2001 seconds: Double) -> Date? {
        Self.range.contains(seconds) ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }

    /// Returns the text of a `<date>`, which ``parse(_:)`` reads.
    static func text(of date: Date) -> String { date.formatted(Date.ISO8601FormatStyle()) }

    private static func number(_ digits: ArraySlice<UInt8>, in range: ClosedRange<Int>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return range.contains(value) ? value : nil
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts from March, so that the leap day is the last of its year.
    ///
    /// See <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>.
    private static func daysSince2001(_ year: Int, _ month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        // From 0000-03-01 to 2001-01-01 there are 730,791 days.
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 730_791
    }
}
