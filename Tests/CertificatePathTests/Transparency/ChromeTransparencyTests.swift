//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Certificate transparency by Chrome's policy")
struct ChromeTransparencyTests {
    /// Log 901 and 902 are of one operator, 903 and 904 of another; 904 is retired, 905 has moved from the first to a third.
    private static func logs(retired: Timestamp) throws -> [TransparencyLog] {
        func log(_ number: UInt16, _ name: String, _ state: TransparencyLog.State = .usable) throws -> TransparencyLog {
            try TransparencyLog(
                subjectPublicKeyInfo: TestKey.p256(number).info, operatorName: name, state: state)
        }
        var moved = try log(905, "C")
        moved.previousOperators = [.init(name: "A", end: Timestamp(secondsSinceEpoch: 1_777_680_000))]
        return try [log(901, "A"), log(902, "A"), log(903, "B"), log(904, "B", .retired(since: retired)), moved]
    }

    private static func verdict(
        _ logs: [UInt16], template: CraftedCertificate = TransparencyTests.template(), retired: Timestamp = testTime,
        _ change: (inout ValidationRequest) throws -> Void = { _ in }
    ) throws -> Verdict {
        try TransparencyTests.verdict(
            logs.map { TestTimestamp($0) }, template: template, logs: Self.logs(retired: retired)
        ) {
            $0.transparency?.rules = .chrome
            try change(&$0)
        }
    }

    private static let missing = "0:certificate-transparency"

    @Test(
        "Two logs of different operators must have signed, one of them current",
        arguments: [
            ([901], false), ([901, 902], false), ([901, 903], true), ([901, 902, 903], true), ([903, 904], false),
            ([901, 904], true), ([904], false),
        ] as [([UInt16], Bool)])
    func operators(logs: [UInt16], isAccepted: Bool) throws {
        let verdict = try Self.verdict(logs)
        #expect(verdict.summary == (isAccepted ? "accepted" : Self.missing))
        #expect(verdict.transparency?.countedOperators == Set(logs.map { $0 < 903 ? "A" : "B" }).count)
    }

    @Test("Apple's policy asks for no second operator")
    func apple() throws {
        let verdict = try Self.verdict([901, 902]) { $0.transparency?.rules = .apple }
        #expect(verdict.summary == "accepted")
    }

    @Test(
        "A log counts for the operator that ran it when it signed",
        arguments: [(1_777_679_999, false), (1_777_680_000, true)])
    func movedLog(seconds: UInt64, isAccepted: Bool) throws {
        var moved = TestTimestamp(905)
        moved.milliseconds = seconds * 1_000
        let verdict = try TransparencyTests.verdict([TestTimestamp(901), moved], logs: Self.logs(retired: testTime)) {
            $0.transparency?.rules = .chrome
        }
        #expect(verdict.isAccepted == isAccepted)
    }

    @Test("A timestamp from after its log's retirement does not count")
    func retired() throws {
        let early = Timestamp(secondsSinceEpoch: 1_500_000_000)
        #expect(try Self.verdict([901, 904], retired: early).summary == Self.missing)
    }

    @Test(
        "Lifetimes over 180 days need three logs",
        arguments: [("261028000000Z", 2), ("261028000001Z", 3), ("270601000000Z", 3), ("300601000000Z", 3)])
    func lifetimes(end: String, needed: Int) throws {
        let template = TransparencyTests.template { $0.notAfter = DER.utcTime(end) }
        let two = try Self.verdict([901, 903], template: template)
        #expect(two.transparency?.neededLogs == needed)
        #expect(two.isAccepted == (needed == 2))
        #expect(try Self.verdict([901, 902, 903], template: template).isAccepted)
    }

    @Test("Delivered timestamps count by themselves: two logs of different operators")
    func delivered() throws {
        func verdict(embedded: [UInt16], delivered: [UInt16]) throws -> Verdict {
            var template = TransparencyTests.template()
            if !embedded.isEmpty {
                let entry = TestTimestamp.entry(template, issuer: TransparencyTests.issuer.key)
                template.set(.timestamps(try TestTimestamp.list(embedded.map { TestTimestamp($0) }, entry)))
            }
            template.signature = try template.signer.sign(template.body(), template.algorithm)
            let list = try TestTimestamp.list(
                delivered.map { TestTimestamp($0) }, TestTimestamp.entry(try template.encoded()))
            return try TransparencyTests.verdict(template, logs: Self.logs(retired: testTime)) {
                $0.transparency?.rules = .chrome
                $0.transparency?.timestampLists = [list]
            }
        }
        #expect(try verdict(embedded: [], delivered: [901, 903]).summary == "accepted")
        #expect(try verdict(embedded: [], delivered: [901, 902]).summary == Self.missing)
        #expect(try verdict(embedded: [901], delivered: [903]).summary == Self.missing)
        #expect(try verdict(embedded: [901, 903], delivered: [902]).summary == "accepted")
    }

    @Test(
        "Certificates of May 2018 need timestamps, those of April do not",
        arguments: [("180430235959Z", true), ("180501000000Z", false)])
    func start(notBefore: String, isAccepted: Bool) throws {
        let template = TransparencyTests.template { $0.notBefore = DER.utcTime(notBefore) }
        #expect(try Self.verdict([], template: template).isAccepted == isAccepted)
    }

    @Test("A list is current for less than seventy days", arguments: [(70 * 86_400 - 1, true), (70 * 86_400, false)])
    func age(seconds: Int64, isCurrent: Bool) {
        let date = Timestamp(secondsSinceEpoch: testTime.secondsSinceEpoch - seconds)
        #expect(TransparencyRequest.isCurrent(listOf: date, at: testTime, by: .chrome) == isCurrent)
        #expect(!TransparencyRequest.isCurrent(listOf: date, at: testTime))
    }

    @Test("An old list leaves open what unknown logs of other operators may clear")
    func oldList() throws {
        for (logs, isUndetermined) in [([901, 950], true), ([901, 902], false), ([950, 951], true), ([950], false)]
            as [([UInt16], Bool)]
        {
            let verdict = try Self.verdict(logs) {
                $0.transparency?.isListCurrent = false
                $0.transparency?.oldListRule = .refusesWhatNewerListsCannotClear
            }
            #expect(verdict.transparency?.isUndetermined == isUndetermined, "\(logs)")
        }
    }
}
