//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

/// A list of one log, which tests change.
private let list = """
    {"$schema": "https://valid.apple.com/ct/log_list/schema_versions/log_list_schema_v5.json", "version": "375",
     "operators": [{"name": "Alfa", "email": [], "tiled_logs": [], "logs": [{"description": "log 0", "key": "KEY",
       "log_id": "AAAA", "mmd": 86400, "url": "https://log0.test/",
       "temporal_interval": {"start_inclusive": "2026-01-01T00:00:00Z", "end_exclusive": "2026-07-01T00:00:00Z"},
       "state": {"usable": {"timestamp": "2014-01-01T00:00:00Z", "version": "1"}}}]}]}
    """.replacing("KEY", with: Data(TestKey.p256(7).info).base64EncodedString())

@Suite("Lists of logs of certificate transparency")
struct LogListTests {
    private static func read(_ text: String) throws -> LogList { try LogList(contents: Array(text.utf8)) }

    @Test("A log has its key, its interval, its operator and its state")
    func log() throws {
        let log = try #require(try Self.read(list).logs.first)
        #expect(log.identifier == [0, 0, 0])
        #expect(log.name == "log 0" && log.operatorName == "Alfa" && log.state == .usable)
        #expect(log.subjectPublicKeyInfo == TestKey.p256(7).info)
        #expect(log.firstExpiry?.description == "2026-01-01T00:00:00Z")
        #expect(log.endOfExpiry?.description == "2026-07-01T00:00:00Z")
    }

    @Test(
        "A state is a standing; pending and rejected logs are left out",
        arguments: [
            ("pending", nil), ("rejected", nil), ("qualified", .usable), ("usable", .usable),
            ("readonly", .readOnly(since: Timestamp(secondsSinceEpoch: 1_388_534_400))),
            ("retired", .retired(since: Timestamp(secondsSinceEpoch: 1_388_534_400))),
        ] as [(String, TransparencyLog.State?)])
    func states(name: String, state: TransparencyLog.State?) throws {
        #expect(try Self.read(list.replacing("\"usable\"", with: "\"\(name)\"")).logs.first?.state == state)
    }

    @Test("Tiled logs count like others, and a log without an identifier has the digest of its key")
    func tiled() throws {
        let moved = list.replacing("\"tiled_logs\": [], \"logs\": [", with: "\"logs\": [], \"tiled_logs\": [")
        #expect(try Self.read(moved).logs.count == 1)
        let unnamed = try Self.read(list.replacing("\"log_id\": \"AAAA\",", with: ""))
        #expect(unnamed.logs.first?.identifier.count == 32)
    }

    @Test("Google's list has a date in the place of a schema, and may lack tiled logs")
    func google() throws {
        let schema = "\"$schema\": \"\(LogList.schema)\""
        let google = list.replacing(schema, with: "\"log_list_timestamp\": \"2026-04-01T12:00:00Z\"")
        let read = try Self.read(google)
        #expect(read.logs.count == 1)
        #expect(try read.date == Date("2026-04-01T12:00:00Z", strategy: .iso8601))
        #expect(try Self.read(google.replacing("\"tiled_logs\": [],", with: "")).logs.count == 1)
        #expect(try Self.read(list).date == nil)
        for date in ["yesterday", "2026-04-01"] {
            #expect(throws: LogListError.self) {
                try Self.read(google.replacing("2026-04-01T12:00:00Z", with: date))
            }
        }
        #expect(throws: LogListError.self) { try Self.read(google.replacing("log_list_timestamp", with: "date")) }
    }

    @Test(
        "A list with anything malformed in it is an error",
        arguments: [
            ("v5.json", "v4.json"), ("\"operators\"", "\"operator\""), ("\"tiled_logs\": [],", ""),
            ("\"logs\": [", "\"log\": ["), ("\"usable\"", "\"unheard-of\""), ("\"key\"", "\"kee\""), ("AAAA", "A?"),
            ("2026-01-01T00:00:00Z", "2026-01-01"), ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00+02:00"),
            ("2026-01-01T00:00:00Z", "2026-13-01T00:00:00Z"), ("\"end_exclusive\"", "\"end\""), ("}]}]}", "}]}]"),
            ("\"key\": \"MFkw", "\"key\": \"MFkx"),
        ])
    func malformed(old: String, new: String) {
        #expect(throws: LogListError.self) { try Self.read(list.replacing(old, with: new)) }
    }
}
