//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Testing

@testable import ServerTrust

@Suite("The rule that announces the end of a certificate")
struct ExpiryThresholdTests {
    private static let day: Int64 = 86_400

    /// A life of so many days, of which so many seconds are left.
    private static func life(days: Int64, left: Int64) -> CertificateLife {
        let start = Timestamp(secondsSinceEpoch: 1_780_000_000)
        let end = Timestamp(secondsSinceEpoch: start.secondsSinceEpoch + days * Self.day)
        return CertificateLife(
            notBefore: start, notAfter: end, date: Timestamp(secondsSinceEpoch: end.secondsSinceEpoch - left))
    }

    @Test(
        "Text is a share, days, or one of each",
        arguments: [
            ("25%", 25, nil), ("30d", nil, 30), ("25%,30d", 25, 30), ("30d,25%", 25, 30), ("100%", 100, nil),
            ("0d", nil, 0),
        ] as [(String, Int?, Int?)])
    func text(text: String, percent: Int?, days: Int?) throws {
        let threshold = try #require(ExpiryThreshold(text))
        #expect(threshold.percent == percent && threshold.days == days)
        #expect(ExpiryThreshold(threshold.description) == threshold)
    }

    @Test(
        "Other text is refused",
        arguments: [
            "", ",", "25", "%", "d", "0%", "101%", "-1d", "+5%", "25%,", "25%,30%", "30d,30d", "25%,30d,1d", "36501d",
            "2.5%",
            "25 %", "٣d", "99999999999999999999d",
        ])
    func unusable(text: String) { #expect(ExpiryThreshold(text) == nil) }

    @Test(
        "By default a quarter of the life and thirty days must both be short",
        arguments: [
            // Half of a life of six days is what renewals begin at, up to a day late.
            (6, 3 * 86_400, nil), (6, 2 * 86_400, nil), (6, 129_600, nil), (6, 129_599, .warning),
            (6, 51_839, .critical),
            (45, 972_000, nil), (45, 971_999, .warning), (90, 1_944_000, nil), (90, 1_943_999, .warning),
            (90, 777_599, .critical), (200, 30 * 86_400, nil), (200, 30 * 86_400 - 1, .warning),
            (200, 20 * 86_400 - 1, .critical), (398, 39 * 86_400, nil), (398, 30 * 86_400 - 1, .critical),
            (90, 0, .critical), (90, -1, .expired),
        ] as [(Int64, Int64, ExpiryLevel?)])
    func levels(days: Int64, left: Int64, level: ExpiryLevel?) {
        #expect(ExpiryThreshold.default.level(of: Self.life(days: days, left: left)) == level)
    }

    @Test("A share alone and days alone do as they say, and the end is told without either")
    func alone() {
        let life = Self.life(days: 398, left: 90 * Self.day)
        #expect(ExpiryThreshold(percent: 25).level(of: life) == .warning)
        #expect(ExpiryThreshold(days: 91).level(of: life) == .warning)
        #expect(ExpiryThreshold(days: 90).level(of: life) == nil)
        #expect(ExpiryThreshold(percent: 100, days: 0).level(of: Self.life(days: 6, left: 0)) == nil)
        #expect(ExpiryThreshold().level(of: Self.life(days: 6, left: 1)) == nil)
        #expect(ExpiryThreshold().level(of: Self.life(days: 6, left: -1)) == .expired)
    }

    @Test("A certificate that is not valid yet, and one that ends before it begins, are no alarm of theirs")
    func odd() {
        #expect(ExpiryThreshold(percent: 100).level(of: Self.life(days: 6, left: 7 * Self.day)) == nil)
        let reversed = CertificateLife(
            notBefore: Timestamp(secondsSinceEpoch: 10), notAfter: Timestamp(secondsSinceEpoch: 5),
            date: Timestamp(secondsSinceEpoch: 0))
        #expect(ExpiryThreshold.default.level(of: reversed) == nil && reversed.percentLeft == 0)
    }

    @Test("No moment traps", arguments: [Int64.min, -1, 0, 1, Int64.max])
    func anyMoment(seconds: Int64) {
        for other in [Int64.min, 0, Int64.max] {
            for third in [Int64.min, 0, Int64.max] {
                let life = CertificateLife(
                    notBefore: Timestamp(secondsSinceEpoch: other), notAfter: Timestamp(secondsSinceEpoch: third),
                    date: Timestamp(secondsSinceEpoch: seconds))
                #expect((0...100).contains(life.percentLeft))
                _ = ExpiryThreshold.default.level(of: life)
            }
        }
    }

    @Test("The share that is left is rounded down")
    func share() {
        #expect(Self.life(days: 100, left: 50 * Self.day).percentLeft == 50)
        #expect(Self.life(days: 100, left: 50 * Self.day - 1).percentLeft == 49)
        #expect(Self.life(days: 100, left: 101 * Self.day).percentLeft == 100)
        #expect(Self.life(days: 100, left: -5).percentLeft == 0)
    }
}
