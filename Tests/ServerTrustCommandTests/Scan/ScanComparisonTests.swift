//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ReportSupport
import ServerTrust
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

    @Test(
        "Of a file with several results of a host the last is compared, and the host is neither new nor gone",
        arguments: [1, 2, 3])
    func repeated(times: Int) async throws {
        try await withTemporaryFolder { folder in
            let hosts = Array(repeating: passingRecord(), count: times) + [passingRecord { $0.host = "b" }]
            let old = try folder.file("old", contents: try Self.lines(hosts))
            let same = try await CommandLineTool.servertrust(["scan", "--from", old, "--compare", old, "--quiet"])
            #expect(same.status == 0 && same.output.isEmpty, "\(same.output)")
            let more = try folder.file("more", contents: try Self.lines(hosts + [passingRecord()]))
            for (new, old) in [(more, old), (old, more)] {
                let scan = try await CommandLineTool.servertrust(["scan", "--from", new, "--compare", old, "--quiet"])
                #expect(scan.status == 0 && scan.output.isEmpty, "\(scan.output)")
            }
            let failing = passingRecord { $0.outcome.ats = "failed" }
            let two = try folder.file("two", contents: try Self.lines(hosts + [failing]))
            let arguments = ["--format", "text", "--quiet"]
            let better = try await CommandLineTool.servertrust(["scan", "--from", old, "--compare", two] + arguments)
            #expect(better.output.hasPrefix("CHANGED  a.test:443  ats failed -> passed"), "\(better.output)")
        }
    }

    @Test(
        "The end of a certificate is an answer that --fail-on selects, and a change for the worse",
        arguments: [true, false])
    func expiry(isDue: Bool) async throws {
        try await withTemporaryFolder { folder in
            let (before, after) = (try Self.record(nil), try Self.record(isDue ? .warning : nil))
            let old = try folder.file("old", contents: try Self.lines([before]))
            let new = try folder.file("new", contents: try Self.lines([after]))
            let status: Int32 = isDue ? 1 : 0
            let options = ["--quiet", "--fail-on", "expiry"]
            let text = try await CommandLineTool.servertrust(["scan", "--from", new, "--format", "text"] + options)
            #expect(text.status == status && text.output.contains("certificate ends in"), "\(text.output)")
            let change = try await CommandLineTool.servertrust(["scan", "--from", new, "--compare", old] + options)
            #expect(change.status == status && change.output.isEmpty != isDue, "\(change.output)")
        }
    }

    @Test("A certificate of which nothing is known leaves the answer about ends open")
    func unknownExpiry() async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file("r", contents: try Self.lines([passingRecord()]))
            let scan = try await CommandLineTool.servertrust(
                ["scan", "--from", file, "--format", "text", "--quiet", "--fail-on", "expiry"])
            #expect(scan.status == 2)
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

    /// Returns a record with a certificate of which a warning is due at a level, or none.
    private static func record(_ expiry: ExpiryLevel?) throws -> ScanRecord {
        let json = """
            {"subject": "a.test", "issuer": "CA", "notAfter": "2026-12-31T00:00:00Z", "daysLeft": 5, "key": "P-256", \
            "sha256": "00", "spkiSHA256": "AA=="}
            """
        var certificate = try JSONDecoder().decode(ScanCertificate.self, from: Data(json.utf8))
        certificate.expiry = expiry
        return passingRecord { $0.certificate = certificate }
    }

    private static func lines(_ records: [ScanRecord]) throws -> [UInt8] {
        try records.flatMap { try ScanResult(record: $0).line() }
    }
}
