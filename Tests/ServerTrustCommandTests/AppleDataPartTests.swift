//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import TestSupport
import Testing

@Suite("The parts of Apple's data", .limitedConcurrency, .timeLimit(.minutes(10)))
struct AppleDataPartTests {
    /// Logs that take certificates that end in 2027: two of two operators, and a third one until the middle of the year.
    private static func logList() -> String {
        let logs = [("Alfa", "2028-01-01"), ("Bravo", "2028-01-01"), ("Bravo", "2027-07-01")].enumerated().map {
            let key = Data(TestKey.p256(UInt16(901 + $0)).info).base64EncodedString()
            return #"""
                {"name": "\#($1.0)", "tiled_logs": [], "logs": [{"description": "\#($0)", "key": "\#(key)",
                 "temporal_interval": {"start_inclusive": "2027-01-01T00:00:00Z", "end_exclusive": "\#($1.1)T00:00:00Z"},
                 "state": {"usable": {"timestamp": "2025-01-01T00:00:00Z"}}}]}
                """#
        }
        return #"{"$schema": "\#(LogList.schema)", "version": "9", "operators": [\#(logs.joined(separator: ","))]}"#
    }

    @Test(
        "check --lifetime exits with 1 where the data cannot judge certificates that are issued at a moment",
        arguments: [
            (90, "2027-01-01", 0, "3 usable logs of 2 operators known, 2 logs needed."),
            (90, "2027-06-01", 0, "2 usable logs of 2 operators known, 2 logs needed."),
            (181, "2027-06-01", 1, "2 usable logs of 2 operators known, 3 logs needed: too few to judge them."),
            (200, "2026-12-01", 0, "3 usable logs of 2 operators known, 3 logs needed."),
            (90, "2027-12-01", 1, "0 usable logs of 0 operators known, 2 logs needed: too few to judge them."),
        ])
    func lifetimes(days: Int, moment: String, status: Int32, sentence: String) async throws {
        try await withTemporaryFolder { folder in
            let (_, data) = try PublicTrustTests.program(folder.path("."), fetched: Date())
            let list = data + "/certificate_transparency/log_list.json"
            try Self.logList().write(toFile: list, atomically: true, encoding: .utf8)
            let arguments = ["apple-data", "check", "--lifetime", "\(days)", "--at", moment, "--apple-data", data]
            let finished = try await CommandLineTool.servertrust(arguments)
            #expect(finished.status == status && finished.output.contains(sentence), "\(finished.output)")
            let last = finished.output.split(separator: "\n").last ?? ""
            #expect(last.hasPrefix(status == 0 ? "PASSED  " : "FAILED  "), "\(finished.output)")
            let shown = try await CommandLineTool.servertrust(["apple-data", "show", "--apple-data", data])
            #expect(shown.output.contains("Certificates of 200 days, which end at "), "\(shown.output)")
        }
    }

    @Test("update without data says where Apple's are")
    func noSource() async throws {
        let finished = try await CommandLineTool.servertrust(["apple-data", "update"])
        #expect(finished.status == 2 && finished.errors.contains("--from https://github.com/apple-oss-distributions/"))
    }

    @Test("A lifetime outside of 1 to 3650 days is a wrong argument", arguments: ["0", "-1", "3651", "x"])
    func wrongLifetime(text: String) async throws {
        let finished = try await CommandLineTool.servertrust(["apple-data", "check", "--lifetime=\(text)"])
        #expect(finished.status == 2 || finished.status == 64, "\(finished.status)")
    }

    @Test(
        "Every command warns where the data cannot judge a certificate that is issued now for ninety days",
        arguments: [
            ["check", "127.0.0.1:1"], ["diagnose", "127.0.0.1:1"], ["get", "https://127.0.0.1:1/"],
            ["pin", "127.0.0.1:1"], ["ats", "suggest", "127.0.0.1:1"],
        ])
    func warning(command: [String]) async throws {
        try await withTemporaryFolder { folder in
            let (_, data) = try PublicTrustTests.program(folder.path("."), fetched: Date())
            let finished = try await CommandLineTool.servertrust(command + ["--apple-data", data])
            #expect(
                finished.errors.contains(
                    "The list of logs is too old to judge a certificate that is issued now for 90 days: "
                        + "it knows no log that takes one."), "\(finished.errors)")
        }
    }

    @Test("A log list alone and a report alone are taken, and leave the other parts as they are")
    func updates() async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path("home")
            func run(_ arguments: [String]) async throws -> Finished {
                try await CommandLineTool.servertrust(["apple-data"] + arguments, environment: ["XDG_DATA_HOME": home])
            }
            let doubtful = "--dangerously-accept-doubtful-data"
            let list = try folder.file("log_list.json", Self.logList())
            let undated = try await run(["update", "--from", list, doubtful])
            #expect(undated.status == 2 && undated.errors.contains("fetched: --date"), "\(undated.errors)")
            let now = ["--date", Date().ISO8601Format()]
            let few = try await run(["update", "--from", list] + now)
            #expect(few.status == 1 && few.errors.contains("they have 3 logs"), "\(few.errors)")
            let listed = try await run(["update", "--from", list, doubtful] + now)
            #expect(listed.status == 0, "\(listed.errors)")
            let afterList = try await run(["show"])
            #expect(afterList.output.contains("Logs          3: 3 usable"), "\(afterList.output)")
            #expect(afterList.output.contains("built in, from security_certificates-"), "\(afterList.output)")
            #expect(afterList.output.contains("built in, from Common CA Database"), "\(afterList.output)")

            let fingerprint = String(repeating: "AB", count: 32)
            let report = try folder.file(
                "report.csv", "SHA-256 Fingerprint,Apple Status,Certificate Name\n\(fingerprint),Blocked,X\n")
            let status = try await run(["update", "--from", report, doubtful, "--date", "2026-09-01"])
            #expect(status.status == 0, "\(status.errors)")
            let afterReport = try await run(["show"])
            #expect(afterReport.output.contains("ABABABABABABABAB  X"), "\(afterReport.output)")
            #expect(!afterReport.output.contains("NetLock"), "\(afterReport.output)")
            #expect(afterReport.output.contains("Logs          3: 3 usable"), "\(afterReport.output)")
            #expect(afterReport.output.contains("2026-09-01T00:00:00Z"), "\(afterReport.output)")

            // An older report is not taken, and a folder leaves the report alone.
            let older = try await run(["update", "--from", report, "--date", "2026-08-30"])
            #expect(older.status == 1, "\(older.output)\(older.errors)")
            let (_, data) = try PublicTrustTests.program(folder.path("."), fetched: Date())
            let whole = try await run(["update", "--from", data, doubtful])
            #expect(whole.status == 0, "\(whole.errors)")
            let afterFolder = try await run(["show"])
            #expect(afterFolder.output.contains("ABABABABABABABAB  X"), "\(afterFolder.output)")
            #expect(afterFolder.output.contains("1, 1 of them for TLS servers"), "\(afterFolder.output)")
        }
    }

    @Test(
        "What is neither an archive, nor Apple's list of logs, nor a report changes nothing",
        arguments: [
            (#"{"log_list_timestamp": "2026-04-01T12:00:00Z", "operators": []}"#, "Google's list of logs"),
            ("{}", "list of logs cannot be used"), ("a,b\n1,2\n", "status of roots cannot be used"),
            ("sha256,Apple Status\n12,Blocked\n", "line 2"), ("hello", "archive"),
        ])
    func malformed(text: String, reason: String) async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file("part", text)
            let finished = try await CommandLineTool.servertrust(
                ["apple-data", "update", "--from", file, "--to", folder.path("target")])
            #expect(finished.status == 2 && finished.errors.contains(reason), "\(finished.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("target")))
        }
    }
}
