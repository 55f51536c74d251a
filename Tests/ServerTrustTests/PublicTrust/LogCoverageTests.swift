//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// A made-up list: an operator, a state, and the ends of validity that the log takes.
struct MadeUpLogs {
    typealias Log = (operatorName: String, state: String, first: String, end: String)

    static func list(_ logs: [Log]) -> String {
        let entries = logs.enumerated().map { number, log in
            #"""
            {"name": "\#(log.operatorName)", "email": [], "tiled_logs": [], "logs": [{"description": "\#(number)",
             "key": "\#(Data(TestKey.p256(UInt16(101 + number)).info).base64EncodedString())", "url": "https://a.test/",
             "temporal_interval": {"start_inclusive": "\#(log.first)T00:00:00Z", "end_exclusive": "\#(log.end)T00:00:00Z"},
             "state": {"\#(log.state)": {"timestamp": "2025-01-01T00:00:00Z", "version": "1"}}}]}
            """#
        }
        return #"{"$schema": "\#(LogList.schema)", "version": "9", "operators": [\#(entries.joined(separator: ","))]}"#
    }

    /// Enough until the middle of 2027: then two logs of one operator, and from 2028 on none.
    static let usual: [Log] = [
        ("Alfa", "usable", "2027-01-01", "2027-07-01"), ("Alfa", "usable", "2027-07-01", "2028-01-01"),
        ("Alfa", "usable", "2027-07-01", "2028-01-01"), ("Bravo", "qualified", "2027-01-01", "2027-07-01"),
        ("Bravo", "readonly", "2027-01-01", "2028-01-01"), ("Bravo", "retired", "2027-01-01", "2028-01-01"),
        ("Bravo", "pending", "2027-01-01", "2028-01-01"),
    ]
}

@Suite("What a list of logs can tell of new certificates")
struct LogCoverageTests {
    private static func list(_ logs: [MadeUpLogs.Log]) throws -> LogList {
        try LogList(contents: Array(MadeUpLogs.list(logs).utf8))
    }

    private static func date(_ day: String) throws -> Date { try Date("\(day)T00:00:00Z", strategy: .iso8601) }

    @Test(
        "Usable logs that take the end of validity count, and their operators; long lives need three",
        arguments: [
            ("2027-01-01", 90, 2, 2, 2, true), ("2027-01-01", 180, 2, 2, 2, true), ("2027-01-01", 181, 2, 1, 3, false),
            ("2027-01-01", 30, 2, 2, 2, true), ("2026-12-31", 200, 2, 1, 3, false), ("2027-04-02", 90, 2, 1, 2, false),
            ("2027-10-03", 90, 0, 0, 2, false),
        ])
    func counts(day: String, days: Int, logs: Int, operators: Int, needed: Int, suffices: Bool) throws {
        let coverage = try Self.list(MadeUpLogs.usual).coverage(lifetimeInDays: days, issuedAt: Self.date(day))
        #expect(coverage.logs == logs && coverage.operators == operators, "\(coverage)")
        #expect(coverage.neededLogs == needed && coverage.suffices == suffices, "\(coverage)")
    }

    @Test("The first end of validity that cannot be judged is where too few logs are left")
    func end() throws {
        let list = try Self.list(MadeUpLogs.usual)
        let now = try Self.date("2027-02-01")
        #expect(try list.judgesUntil(lifetimeInDays: 90, at: now) == Self.date("2027-07-01"))
        // Three logs are never there.
        #expect(list.judgesUntil(lifetimeInDays: 200, at: now) == now)
        #expect(try Self.list([]).judgesUntil(lifetimeInDays: 90, at: now) == now)
    }

    @Test("The first end that cannot be judged is the one that counting at each moment finds", arguments: 0..<40)
    func sweep(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let days = (0..<12).map { "2027-\($0 < 9 ? "0" : "")\($0 + 1)-01" }
        let logs = (0..<Int.random(in: 0...9, using: &generator)).map { _ -> MadeUpLogs.Log in
            let first = Int.random(in: 0..<11, using: &generator)
            let end = Int.random(in: first + 1..<12, using: &generator)
            let state = ["usable", "usable", "usable", "retired"].randomElement(using: &generator) ?? "usable"
            return (
                ["Alfa", "Bravo", "Charlie"].randomElement(using: &generator) ?? "Alfa", state, days[first], days[end]
            )
        }
        let list = try Self.list(logs)
        let now = try Self.date("2027-03-15")
        let expected = try ([now] + days.map(Self.date).filter { $0 > now }).first { moment in
            let open = list.coverage(lifetimeInDays: 0, issuedAt: moment)
            return open.logs < 2 || open.operators < LogCoverage.neededOperators
        }
        #expect(list.judgesUntil(lifetimeInDays: 90, at: now) == expected, "\(logs)")
    }

    @Test("The built-in list has fourteen logs of eight operators for certificates that end on 2027-02-10")
    func builtIn() throws {
        let list = AppleTrustData.builtIn.logList
        let issuance = try Self.date("2026-11-12")
        let coverage = list.coverage(lifetimeInDays: 90, issuedAt: issuance)
        #expect(try coverage.expiry == Self.date("2027-02-10"))
        #expect(coverage.logs == 14 && coverage.operators == 8 && coverage.suffices)
        #expect(list.version == "511")
        #expect(try list.judgesUntil(lifetimeInDays: 200, at: issuance) == Self.date("2028-01-01"))
    }
}
