//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Testing

@testable import HTTPSession

@Suite("Dates of cookies")
struct CookieDateTests {
    @Test(
        "Text that is not a date is refused",
        arguments: [
            "", " ", "x", "1999", "Mon", "01 Jan 2030", "01 Jan 10:00:00", "Jan 2030 10:00:00", "01 2030 10:00:00",
            "32 Jan 2030 10:00:00", "00 Jan 2030 10:00:00", "30 Feb 2030 10:00:00", "29 Feb 2029 10:00:00",
            "31 Apr 2030 10:00:00", "01 Jan 1600 10:00:00", "01 Jan 2030 24:00:00", "01 Jan 2030 10:60:00",
            "01 Jan 2030 10:00:60", "01 Jan 2030 10:00", "01 Jan 2030 100:00:00", "01 Jan 2030 10:000:00",
            "01 Jan 2030 10:00:000", "01 Jan 20300 10:00:00", "01 Jan 2 10:00:00", "001 Jan 2030 10:00:00",
            "01 Ja 2030 10:00:00", "01 Xan 2030 10:00:00", "01:Jan:2030 10:00:00",
            "01 Jan 2030 :10:00:00", "01 Jan 2030 1x:00:00", "99999999999999999999 Jan 2030 10:00:00",
        ])
    func invalid(text: String) {
        #expect(CookieDate.timestamp(text.utf8) == nil)
    }

    @Test(
        "Spellings of servers are read alike",
        arguments: [
            "Tue, 01 Jan 2030 10:20:30 GMT", "Tuesday, 01-Jan-30 10:20:30 GMT", "Tue Jan  1 10:20:30 2030",
            "1 jAn 2030 10:20:30", "10:20:30 01 January 2030", "2030 Jan 1 10:20:30", "01/Jan/2030;10:20:30",
            "01xyz Janeiro 2030th 10:20:30pm", "Tue, 01 Jan 2030 10:20:30 +0500", "1 Jan 30 10:20:30",
            "01 Jan Feb 2030 2031 10:20:30", "\"01 Jan 2030 10:20:30\"",
            "01 Jan 2030 10:20:30:40", "(01)[Jan]{2030}@10:20:30",
        ])
    func spellings(text: String) {
        #expect(CookieDate.timestamp(text.utf8)?.description == "2030-01-01T10:20:30Z")
    }

    @Test(
        "Years of two digits, and the ends of the calendar",
        arguments: [
            ("01 Jan 70 00:00:00", "1970-01-01T00:00:00Z"), ("01 Jan 99 0:0:0", "1999-01-01T00:00:00Z"),
            ("01 Jan 69 00:00:00", "2069-01-01T00:00:00Z"), ("01 Jan 00 00:00:00", "2000-01-01T00:00:00Z"),
            ("01 Jan 1601 00:00:00", "1601-01-01T00:00:00Z"), ("31 Dec 9999 23:59:59", "9999-12-31T23:59:59Z"),
            ("29 Feb 2028 01:02:03", "2028-02-29T01:02:03Z"),
            // The second number of two digits is the year.
            ("01 02 Jan 10:20:30", "2002-01-01T10:20:30Z"),
        ])
    func years(text: String, expected: String) {
        #expect(CookieDate.timestamp(text.utf8)?.description == expected)
    }

    @Test("Three digits are a year before the calendar of cookies")
    func threeDigits() {
        #expect(CookieDate.timestamp("01 Jan 100 00:00:00".utf8) == nil)
    }
}
