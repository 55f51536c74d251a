//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerReports
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("servertrust demo", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DemoTests {
    @Test("Every server gets the verdict and the reason it should")
    func verdicts() async throws {
        let finished = try await CommandLineTool.servertrust(["demo", "--format", "json"])
        let answer = try JSONDecoder().decode(DemoAnswer.self, from: Data(finished.output.utf8))
        #expect(finished.status == 0 && finished.errors.isEmpty && answer.isAsExpected)
        #expect(answer.format == "servertrust.demo/1" && answer.rootFile == nil)
        #expect(answer.servers.map(\.fault) == TLSFault.allCases.map(\.rawValue))
        for entry in answer.servers {
            let fault = try #require(TLSFault(rawValue: entry.fault))
            let chain = entry.report.evaluation?.reasons.first?.code
            let code = chain ?? entry.report.problems?.first?.code
            #expect(code == Self.codes[fault], "\(entry.fault)")
            #expect(entry.report.verdict == (code == nil ? "trusted" : "not-trusted"), "\(entry.fault)")
            #expect((chain == nil) == (fault.expectation != .refused), "\(entry.fault)")
        }
    }

    /// Written out a second time on purpose, so that the demo does not grade itself.
    private static let codes: [TLSFault: String] = [
        .expired: "expired", .notYetValid: "not-yet-valid", .wrongHost: "name-mismatch", .selfSigned: "untrusted-root",
        .unknownRoot: "unknown-issuer", .missingIntermediate: "unknown-issuer", .weakRSA: "key-too-small",
        .sha1Signature: "weak-signature", .wrongEKU: "eku", .nameConstraintViolation: "name-constraints",
        .lifetimeOverLimit: "lifetime-too-long", .wildcardMismatch: "name-mismatch", .tls10Only: "tls-version-too-old",
    ]

    @Test("The table has a row for every server, in aligned columns of bounded width")
    func table() async throws {
        let finished = try await CommandLineTool.servertrust(["demo"])
        #expect(finished.status == 0)
        let lines = finished.output.split(separator: "\n", omittingEmptySubsequences: false)
        let header = try #require(lines.first)
        let verdicts = try #require(header.range(of: "VERDICT"))
        let start = header.distance(from: header.startIndex, to: verdicts.lowerBound)
        for fault in TLSFault.allCases {
            let row = try #require(lines.first { $0.hasPrefix("\(fault.rawValue) ") })
            let verdict = row.dropFirst(start)
            let expected = fault.expectation == .trusted ? "TRUSTED  " : "NOT TRUSTED  "
            #expect(verdict.hasPrefix(expected) && row.contains(fault.referenceIdentity), "\(row)")
        }
        #expect(lines.allSatisfy { $0.count <= 120 })
        let summary = "17 servers: 4 trusted, 13 not trusted. Every verdict and reason is as it should be.\n"
        #expect(finished.output.hasSuffix(summary))
    }

    @Test("A wrong verdict is told and ends with 1")
    func wrongVerdict() async throws {
        try await withRange([.expired, .goodECDSA]) { range, _, _ in
            let entries = try await DemoCommand.report(on: range).entries
            let swapped = DemoReport(entries: [
                .init(fault: .goodECDSA, report: entries[0].report), .init(fault: .expired, report: entries[1].report),
            ])
            #expect(!swapped.isAsExpected)
            #expect(swapped.summary.contains("2 wrong") && swapped.summary.contains("should be not trusted: expired"))
            #expect(DemoReport(entries: entries).isAsExpected)
        }
    }

    @Test("Kept running, it can be reached, ends on a signal and removes its root", arguments: [SIGTERM, SIGINT])
    func keepRunning(signal: Int32) async throws {
        try await withTemporaryFolder { folder in
            let output = try folder.file("out", "")
            let program = try CommandLineTool.program(
                CommandLineTool.servertrustPath(), ["demo", "--keep-running"], ["TMPDIR": folder.url.path],
                output: output)
            let process = try TestProcess(program)
            let text = try await Self.text(of: output, containing: "Control-C")
            let root = try #require(text.firstMatch(of: /root is in (.*)/)?.1)
            let server = try #require(text.firstMatch(of: /good-rsa\.range\.test:[0-9]+/)?.0)
            let check = try await CommandLineTool.servertrust([
                "check", String(server), "--connect-to", "127.0.0.1", "--roots", String(root), "--anchors-only",
            ])
            #expect(check.status == 0, "\(check.errors)")
            #expect(root.hasPrefix(folder.url.path) && FileManager.default.fileExists(atPath: String(root)))
            process.send(signal)
            #expect(await process.ending() == .exit(0))
            #expect(!FileManager.default.fileExists(atPath: String(root)))
        }
    }

    @Test("Kept running under nohup, it goes on when its terminal hangs up")
    func hangup() async throws {
        try await withTemporaryFolder { folder in
            let output = try folder.file("out", "")
            let program = try CommandLineTool.program(
                "/bin/sh",
                [
                    "-c", "trap '' HUP; exec \"$0\" \"$@\"", try CommandLineTool.servertrustPath(), "demo",
                    "--keep-running",
                ], ["TMPDIR": folder.url.path], output: output)
            let process = try TestProcess(program)
            let text = try await Self.text(of: output, containing: "Control-C")
            let root = try #require(text.firstMatch(of: /root is in (.*)/)?.1)
            process.send(SIGHUP)
            // It serves what comes after the signal.
            let server = try #require(text.firstMatch(of: /good-rsa\.range\.test:[0-9]+/)?.0)
            let check = try await CommandLineTool.servertrust([
                "check", String(server), "--connect-to", "127.0.0.1", "--roots", String(root), "--anchors-only",
            ])
            #expect(check.status == 0, "\(check.errors)")
            #expect(process.isRunning && FileManager.default.fileExists(atPath: String(root)))
            process.send(SIGTERM)
            #expect(await process.ending() == .exit(0))
            #expect(!FileManager.default.fileExists(atPath: String(root)))
        }
    }

    /// The contents of a file as soon as they contain something.
    private static func text(of path: String, containing end: String) async throws -> String {
        for _ in 0..<600 {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            if text.contains(end) { return text }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandError("nothing came")
    }

    @Test(
        "Text is broken at spaces to the width there is",
        arguments: [
            ("", 10, [""]), ("one two", 10, ["one two"]), ("one two", 6, ["one", "two"]),
            ("overlong x", 4, ["overlong", "x"]),
        ] as [(String, Int, [String])]
    )
    func wrapping(text: String, width: Int, lines: [String]) {
        #expect(TextTable.wrap(text, to: width) == lines)
    }
}
