//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ReportSupport
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("Scans that are compared", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ScanComparisonTests {
    @Test(
        "Only what --fail-on names decides the exit code of a comparison",
        arguments: [("ats", 1), ("trust", 0), ("fcp", 0), ("never", 0)] as [(String, Int32)])
    func failOn(criterion: String, status: Int32) async throws {
        try await withTemporaryFolder { folder in
            let old = try folder.file("old", contents: try Self.lines([passingRecord()]))
            let new = try folder.file("new", contents: try Self.lines([passingRecord { $0.outcome.ats = "failed" }]))
            let scan = try await CommandLineTool.servertrust(
                ["scan", "--from", new, "--compare", old, "--quiet", "--fail-on", criterion])
            #expect(scan.status == status && scan.output.contains("\"isWorse\":true"), "\(scan.errors)")
        }
    }

    @Test(
        "What got worse decides, whatever else cannot be told", arguments: [(true, 1), (false, 2)] as [(Bool, Int32)])
    func worseBesideUnknown(isWorse: Bool, status: Int32) async throws {
        try await withTemporaryFolder { folder in
            var unusable = ScanRecord(line: 2, date: "now", outcome: .init())
            unusable.error = ScanFinding(code: "no-host", message: "It names no host.", remedy: nil, questions: nil)
            let old = try folder.file("old", contents: try Self.lines([passingRecord(), unusable]))
            let changed = passingRecord { if isWorse { $0.outcome.ats = "failed" } }
            let new = try folder.file("new", contents: try Self.lines([changed, unusable]))
            let scan = try await CommandLineTool.servertrust(["scan", "--from", new, "--compare", old, "--quiet"])
            #expect(scan.status == status, "\(scan.output)\(scan.errors)")
        }
    }

    @Test("Hosts that come, go and change are lines; the exit code says whether something got worse")
    func files() async throws {
        try await withTemporaryFolder { folder in
            let hosts = ["a", "b", "c"].map { name in passingRecord { $0.host = name } }
            let old = try folder.file("old", contents: try Self.lines(hosts + [passingRecord { $0.host = "gone" }]))
            let worse = passingRecord {
                $0.host = "b"
                $0.outcome.ats = "failed"
            }
            let new = try folder.file(
                "new", contents: try Self.lines([hosts[2], worse, hosts[0], passingRecord { $0.host = "new" }]))
            let scan = try await CommandLineTool.servertrust(
                ["scan", "--from", new, "--compare", old, "--format", "text", "--quiet"])
            #expect(scan.status == 1)
            #expect(scan.output.contains("WORSE    b:443  ats passed -> failed"), "\(scan.output)")
            #expect(scan.output.contains("NEW      new:443") && scan.output.contains("GONE     gone:443"))
            #expect(scan.output.split(separator: "\n").count == 3)
            let back = try await CommandLineTool.servertrust(["scan", "--from", old, "--compare", new, "--quiet"])
            #expect(back.status == 0 && back.output.contains("\"servertrust.scan-change/1\""))
        }
    }

    @Test("A host that is listed several times has changed only where it has", arguments: [1, 2, 3])
    func repeated(times: Int) async throws {
        try await withTemporaryFolder { folder in
            let hosts = Array(repeating: passingRecord(), count: times) + [passingRecord { $0.host = "b" }]
            let old = try folder.file("old", contents: try Self.lines(hosts))
            let same = try await CommandLineTool.servertrust(["scan", "--from", old, "--compare", old, "--quiet"])
            #expect(same.status == 0 && same.output.isEmpty, "\(same.output)")
            let more = try folder.file("more", contents: try Self.lines(hosts + [passingRecord()]))
            let arguments = ["--format", "text", "--quiet"]
            let new = try await CommandLineTool.servertrust(["scan", "--from", more, "--compare", old] + arguments)
            #expect(new.output.contains("NEW      a.test:443") && new.output.split(separator: "\n").count == 1)
            let gone = try await CommandLineTool.servertrust(["scan", "--from", old, "--compare", more] + arguments)
            #expect(gone.output.contains("GONE     a.test:443") && gone.output.split(separator: "\n").count == 1)
        }
    }

    @Test("Results that someone has tampered with neither trap nor reach the terminal as they are")
    func hostile() async throws {
        try await withTemporaryFolder { folder in
            let hostile = passingRecord {
                $0.host = "\u{1B}]0;x\u{07}<script>alert(1)</script>"
                $0.reasons = ["\u{202E}=cmd"]
                $0.findings = [ScanFinding(code: "\u{9B}", message: "=1+1\u{0A}</script>", remedy: nil, questions: nil)]
                $0.port = .min
                $0.connections = .max
                $0.milliseconds = .max
            }
            let junk = Array("[]\n{\"format\":\"servertrust.scan/1\"}\n\u{0}\n".utf8) + [0xFF, 0x0A]
            let file = try folder.file("r", contents: try Self.lines([hostile, hostile]) + junk)
            for format in ["text", "csv", "html"] {
                let scan = try await CommandLineTool.servertrust(["scan", "--from", file, "--format", format])
                #expect(scan.isCleanExit && scan.status == 0, "\(format): \(scan.errors)")
                let text = scan.output + scan.errors
                #expect(!text.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B || $0.value == 0x202E })
                #expect(format != "csv" || scan.output.contains("'=1+1"))
                #expect(format != "html" || !scan.output.contains("<script>alert"))
            }
        }
    }

    private static func lines(_ records: [ScanRecord]) throws -> [UInt8] {
        try records.flatMap { try ScanResult(record: $0).line() }
    }
}
