//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import NIOCore
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("A scan that is interrupted", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ScanInterruptionTests {
    @Test(
        "A signal loses no finished host, and says where the scan stopped",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func signals(signal: Int32, status: Int32) async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            try await withSilentServer { silent, _ in
                let good = (1...20).map { ScanCommandTests.line(range, 0, id: $0) }
                let list = try folder.file(
                    "list", (good + (1...50).map { "127.0.0.\($0):\(silent)" }).joined(separator: "\n"))
                let scan = try ScanProcess(
                    ["scan", list, "--roots", root, "--anchors-only", "--timeout", "30", "--max-connections", "20"],
                    in: folder, output: folder.path("out"))
                try await ScanFile.wait(for: 20, in: folder.path("out"))
                scan.process.send(signal)
                #expect(await scan.end() == status)
                let records = try ScanFile.records(folder.path("out"))
                #expect(records.filter { $0.outcome.ats == "passed" }.count == 20)
                // A host in work was not asked to the end, and is no result.
                #expect(!records.contains { $0.reasons.contains("cancelled") })
                #expect(scan.errors.contains("up to line \(records.count == 20 ? "20" : "2")"), "\(scan.errors)")
                #expect(scan.errors.contains("--resume"))
            }
        }
    }

    @Test(
        "A signal that is ignored when it starts stays so, as under nohup",
        arguments: [("HUP", SIGHUP), ("INT", SIGINT)])
    func ignored(name: String, signal: Int32) async throws {
        try await withSilentServer { silent, connected in
            try await withTemporaryFolder { folder in
                let list = try folder.file("list", "127.0.0.1:\(silent)\n")
                let output = try folder.file("out", "")
                let program = try CommandLineTool.program(
                    "/bin/sh",
                    [
                        "-c", "trap '' \(name); exec \"$0\" \"$@\"", try CommandLineTool.servertrustPath(), "scan",
                        list,
                        "--timeout", "2", "--quiet",
                    ], output: output)
                let process = try TestProcess(program)
                try await connected()
                process.send(signal)
                #expect(await process.ending() == .exit(2))
                #expect(try ScanFile.records(output).count == 1)
            }
        }
    }

    @Test(
        "How to go on is said as far as the output can be gone on with",
        arguments: [
            (["-o", "r"], "the same list and --resume r."), ([], "with --resume and the results file"),
            (["--format", "csv", "-o", "r"], "csv cannot be gone on with"),
            (["--format", "html"], "--from FILE --format html"),
            (["--compare", "old", "-o", "r"], "--from r --compare old"),
            (["--compare", "old"], "Results of --output FILE can"),
            (["--format", "csv", "--from", "r"], "Do it again"),
        ])
    func advice(arguments: [String], words: String) throws {
        let options = try ScanOutputOptions.parse(arguments)
        var state = ScanSession.State()
        state.lastLine = 5
        let summary = ScanSummary(
            state: state, end: .interrupted(130), elapsed: .zero, criterion: .ats, advice: options.advice)
        let text = summary.text(.plain)
        #expect(text.contains(words) && text.contains("up to line 5 of the list"), "\(text)")
    }

    @Test(
        "A machine without descriptors says so, and no host is finished by it",
        .enabled(if: CommandLineTool.installed("bash") != nil))
    func starvation() async throws {
        try await withSilentServer { silent, _ in
            try await withTemporaryFolder { folder in
                let list = try folder.file("list", (1...60).map { _ in "127.0.0.1:\(silent)\n" }.joined())
                let bash = try #require(CommandLineTool.installed("bash"))
                // Room for 32 connections by the limit, most of which is taken by what the shell has open.
                let limit = 128 + 3 * System.coreCount
                let scan = try await CommandLineTool.run(
                    bash,
                    [
                        "-c",
                        "for i in {1..108}; do exec {fd}<\"$1\"; done; ulimit -n \(limit); exec \"$0\" scan \"$1\" --timeout 5 -o \"$2\"",
                        try CommandLineTool.servertrustPath(), list, folder.path("r"),
                    ])
                #expect(scan.status == 2 && scan.errors.contains("no room for another connection"), "\(scan.errors)")
                #expect(try ScanFile.records(folder.path("r")).allSatisfy { $0.reasons == ["timed-out-silent"] })
            }
        }
    }

    @Test("More connections than the system lets this process have are refused, with how many there may be")
    func tooManyConnections() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "127.0.0.1:1\n")
            let scan = try await CommandLineTool.run(
                "/bin/sh",
                [
                    "-c", "ulimit -n 400; exec \"$0\" scan \"$1\" --max-connections 1000",
                    try CommandLineTool.servertrustPath(), list,
                ])
            let room = 400 - 96 - 3 * System.coreCount
            #expect(scan.status == 2 && scan.output.isEmpty)
            #expect(room <= 0 || scan.errors.contains("Give --max-connections \(room)"), "\(scan.errors)")
        }
    }

    @Test("A second signal ends it at once, without the summary", arguments: [[SIGINT, SIGTERM], [SIGINT, SIGINT]])
    func secondSignal(signals: [Int32]) async throws {
        try await withSilentServer { silent, connected in
            try await withTemporaryFolder { folder in
                let list = try folder.file("list", "127.0.0.1:\(silent)")
                let scan = try ScanProcess(["scan", list, "--timeout", "60"], in: folder, output: folder.path("out"))
                try await connected()
                // The system joins signals of one number that a busy process has not seen yet.
                for number in 0..<100 where scan.process.isRunning {
                    scan.process.send(signals[number % signals.count])
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect([130, 143].contains(await scan.end()))
                #expect(!scan.errors.contains("Interrupted"), "\(scan.errors)")
            }
        }
    }

    @Test("A file that a killed process has cut is gone on with: nothing is asked twice, nothing is left out")
    func resume() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let lines = (1...12).map {
                ScanCommandTests.line(range, 0, id: $0).replacing("127.0.0.1", with: "127.0.0.\($0)")
            }
            let list = try folder.file("list", (lines + ["two words"]).joined(separator: "\n"))
            let options = ["--roots", root, "--anchors-only", "--quiet"]
            let whole = try await CommandLineTool.servertrust(["scan", list] + options)
            let bytes = Array(whole.output.utf8)
            for cut in [0, 1, bytes.count / 3, bytes.count / 2, bytes.count - 1, bytes.count] {
                let file = try folder.file("cut", contents: bytes.prefix(cut))
                let scan = try await CommandLineTool.servertrust(["scan", list, "--resume", file] + options)
                #expect(scan.status == 2, "\(scan.errors)")
                let written = try String(contentsOfFile: file, encoding: .utf8)
                let kept = String(decoding: bytes.prefix(cut), as: UTF8.self)
                let keptLines = kept.split(separator: "\n", omittingEmptySubsequences: false).dropLast().joined(
                    separator: "\n")
                #expect(written.hasPrefix(keptLines), "\(cut)")
                let records = try ScanFile.records(file)
                #expect(
                    Set(records.map(\.line)) == Set(1...13) && records.count == 13, "\(cut): \(records.map(\.line))")
                #expect(written.split(separator: "\n").count == 13, "\(cut)")
            }
        }
    }

    @Test("Damaged lines in the middle of a file are said, and what they were is asked again")
    func damaged() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "a b\nc d\ne f\n")
            _ = try await CommandLineTool.servertrust(["scan", list, "-o", folder.path("r"), "--quiet"])
            let text = try String(contentsOfFile: folder.path("r"), encoding: .utf8)
            let lines = text.split(separator: "\n")
            let broken = try folder.file("broken", "\(lines[0])\n{\"format\":\n\(lines[2])\n")
            let scan = try await CommandLineTool.servertrust(["scan", list, "--resume", broken, "--quiet"])
            #expect(scan.errors.contains("1 lines are no results, the first is line 2"), "\(scan.errors)")
            #expect(try ScanFile.records(broken).count == 3)
        }
    }

    @Test("A host that a list names twice is asked as often as it is missing")
    func resumeTwins() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "a b\na b\na b\n")
            let one = try folder.file("one", "a b\n")
            _ = try await CommandLineTool.servertrust(["scan", one, "-o", folder.path("r"), "--quiet"])
            _ = try await CommandLineTool.servertrust(["scan", list, "--resume", folder.path("r"), "--quiet"])
            #expect(try ScanFile.records(folder.path("r")).map(\.line).sorted() == [1, 2, 3])
        }
    }

    @Test("A file of something else is neither gone on with nor added to", arguments: ["--resume", "-o"])
    func otherFile(option: String) async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file("notes", "my notes\n")
            let list = try folder.file("list", "127.0.0.1:1\n")
            let scan = try await CommandLineTool.servertrust(["scan", list, option, file])
            #expect(scan.status == 2 && scan.errors.contains("line 1 is no result"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "my notes\n")
        }
    }

    @Test(
        "A full disk stops it, and it says how to go on",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", (1...500).map { "not a host \($0)\n" }.joined())
            let scan = try ScanProcess(["scan", list], in: folder, output: "/dev/full")
            #expect(await scan.end() == 2)
            #expect(scan.errors.contains("No space left") && scan.errors.contains("up to line 0"), "\(scan.errors)")
        }
    }

    @Test("A reader that has enough ends it without a word")
    func closedPipe() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", (1...20_000).map { "not a host \($0)\n" }.joined())
            let command = try CommandLineTool.servertrustPath()
            let shell = try await CommandLineTool.run(
                "/bin/sh", ["-c", "{ \"$0\" scan \"$1\"; echo \"status $?\" >&2; } | head -1", command, list])
            #expect(shell.output.split(separator: "\n").count == 1)
            #expect(shell.errors == "status 2\n")
        }
    }
}
