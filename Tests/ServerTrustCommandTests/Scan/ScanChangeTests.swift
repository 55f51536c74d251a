//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// What was, what is, and what is said to have changed and whether for the worse; `nil` for nothing.
private let changes: [(ScanRecord, ScanRecord, [String]?, Bool)] = [
    (record(), record(), nil, false),
    (
        record(),
        record {
            $0.outcome.ats = "failed"
            $0.reasons = ["expired"]
        }, ["ats", "reasons"], true
    ),
    (record { $0.outcome.ats = "failed" }, record(), ["ats"], false),
    (record { $0.outcome.ats = "unknown" }, record { $0.outcome.ats = "failed" }, ["ats"], true),
    (record { $0.outcome.ats = "failed" }, record { $0.outcome.ats = "unknown" }, ["ats"], false),
    (record(), record { $0.versions = ["TLS 1.2"] }, ["versions"], false),
    (record(), record { $0.cipherSuites = [] }, ["cipherSuites"], false),
    // Another plan asks about other suites; a host that does not answer has not changed its versions.
    (
        record(),
        record {
            $0.cipherSuites = []
            $0.plan = "deep"
        }, nil, false
    ),
    (
        record(),
        record {
            $0.versions = []
            $0.cipherSuites = []
            $0.outcome.trust = "unknown"
        }, ["trust"], true
    ),
    (
        record(),
        record {
            $0.date = "later"
            $0.milliseconds = 9
            $0.connections = 9
        }, nil, false
    ),
]

private func record(_ change: (inout ScanRecord) -> Void = { _ in }) -> ScanRecord {
    var record = ScanRecord(line: 1, date: "now", outcome: .init(ats: "passed", fcp: nil, trust: "passed"))
    (record.host, record.port, record.plan) = ("a.test", 443, "ats")
    (record.versions, record.cipherSuites) = (["TLS 1.3"], ["TLS_AES_128_GCM_SHA256"])
    change(&record)
    return record
}

@Suite("Changes between scans", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ScanChangeTests {
    @Test("What has changed is said, and nothing else", arguments: changes)
    private func differences(old: ScanRecord, new: ScanRecord, fields: [String]?, isWorse: Bool) {
        let change = ScanChange(from: old, to: new)
        #expect(change?.changes.map(\.field) == fields)
        #expect((change?.isWorse ?? false) == isWorse)
    }

    @Test(
        "Only what --fail-on names decides the exit code of a comparison",
        arguments: [("ats", 1), ("trust", 0), ("fcp", 0), ("never", 0)] as [(String, Int32)])
    func failOn(criterion: String, status: Int32) async throws {
        try await withTemporaryFolder { folder in
            let old = try folder.file("old", contents: try Self.lines([record()]))
            let new = try folder.file("new", contents: try Self.lines([record { $0.outcome.ats = "failed" }]))
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
            let old = try folder.file("old", contents: try Self.lines([record(), unusable]))
            let changed = record { if isWorse { $0.outcome.ats = "failed" } }
            let new = try folder.file("new", contents: try Self.lines([changed, unusable]))
            let scan = try await CommandLineTool.servertrust(["scan", "--from", new, "--compare", old, "--quiet"])
            #expect(scan.status == status, "\(scan.output)\(scan.errors)")
        }
    }

    @Test("What changes while a host does not answer is said when it does, and what had failed is no worse then")
    func silence() throws {
        let failing = record {
            $0.outcome.ats = "failed"
            $0.certificate = Self.certificate("old")
        }
        let silent = record {
            $0.outcome = .init()
            ($0.versions, $0.cipherSuites) = ([], [])
        }
        var back = failing
        back.certificate = Self.certificate("new")
        let kept = silent.remembering(silent.remembering(failing))
        let change = try #require(ScanChange(from: kept, to: back))
        #expect(change.changes.map(\.field).prefix(3) == ["ats", "trust", "certificate"] && !change.isWorse)
        // What was in order before is worse, and silence is said once.
        var worse = back
        worse.outcome.trust = "failed"
        #expect(ScanChange(from: kept, to: worse)?.worsened == [.trust])
        #expect(ScanChange(from: failing, to: silent)?.worsened == [.trust])
        #expect(ScanChange(from: kept, to: silent) == nil)
    }

    @Test("Rounds of a watch remember a host through one that has no answer")
    func rememberedRounds() throws {
        let certificates = [Self.certificate("old"), nil, Self.certificate("new")]
        let recorders = try certificates.map { _ in try RoundRecorder() }
        for (index, certificate) in certificates.enumerated() {
            let comparison =
                index > 0
                ? ChangeReceiver(try Self.discarding(), recorders[index - 1].results, criterion: .ats) : nil
            var receiver = RoundReceiver(recorders[index], comparison)
            let host = record {
                $0.certificate = certificate
                if certificate == nil { ($0.versions, $0.outcome) = ([], .init()) }
            }
            try receiver.receive(ScanResult(record: host))
        }
        var results = recorders[1].results
        let kept = try results.take(record().identity)
        #expect(
            kept?.certificate?.sha256 == "old" && kept?.outcome.ats == "unknown" && kept?.lastAnswers?.ats == "passed")
        var last = recorders[2].results
        #expect(try last.take(record().identity)?.certificate?.sha256 == "new")
    }

    @Test("Hosts that come, go and change are lines; the exit code says whether something got worse")
    func files() async throws {
        try await withTemporaryFolder { folder in
            let hosts = ["a", "b", "c"].map { name in record { $0.host = name } }
            let old = try folder.file("old", contents: try Self.lines(hosts + [record { $0.host = "gone" }]))
            let worse = record {
                $0.host = "b"
                $0.outcome.ats = "failed"
            }
            let new = try folder.file(
                "new", contents: try Self.lines([hosts[2], worse, hosts[0], record { $0.host = "new" }]))
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
            let hosts = Array(repeating: record(), count: times) + [record { $0.host = "b" }]
            let old = try folder.file("old", contents: try Self.lines(hosts))
            let same = try await CommandLineTool.servertrust(["scan", "--from", old, "--compare", old, "--quiet"])
            #expect(same.status == 0 && same.output.isEmpty, "\(same.output)")
            let more = try folder.file("more", contents: try Self.lines(hosts + [record()]))
            let arguments = ["--format", "text", "--quiet"]
            let new = try await CommandLineTool.servertrust(["scan", "--from", more, "--compare", old] + arguments)
            #expect(new.output.contains("NEW      a.test:443") && new.output.split(separator: "\n").count == 1)
            let gone = try await CommandLineTool.servertrust(["scan", "--from", old, "--compare", more] + arguments)
            #expect(gone.output.contains("GONE     a.test:443") && gone.output.split(separator: "\n").count == 1)
        }
    }

    @Test("A round that is recorded has every result of a host, in their order, and what is left over")
    func rounds() throws {
        let recorder = try RoundRecorder()
        for plan in ["ats", "standard", "deep"] {
            recorder.receive(ScanResult(record: record { $0.plan = plan }))
        }
        var results = recorder.results
        let identity = record().identity
        let plans = [try results.take(identity)?.plan, try results.take(identity)?.plan]
        #expect(plans == ["ats", "standard"])
        var left: [String?] = []
        try results.forEachLeft { left.append($0.plan) }
        #expect(left == ["deep"])
        #expect(try results.take(identity) != nil && results.take(identity) == nil)
    }

    @Test("Results that someone has tampered with neither trap nor reach the terminal as they are")
    func hostile() async throws {
        try await withTemporaryFolder { folder in
            let hostile = record {
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

    private static func certificate(_ digest: String) -> ScanCertificate {
        ScanCertificate(
            subject: "x", issuer: "y", notAfter: "z", daysLeft: 90, key: "EC", sha256: digest, spkiSHA256: digest)
    }

    private static func discarding() throws -> ChangeWriter {
        ChangeWriter(try ResultStream.replacing(Descriptor.temporary(), "none", kinds: []), nil, criterion: .ats)
    }

    private static func lines(_ records: [ScanRecord]) throws -> [UInt8] {
        try records.flatMap { try ScanResult(record: $0).line() }
    }
}
