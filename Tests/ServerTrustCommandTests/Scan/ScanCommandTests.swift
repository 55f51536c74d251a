//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// Arguments that make no sense, and a word of what is said about them.
private let wrongArguments: [([String], String)] = [
    (["--rate", "0"], "0.001"), (["--max-connections", "0"], "20000"), (["--plan", "all"], "all"),
    (["/nonexistent/list"], "/nonexistent/list"), (["--resume", "/nonexistent/results"], "/nonexistent/results"),
    (["--from", "x.ndjson"], "--format"), (["--compare", "x", "--format", "html"], "ndjson"),
    (["--resume", "x", "--compare", "y"], "--from"), (["--resume", "x", "--format", "csv"], "--output"),
    (["--watch", "5m"], "Name a file"), (["list", "--watch", "0s"], "1s"), (["--watch-state", "x"], "--watch"),
    (["--allow-target", "a.test"], "--watch"),
    (["list", "--watch", "5m", "--allow-target", "a.test"], "--metrics-port"), (["list", "--warn", "0%"], "share"),
    (["list", "--warn", "25%,30d,1d"], "share"),
    (["--metrics-port", "9464"], "--watch"), (["list", "--watch", "1m", "-o", "x"], "--output"),
    (["-o", "/nonexistent/folder/x"], "/nonexistent/folder/x"), (["--fail-on", "plist"], "plist"),
    (["list", "-o", "-"], "standard output"), (["list", "--summary", "-"], "standard output"),
    (["list", "--from", "r", "--format", "csv"], "Leave the list out"),
    (["--from", "r", "--format", "csv", "--rate", "1", "--hosts-at-once", "3"], "Leave --rate, --hosts-at-once out"),
    (["--from", "r", "--format", "csv", "--plan", "deep", "--starttls", "smtp"], "Leave --plan, --starttls out"),
    (["--from", "r", "--format", "csv", "--max-connections", "3", "--at", "2026-01-01"], "--max-connections, --at"),
]

/// Lists that name no host.
private let emptyLists = ["", "\n\n", "# a comment\n", "\u{FEFF}"]

@Suite("servertrust scan", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ScanCommandTests {
    @Test("The line for cron in docs/scan.md scans, night after night, and prints the exit code unless it is 0")
    func nightly() async throws {
        try await withTemporaryFolder { folder in
            let command = try Self.nightlyCommand("30 2", folder)
            for _ in 1...2 {
                let finished = try await CommandLineTool.run("/bin/sh", ["-c", command])
                #expect(finished.output == "servertrust scan: exit code 2\n" && finished.errors.isEmpty, "\(finished)")
                let results = try String(contentsOfFile: folder.path("results.ndjson"), encoding: .utf8)
                #expect(results.split(separator: "\n").count == 1, "\(results)")
            }
        }
    }

    @Test("The second line for cron prints what changed since the last night: all hosts in the first")
    func nightlyChanges() async throws {
        try await withTemporaryFolder { folder in
            let command = try Self.nightlyCommand("30 3", folder)
            let first = try await CommandLineTool.run("/bin/sh", ["-c", command])
            #expect(first.output.hasPrefix("NEW      127.0.0.1:1"), "\(first)")
            #expect(first.errors == "servertrust: last.ndjson: does not exist. Each host is reported as new\n")
            for _ in 1...2 {
                let later = try await CommandLineTool.run("/bin/sh", ["-c", command])
                #expect(later.output.isEmpty && later.errors.isEmpty, "\(later)")
            }
        }
    }

    /// Returns a line for cron from docs/scan.md, for a list in a folder with one host that does not answer.
    private static func nightlyCommand(_ time: String, _ folder: TemporaryFolder) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/scan.md"), encoding: .utf8)
        let start = "\n    \(time) * * *  "
        let line = String(
            try #require(page.split(separator: start, maxSplits: 1).dropFirst().first?.prefix { $0 != "\n" }))
        _ = try folder.file("hosts.txt", "127.0.0.1:1\n")
        return line.replacing("/var/lib/scan", with: folder.url.path)
            .replacing(" servertrust scan hosts", with: " \(try CommandLineTool.servertrustPath()) scan hosts")
    }

    @Test("Mistakes are said in one line, and no server is connected to", arguments: wrongArguments)
    private func mistakes(arguments: [String], word: String) async throws {
        let finished = try await CommandLineTool.servertrust(["scan"] + arguments)
        #expect(finished.status == 2 && finished.output.isEmpty)
        #expect(finished.errors.contains(word) && finished.errors.count { $0 == "\n" } == 1, "\(finished.errors)")
    }

    @Test("An unusable line is a result, the others go on, and the exit code is 2")
    func unusableLines() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let list = try folder.file("list", "two words\n\(Self.line(range, 0, id: 1))\n{\"host\":\n")
            let scan = try await CommandLineTool.servertrust(
                ["scan", list, "--roots", root, "--anchors-only", "-o", folder.path("r")])
            let records = try ScanFile.records(folder.path("r")).sorted { $0.line < $1.line }
            #expect(scan.status == 2 && scan.output.isEmpty)
            #expect(records.map(\.line) == [1, 2, 3])
            #expect(records.map(\.outcome.ats) == ["unknown", "passed", "unknown"])
            #expect(records.map(\.reasons) == [["not-a-server"], [], ["not-json"]])
            #expect(scan.errors.contains("2 lines of the list cannot be used. Line 1"))
        }
    }

    @Test("What speaks against a host is counted, and its exit code is 1; an object comes back as it was")
    func summary() async throws {
        try await withRange([.goodECDSA, .expired]) { range, root, folder in
            let list = try folder.file("list", (0..<6).map { Self.line(range, $0 % 2, id: $0) }.joined(separator: "\n"))
            let scan = try await CommandLineTool.servertrust([
                "scan", list, "--roots", root, "--anchors-only", "--summary", folder.path("s"),
            ])
            #expect(scan.status == 1)
            #expect(scan.errors.contains("6 hosts") && scan.errors.contains("3  expired"), "\(scan.errors)")
            for line in scan.output.split(separator: "\n") {
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let input = try #require(object["input"] as? [String: Any])
                #expect(input["id"] as? Int == object["id"] as? Int && input["team"] as? String == "a")
                #expect(object["facts"] is [String: Any])
                #expect(line.hasPrefix("{\"format\":\"servertrust.scan/1\","))
            }
            let summary = try String(contentsOfFile: folder.path("s"), encoding: .utf8)
            #expect(summary.contains("servertrust.scan-summary/1") && summary.contains("\"complete\""))
        }
    }

    @Test("With --starttls the port is that of the protocol, and results say so")
    func startTLS() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "127.0.0.1\n127.0.0.1:1\n")
            let scan = try await CommandLineTool.servertrust(
                ["scan", list, "--starttls", "sieve", "--timeout", "1", "--quiet", "-o", folder.path("r")])
            #expect(scan.status == 2)
            let records = try ScanFile.records(folder.path("r")).sorted { $0.line < $1.line }
            #expect(records.map(\.port) == [StartTLSProtocol.sieve.defaultPort, 1])
            #expect(records.map(\.startTLS) == ["sieve", "sieve"])
        }
    }

    @Test("A list that names no host is no fleet in order", arguments: emptyLists)
    private func emptyList(text: String) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", text)
            let scan = try await CommandLineTool.servertrust(["scan", list, "--quiet"])
            #expect(scan.status == 2 && scan.errors == "servertrust: the list names no host\n", "\(scan.errors)")
            let page = try await CommandLineTool.servertrust(["scan", "--from", list, "--format", "html", "--quiet"])
            #expect(page.status == 2, "\(page.errors)")
        }
    }

    @Test("Where all hosts are finished there is nothing to do, and that is no fault")
    func nothingLeft() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let list = try folder.file("list", Self.line(range, 0, id: 1))
            let arguments = ["scan", list, "--roots", root, "--anchors-only", "--quiet"]
            _ = try await CommandLineTool.servertrust(arguments + ["-o", folder.path("r")])
            let scan = try await CommandLineTool.servertrust(arguments + ["--resume", folder.path("r")])
            #expect(scan.status == 0 && scan.errors.isEmpty)
        }
    }

    @Test("--fail-on decides the exit code", arguments: [("ats", 1), ("trust", 1), ("never", 0)] as [(String, Int32)])
    func failOn(criterion: String, status: Int32) async throws {
        try await withRange([.expired]) { range, root, folder in
            let list = try folder.file("list", Self.line(range, 0, id: 1))
            let scan = try await CommandLineTool.servertrust(
                ["scan", list, "--roots", root, "--anchors-only", "--fail-on", criterion, "--quiet"])
            #expect(scan.status == status && scan.errors.isEmpty, "\(scan.errors)")
        }
    }

    @Test("A host that comes through a pipe is answered while the pipe stays open")
    func slowPipe() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let scan = try ScanProcess(
                ["scan", "--roots", root, "--anchors-only", "-o", folder.path("r")], in: folder,
                output: folder.path("out"))
            for count in 1...3 {
                try scan.send(Self.line(range, 0, id: count) + "\n")
                try await ScanFile.wait(for: count, in: folder.path("r"))
            }
            #expect(scan.process.isRunning)
            #expect(await scan.end() == 0, "\(scan.errors)")
        }
    }

    @Test("A long list takes no more memory than a short one")
    func boundedMemory() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", (0..<200_000).map { "# \($0)\nnot a host \($0)\n" }.joined())
            let scan = try ScanProcess(["scan", list, "--quiet"], in: folder, output: folder.path("out"))
            var peak = 0
            while scan.process.isRunning {
                peak = max(peak, Self.peak(of: scan.process.identifier))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(await scan.end() == 2)
            #expect(try ScanFile.records(folder.path("out")).count == 200_000)
            #expect(peak < 120_000, "\(peak) kB")
        }
    }

    /// The most memory a process has had, in kilobytes; 0 where the system does not say.
    private static func peak(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmHWM:\s*([0-9]+)/).flatMap { Int($0.1) } ?? 0
    }

    /// A server of a range as a line of a list.
    static func line(_ range: TestTLSServerRange, _ index: Int, id: Int) -> String {
        let target = range.targets[index]
        return "{\"host\":\"\(target.referenceIdentity)\",\"port\":\(target.port),\"connectTo\":\"127.0.0.1\","
            + "\"id\":\(id),\"team\":\"a\"}"
    }
}
