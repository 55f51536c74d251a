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

/// The ways in which a scan is told to write to a file.
private let writingOptions: [[String]] = [
    ["-o"], ["--resume"], ["--format", "csv", "-o"], ["--format", "html", "-o"], ["--format", "text", "-o"],
    ["--summary"],
]

/// What other programs leave in files: a line without a line break, several lines, no text, and what resembles a result.
private let foreignContents: [(name: String, bytes: [UInt8])] = [
    ("an object", Array(#"{"important":"data"}"#.utf8)), ("an array", Array("[1, 2]".utf8)),
    ("a cut object", Array(#"{"format":"other","a":"#.utf8)),
    ("an object of a later format", Array(#"{"format":"servertrust.scan/12","line":1}"#.utf8)),
    ("XML", Array("<?xml version=\"1.0\"?><plist/>".utf8)), ("another page", Array("<!DOCTYPE html>\n<p>mine".utf8)),
    ("text", Array("PASS the salt, please".utf8)), ("a table", Array("line,host,price\r\n1,2,3\r\n".utf8)),
    ("space", [0x20]), ("a zero byte", [0]), ("binary", (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
    ("two lines", Array("one\ntwo".utf8)),
]

@Suite("Files that are not from a scan", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ForeignFileTests {
    @Test("No option writes to a file that holds something else", arguments: writingOptions)
    private func foreign(options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            for (name, bytes) in foreignContents {
                let file = try folder.file("notes", contents: bytes)
                let scan = try await CommandLineTool.servertrust(["scan", list, "--quiet"] + options + [file])
                #expect(scan.status == 2 && scan.output.isEmpty, "\(name)")
                #expect(scan.errors.contains("Name ") && scan.errors.count { $0 == "\n" } == 1, "\(scan.errors)")
                #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(bytes), "\(name)")
            }
        }
    }

    @Test("A whole object of the format that is no result is not taken for a cut one", arguments: ["-o", "--resume"])
    func wholeObject(option: String) async throws {
        try await withTemporaryFolder { folder in
            let text = #"{"format":"servertrust.scan/1","mine":true}"#
            let (list, file) = (try folder.file("list", "two words\n"), try folder.file("notes", text))
            let scan = try await CommandLineTool.servertrust(["scan", list, "--quiet", option, file])
            #expect(scan.status == 2 && scan.errors.contains("line 1 is no result"), "\(scan.errors)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
    }

    @Test("Fifty megabytes in one line stay, also where they begin as a result does", arguments: ["", "result"])
    func longLine(beginning: String) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            let start = beginning.isEmpty ? [] : ScanResult.beginning
            let file = try folder.file("long", contents: start + [UInt8](repeating: 0x61, count: 50 << 20))
            for options in [["-o"], ["--resume"]] {
                let scan = try await CommandLineTool.servertrust(["scan", list, "--quiet"] + options + [file])
                #expect(scan.status == 2 && scan.errors.contains("line 1 is no result"), "\(scan.errors)")
                let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
                #expect(size == start.count + 50 << 20)
            }
        }
    }

    @Test("The target of a symbolic link is looked at like a file", arguments: writingOptions)
    private func link(options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            let notes = try folder.file("notes", "my notes")
            let link = folder.path("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: notes)
            let scan = try await CommandLineTool.servertrust(["scan", list, "--quiet"] + options + [link])
            #expect(scan.status == 2)
            #expect(try String(contentsOfFile: notes, encoding: .utf8) == "my notes")
        }
    }

    @Test("A last line that is not from a scan stays behind results, and results are added below it")
    func foreignLastLine() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            _ = try await CommandLineTool.servertrust(["scan", list, "-o", folder.path("r"), "--quiet"])
            let results = try String(contentsOfFile: folder.path("r"), encoding: .utf8)
            for last in ["my note", #"{"a":1}"#, "\r"] {
                let file = try folder.file("with-note", results + last)
                let scan = try await CommandLineTool.servertrust(["scan", list, "-o", file, "--quiet"])
                #expect(scan.status == 2)
                let written = try String(contentsOfFile: file, encoding: .utf8)
                #expect(Array(written.utf8).starts(with: Array((results + last + "\n").utf8)), "\(last)")
                #expect(written.utf8.split(separator: 0x0A).count == 3)
            }
        }
    }

    @Test("What a scan has written in one format gives way to another", arguments: ["csv", "html", "text", "ndjson"])
    func ownFiles(format: String) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            let file = folder.path("r")
            let options = ["scan", list, "--quiet", "--summary", folder.path("s")]
            for next in ["csv", "html", "text"] {
                _ = try? FileManager.default.removeItem(atPath: file)
                for one in [format, next, next] {
                    let scan = try await CommandLineTool.servertrust(options + ["--format", one, "-o", file])
                    #expect(scan.status == 2 && scan.errors.isEmpty, "\(format) then \(next): \(scan.errors)")
                }
            }
            #expect(try String(contentsOfFile: folder.path("s"), encoding: .utf8).contains("\"complete\""))
        }
    }

    @Test("A pipe that no program reads is refused at once, and one with a reader receives everything")
    func namedPipe() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", (1...3_000).map { "not a host \($0)\n" }.joined())
            let pipe = folder.path("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            for options in writingOptions + [["--compare"]] {
                let scan = try await CommandLineTool.servertrust(["scan", list, "--quiet"] + options + [pipe])
                #expect(scan.status == 2 && scan.errors.contains(pipe), "\(options): \(scan.errors)")
            }
            let shell = try await CommandLineTool.run(
                "/bin/sh",
                [
                    "-c",
                    "wc -l < \"$2\" & sleep 1; timeout 60 \"$0\" scan \"$1\" -o \"$2\" --quiet; echo status $?; wait",
                    try CommandLineTool.servertrustPath(), list, pipe,
                ])
            #expect(shell.output.contains("3000") && shell.output.contains("status 2"), "\(shell.output)")
        }
    }

    @Test("A reader of a named pipe that has enough ends the scan")
    func closedNamedPipe() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", (1...20_000).map { "not a host \($0)\n" }.joined())
            let pipe = folder.path("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let shell = try await CommandLineTool.run(
                "/bin/sh",
                [
                    "-c",
                    "head -1 < \"$2\" > /dev/null & sleep 1; timeout 60 \"$0\" scan \"$1\" -o \"$2\"; echo status $?",
                    try CommandLineTool.servertrustPath(), list, pipe,
                ])
            #expect(shell.output == "status 2\n" && shell.errors.isEmpty, "\(shell.output) \(shell.errors)")
        }
    }

    @Test(
        "A full device is said, and is not gone on with",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: writingOptions)
    private func fullDevice(options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            let command = ["-c", "exec timeout 60 \"$0\" scan \"$@\"", try CommandLineTool.servertrustPath(), list]
            let scan = try await CommandLineTool.run("/bin/sh", command + ["--quiet"] + options + ["/dev/full"])
            #expect(scan.status == 2, "\(scan.status)")
            #expect(scan.errors.contains("No space left") || scan.errors.contains("is no file"), "\(scan.errors)")
        }
    }
}
