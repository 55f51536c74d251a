//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestTurns
import Testing

@testable import ServerTrustCommand

@Suite("A scan that is interrupted", .takingTurns, .timeLimit(.minutes(5)))
struct ScanInterruptionTests {
    @Test(
        "A signal loses no finished host, and says where the scan stopped",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func signals(signal: Int32, status: Int32) async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            try await withSilentServer { silent in
                let good = (1...20).map { ScanCommandTests.line(range, 0, id: $0) }
                let list = try folder.file(
                    "list", (good + (1...50).map { "127.0.0.\($0):\(silent)" }).joined(separator: "\n"))
                let scan = try ScanProcess(
                    ["scan", list, "--roots", root, "--anchors-only", "--timeout", "30", "--max-connections", "20"],
                    in: folder, output: folder.path("out"))
                try await ScanFile.wait(for: 20, in: folder.path("out"))
                kill(scan.process.processIdentifier, signal)
                #expect(await scan.end() == status)
                let records = try ScanFile.records(folder.path("out"))
                #expect(records.filter { $0.outcome.ats == "passed" }.count == 20)
                // Whoever was in work was not asked to the end, and is no result.
                #expect(!records.contains { $0.reasons.contains("cancelled") })
                #expect(scan.errors.contains("up to line \(records.count == 20 ? "20" : "2")"), "\(scan.errors)")
                #expect(scan.errors.contains("--resume"))
            }
        }
    }

    @Test("A second signal ends it at once")
    func secondSignal() async throws {
        try await withSilentServer { silent in
            try await withTemporaryFolder { folder in
                let list = try folder.file("list", "127.0.0.1:\(silent)")
                let scan = try ScanProcess(["scan", list, "--timeout", "60"], in: folder, output: folder.path("out"))
                try await Task.sleep(for: .seconds(2))
                let start = ContinuousClock.now
                kill(scan.process.processIdentifier, SIGINT)
                try await Task.sleep(for: .milliseconds(300))
                kill(scan.process.processIdentifier, SIGINT)
                #expect(await scan.end() == 130)
                #expect(start.duration(to: .now) < .milliseconds(1_900))
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

    @Test("A host that a list names twice is asked as often as it is missing")
    func resumeTwins() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "a b\na b\na b\n")
            let one = try folder.file("one", "a b\n")
            _ = try await CommandLineTool.servertrust(["scan", one, "-o", folder.path("r"), "--quiet"])
            _ = try await CommandLineTool.servertrust(["scan", list, "--resume", folder.path("r"), "--quiet"])
            #expect(try ScanFile.records(folder.path("r")).map(\.line) == [1, 2, 3])
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
