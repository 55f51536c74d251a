//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// A parser for the expiry date of a cookie in all the formats that servers use (RFC 6265bis §5.1.1).
package enum CookieDate {
    /// The parts of a date. For each, the first match counts.
    private struct Parts {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .map { Array($0.utf8) }

    /// Returns the time that a text states, or `nil` if it is not a valid date.
    package static func timestamp(_ text: some Collection<UInt8>) -> Timestamp? {
        var parts = Parts()
        for token in text.split(whereSeparator: Self.isDelimiter) { Self.read(Array(token), into: &parts) }
        guard let time = parts.time, let day = parts.day, let month = parts.month, var year = parts.year else {
            return nil
        }
        if (70...99).contains(year) { year += 1_900 }
        if (0...69).contains(year) { year += 2_000 }
        guard (1_601...9_999).contains(year), (1...31).contains(day), time.hour <= 23, time.minute <= 59,
            time.second <= 59
        else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        // The initializer returns `nil` for days that the month does not have.
        return Timestamp(
            "\(year)-\(two(month))-\(two(day))T\(two(time.hour)):\(two(time.minute)):\(two(time.second))Z")
    }

    private static func isDelimiter(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func read(_ token: [UInt8], into parts: inout Parts) {
        if parts.time == nil, let time = Self.time(token) {
            parts.time = time
        } else if parts.day == nil, let day = Self.number(token[...], digits: 1...2) {
            parts.day = day
        } else if parts.month == nil, let month = Self.month(token) {
            parts.month = month
        } else if parts.year == nil, let year = Self.number(token[...], digits: 2...4) {
            parts.year = year
        }
    }

    /// Reads `time-field ":" time-field ":" time-field`. Octets after the time are ignored if the first one is not a digit.
    private static func time(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(Self.isDigit), fields[1].allSatisfy(Self.isDigit),
            let hour = Self.number(fields[0], digits: 1...2), let minute = Self.number(fields[1], digits: 1...2),
            let second = Self.number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Reads the number at the beginning of a token, or returns `nil` if its number of digits is out of range.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let number = token.prefix(while: Self.isDigit)
        return digits.contains(number.count) ? number.reduce(0) { $0 * 10 + Int($1 & 0x0F) } : nil
    }

    private static func month(_ token: [UInt8]) -> Int? {
        let name = token.prefix(3).map { $0 | 0x20 }
        return Self.months.firstIndex(of: name).map { $0 + 1 }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }
}
