//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A point in time in whole seconds since 1970-01-01T00:00:00Z, not counting leap seconds.
///
/// Validity periods, revocation dates and the time of an evaluation are timestamps.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// The seconds since 1970-01-01T00:00:00Z, negative before it.
    public let secondsSinceEpoch: Int64

    /// Creates a point in time from seconds since 1970-01-01T00:00:00Z.
    public init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    /// Creates a point in time from a date of the Gregorian calendar in UTC. The components are not checked.
    init(year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0) {
        // The days of a year that starts in March, so that the leap day comes last.
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        self.secondsSinceEpoch = days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// Returns `true` if the left point in time comes before the right one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }
}

extension Timestamp: CustomStringConvertible {
    /// The point in time as ISO 8601 in UTC: `2026-01-31T12:00:00Z`.
    public var description: String {
        let (days, seconds) = self.secondsSinceEpoch.floorDivided(by: 86_400)
        let (year, month, day) = Self.civil(daysSinceEpoch: days)
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let yearText = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
        return
            "\(yearText)-\(two(month))-\(two(day))T\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))Z"
    }

    /// Reads the format of ``description``. `nil` for other text and for dates that do not exist.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 20 else { return nil }
        func number(_ place: Int, _ count: Int) -> Int64 {
            digits[place..<place + count].reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
        }
        self.init(
            year: number(0, 4), month: number(5, 2), day: number(8, 2), hour: number(11, 2), minute: number(14, 2),
            second: number(17, 2))
        // The description differs if the text has a thirteenth month, another letter or a missing hyphen.
        guard self.description == text else { return nil }
    }

    fileprivate static func civil(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days &+ 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

/// A moment in the Gregorian calendar, in UTC.
struct CivilTime {
    let year: Int64
    let month: Int64
    let day: Int64
    /// The seconds since midnight.
    let second: Int64

    init(_ time: Timestamp) {
        let (days, second) = time.secondsSinceEpoch.floorDivided(by: 86_400)
        (self.year, self.month, self.day) = Timestamp.civil(daysSinceEpoch: days)
        self.second = second
    }

    static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        let start = Timestamp(year: year, month: month, day: 1)
        let end =
            month == 12 ? Timestamp(year: year + 1, month: 1, day: 1) : Timestamp(year: year, month: month + 1, day: 1)
        return (end.secondsSinceEpoch - start.secondsSinceEpoch) / 86_400
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension DERReader {
    /// Reads a `Time` in the two forms that RFC 5280 §4.1.2.5 allows: `YYMMDDHHMMSSZ` and `YYYYMMDDHHMMSSZ`.
    ///
    /// Fractions, offsets and missing seconds are rejected. A GeneralizedTime before 2050 is read, as Apple reads it.
    @inline(__always)
    mutating func time(in bytes: Span<UInt8>) throws(DERError) -> Timestamp {
        let element = try self.next(in: bytes)
        switch element.tag {
        case .utcTime: return try Self.time(element.content, yearDigits: 2, in: bytes)
        case .generalizedTime: return try Self.time(element.content, yearDigits: 4, in: bytes)
        default: throw DERError(.unexpectedTag, at: element.whole.lowerBound)
        }
    }

    /// Reads a `Time` as Apple does (SecCertificate.c, `SecAbsoluteTimeFromDateContentWithError`). UTCTime may lack
    /// its seconds, both forms may have an offset, and the second may be 60.
    @inline(__always)
    mutating func appleTime(in bytes: Span<UInt8>) throws(DERError) -> (time: Timestamp, isLenient: Bool) {
        let start = self
        do {
            return (try self.time(in: bytes), false)
        } catch {
            self = start
            return (try self.lenientTime(in: bytes), true)
        }
    }

    private mutating func lenientTime(in bytes: Span<UInt8>) throws(DERError) -> Timestamp {
        let element = try self.next(in: bytes)
        let yearDigits = element.tag == .utcTime ? 2 : 4
        guard element.tag == .utcTime || element.tag == .generalizedTime else {
            throw DERError(.unexpectedTag, at: element.whole.lowerBound)
        }
        var digits = (element.content.lowerBound..<element.content.upperBound).map { bytes[$0] }
        var offset: Int64 = 0
        if digits.last == UInt8(ascii: "Z") {
            digits.removeLast()
        } else if digits.count > 5, let sign = [UInt8(ascii: "+"): 1, UInt8(ascii: "-"): -1][digits[digits.count - 5]] {
            let hours = try Self.twoDigits(at: digits.count - 4, in: digits.span)
            let minutes = try Self.twoDigits(at: digits.count - 2, in: digits.span)
            guard hours < 24, minutes < 60 else { throw DERError(.invalidTime, at: element.content.lowerBound) }
            offset = Int64(sign) * (hours * 3_600 + minutes * 60)
            digits.removeLast(5)
        } else {
            throw DERError(.invalidTime, at: element.content.lowerBound)
        }
        if element.tag == .utcTime, digits.count == 10 { digits += [UInt8(ascii: "0"), UInt8(ascii: "0")] }
        let isLeapSecond = digits.suffix(2).elementsEqual([UInt8(ascii: "6"), UInt8(ascii: "0")])
        if isLeapSecond { digits.replaceSubrange((digits.count - 2)..., with: [UInt8(ascii: "5"), UInt8(ascii: "9")]) }
        digits.append(UInt8(ascii: "Z"))
        let time: Timestamp
        do {
            time = try Self.time(ByteRange(0, digits.count), yearDigits: yearDigits, in: digits.span)
        } catch {
            throw DERError(.invalidTime, at: element.content.lowerBound)
        }
        return Timestamp(secondsSinceEpoch: time.secondsSinceEpoch - offset + (isLeapSecond ? 1 : 0))
    }

    static func time(_ content: ByteRange, yearDigits: Int, in bytes: Span<UInt8>) throws(DERError) -> Timestamp {
        guard content.count == yearDigits &+ 11, bytes[content.upperBound &- 1] == UInt8(ascii: "Z") else {
            throw DERError(.invalidTime, at: content.lowerBound)
        }
        var year = try Self.twoDigits(at: content.lowerBound, in: bytes)
        var offset = content.lowerBound &+ 2
        if yearDigits == 4 {
            year = year * 100 + (try Self.twoDigits(at: offset, in: bytes))
            offset &+= 2
        } else {
            year += year >= 50 ? 1900 : 2000
        }
        let month = try Self.twoDigits(at: offset, in: bytes)
        let day = try Self.twoDigits(at: offset &+ 2, in: bytes)
        let hour = try Self.twoDigits(at: offset &+ 4, in: bytes)
        let minute = try Self.twoDigits(at: offset &+ 6, in: bytes)
        let second = try Self.twoDigits(at: offset &+ 8, in: bytes)
        guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year),
            hour < 24, minute < 60, second < 60
        else { throw DERError(.invalidTime, at: content.lowerBound) }
        return Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    @inline(__always)
    private static func twoDigits(at offset: Int, in bytes: Span<UInt8>) throws(DERError) -> Int64 {
        let tens = bytes[offset] &- UInt8(ascii: "0")
        let ones = bytes[offset &+ 1] &- UInt8(ascii: "0")
        guard tens < 10, ones < 10 else { throw DERError(.invalidTime, at: offset) }
        return Int64(tens) * 10 + Int64(ones)
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
