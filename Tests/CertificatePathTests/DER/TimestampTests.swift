//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Times")
struct TimestampTests {
    @Test(
        "A time in any other form, or that is no date, is refused",
        arguments: [
            DER.utcTime("260501000000"), DER.utcTime("260501000000+2400"), DER.utcTime("260501000000+0060"),
            DER.utcTime("260501000000-01"), DER.utcTime("+0000"), DER.utcTime("2605010000-010"), DER.utcTime("60Z"),
            DER.utcTime("26050100Z"), DER.utcTime("260501000000.5Z"), DER.utcTime("260501000000z"),
            DER.utcTime("20260501000000Z"), DER.utcTime(""), DER.utcTime("26050100000 Z"), DER.utcTime("2605010000-1Z"),
            DER.utcTime("26050100000:Z"), DER.utcTime("26050100000/Z"),
            DER.generalizedTime("260501000000Z"), DER.generalizedTime("20260501000000.1Z"),
            DER.generalizedTime("20260501000000+00"), DER.generalizedTime("202605010000Z"),
            DER.generalizedTime("20260501000000"), DER.generalizedTime("2026050100000AZ"),
            DER.utcTime("261301000000Z"), DER.utcTime("260001000000Z"), DER.utcTime("260500000000Z"),
            DER.utcTime("260532000000Z"), DER.utcTime("260431000000Z"), DER.utcTime("260631000000Z"),
            DER.utcTime("260931000000Z"), DER.utcTime("261131000000Z"), DER.utcTime("260229000000Z"),
            DER.utcTime("240230000000Z"), DER.generalizedTime("21000229000000Z"),
            DER.generalizedTime("19000229000000Z"),
            DER.utcTime("260501240000Z"), DER.utcTime("260501006000Z"), DER.utcTime("260501000061Z"),
        ])
    func refused(time: [UInt8]) throws {
        #expect(try parsingError { $0.notBefore = time } == .invalidTime)
        #expect(try parsingError { $0.notAfter = time } == .invalidTime)
    }

    @Test(
        "A time is read to the second",
        arguments: [
            (DER.utcTime("700101000000Z"), "1970-01-01T00:00:00Z", 0),
            (DER.utcTime("700101000001Z"), "1970-01-01T00:00:01Z", 1),
            (DER.utcTime("500101000000Z"), "1950-01-01T00:00:00Z", -631_152_000),
            (DER.utcTime("491231235959Z"), "2049-12-31T23:59:59Z", 2_524_607_999),
            (DER.utcTime("240229000000Z"), "2024-02-29T00:00:00Z", 1_709_164_800),
            (DER.utcTime("000229120000Z"), "2000-02-29T12:00:00Z", 951_825_600),
            (DER.utcTime("260601000000Z"), "2026-06-01T00:00:00Z", 1_780_272_000),
            (DER.generalizedTime("20260601000000Z"), "2026-06-01T00:00:00Z", 1_780_272_000),
            (DER.generalizedTime("20500101000000Z"), "2050-01-01T00:00:00Z", 2_524_608_000),
            (DER.generalizedTime("99991231235959Z"), "9999-12-31T23:59:59Z", 253_402_300_799),
            (DER.generalizedTime("00000101000000Z"), "0000-01-01T00:00:00Z", -62_167_219_200),
            (DER.generalizedTime("19691231235959Z"), "1969-12-31T23:59:59Z", -1),
            (DER.generalizedTime("20000229000000Z"), "2000-02-29T00:00:00Z", 951_782_400),
        ])
    func read(time: [UInt8], text: String, seconds: Int64) throws {
        let certificate = try TestChain.second.leaf { $0.notAfter = time }
        #expect(certificate.notAfter == Timestamp(secondsSinceEpoch: seconds))
        #expect(certificate.notAfter.description == text)
        #expect(try TestChain.second.leaf { $0.notBefore = time }.notBefore == certificate.notAfter)
    }

    @Test(
        "A date in a form that Apple reads and RFC 5280 forbids is read, and breaks a rule of every other profile",
        arguments: [
            (DER.utcTime("2605010000Z"), 1_777_593_600), (DER.utcTime("260501000000+0000"), 1_777_593_600),
            (DER.utcTime("260501000000-0100"), 1_777_597_200), (DER.utcTime("2605010130+0130"), 1_777_593_600),
            (DER.utcTime("260430235960Z"), 1_777_593_600),
            (DER.generalizedTime("20260501000000-0000"), 1_777_593_600),
        ] as [([UInt8], Int64)])
    func lenient(time: [UInt8], seconds: Int64) throws {
        let chain = try TestChain(leaf: { $0.notBefore = time })
        #expect(chain.leaf.notBefore == Timestamp(secondsSinceEpoch: seconds))
        for profile in ValidationProfile.standard {
            let verdict = chain.judge {
                $0.profile = profile
                $0.time = Timestamp(secondsSinceEpoch: seconds)
            }
            #expect(verdict.summary == (profile == .apple ? "accepted" : "0:certificate-rule"), "\(profile.name)")
        }
    }

    @Test("Any number of seconds can be written as a date")
    func extremes() {
        for seconds in [Int64.min, .min + 1, .max, -1_000_000_000_000_000, 0, -1] {
            #expect(Timestamp(secondsSinceEpoch: seconds).description.hasSuffix("Z"))
        }
        #expect(Timestamp(secondsSinceEpoch: 1) > Timestamp(secondsSinceEpoch: 0))
    }

    @Test(
        "A time is read from its own description, and from no other text",
        arguments: [
            "2026-01-31T12:00:00Z", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-10-31T23:59:59Z",
            "2024-02-29T23:59:59Z",
        ])
    func text(text: String) {
        #expect(Timestamp(text)?.description == text)
        for (old, new) in [("Z", "z"), ("T", " "), ("-", "/"), (":", "."), ("Z", ""), ("Z", "ZZ"), ("0", "\u{660}")] {
            #expect(Timestamp(text.replacing(old, with: new)) == nil)
        }
    }

    @Test(
        "Moments that no calendar has are not read",
        arguments: [
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
            "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:0:Z", "?026-01-01T00:00:00Z", "",
        ])
    func unreal(text: String) {
        #expect(Timestamp(text) == nil)
    }
}
