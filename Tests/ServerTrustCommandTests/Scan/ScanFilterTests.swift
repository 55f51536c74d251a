//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("A scan as a filter", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ScanFilterTests {
    @Test(
        "An empty part of a list is no failure where nothing decides, and nothing is said with --quiet",
        arguments: ["", "\n", "# a comment\n"])
    func emptyPart(text: String) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", text)
            let filter = try await CommandLineTool.servertrust(["scan", list, "--fail-on", "never", "--quiet"])
            #expect(filter.status == 0 && filter.output.isEmpty && filter.errors.isEmpty, "\(filter.errors)")
            let strict = try await CommandLineTool.servertrust(["scan", list, "--quiet"])
            #expect(strict.status == 2 && strict.errors.contains("names no host"), "\(strict.errors)")
        }
    }

    @Test("A line that names no host is a result with an error, and fails the run only where something decides")
    func badLine() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n{\"host\":\n")
            for (criterion, status) in [("never", 0), ("ats", 2), ("trust", 2)] {
                let scan = try await CommandLineTool.servertrust(["scan", list, "--quiet", "--fail-on", criterion])
                #expect(scan.status == Int32(status) && scan.errors.isEmpty, "\(criterion): \(scan.errors)")
                #expect(scan.output.split(separator: "\n").count == 2)
            }
        }
    }

    @Test("A list that cannot be read, or results that cannot be written, fail the run also where nothing decides")
    func realErrors() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            let options = ["--fail-on", "never", "--quiet"]
            for arguments in [[folder.path("missing")], [list, "-o", folder.path("no/folder")]] {
                let scan = try await CommandLineTool.servertrust(["scan"] + arguments + options)
                #expect(scan.status == 2 && scan.errors.count { $0 == "\n" } == 1, "\(scan.errors)")
            }
        }
    }

    @Test("Going on with a file that is not there begins it", arguments: [true, false])
    func beginning(isQuiet: Bool) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "a b\nc d\n")
            let options = ["--resume", folder.path("r"), "--fail-on", "never"] + (isQuiet ? ["--quiet"] : [])
            let first = try await CommandLineTool.servertrust(["scan", list] + options)
            #expect(first.status == 0 && first.errors.contains("is not there yet") != isQuiet, "\(first.errors)")
            let second = try await CommandLineTool.servertrust(["scan", list] + options)
            #expect(second.status == 0 && !second.errors.contains("is not there yet"))
            #expect(Set(try ScanFile.records(folder.path("r")).map(\.line)) == [1, 2])
            #expect(try ScanFile.records(folder.path("r")).count == 2)
        }
    }

    @Test("Parts of results become one, with all that is in their lines, also from standard input and cut parts")
    func merging() async throws {
        try await withTemporaryFolder { folder in
            for (name, lines) in [("a", "a b\nc d\n"), ("b", "e f\ng h\n")] {
                let list = try folder.file("list", lines)
                _ = try await CommandLineTool.servertrust(["scan", list, "-o", folder.path(name), "--quiet"])
            }
            let parts = try ["a", "b"].map { try String(contentsOfFile: folder.path($0), encoding: .utf8) }
            let cut = try folder.file("cut", parts[1] + "{\"format\":\"servertrust.sc")
            let empty = try folder.file("empty", "")
            let merged = try await CommandLineTool.servertrust(
                ["scan", "--from", folder.path("a"), empty, cut, "--format", "ndjson", "--quiet", "--fail-on", "never"])
            #expect(merged.status == 0 && merged.output == parts[0] + parts[1], "\(merged.errors)")
            let command = "cat \"$1\" | \"$0\" scan --from - \"$2\" --format csv --quiet --fail-on never"
            let piped = try await CommandLineTool.run(
                "/bin/sh",
                ["-c", command, try CommandLineTool.servertrustPath(), folder.path("a"), folder.path("b")])
            #expect(piped.output.split(separator: "\r\n").count == 5 && piped.errors.isEmpty, "\(piped.errors)")
        }
    }

    @Test("Parts are not written over by what they become, and a part of something else is named")
    func wrongParts() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "a b\n")
            for name in ["a", "b"] {
                _ = try await CommandLineTool.servertrust(["scan", list, "-o", folder.path(name), "--quiet"])
            }
            let before = try String(contentsOfFile: folder.path("b"), encoding: .utf8)
            let same = try await CommandLineTool.servertrust(
                ["scan", "--from", folder.path("a"), folder.path("b"), "-o", folder.path("b")])
            #expect(same.status == 2 && same.errors.contains("is a file that is read, too"), "\(same.errors)")
            #expect(try String(contentsOfFile: folder.path("b"), encoding: .utf8) == before)
            let notes = try folder.file("notes", "mine")
            let other = try await CommandLineTool.servertrust(
                ["scan", "--from", folder.path("a"), notes, "--format", "csv"])
            #expect(other.status == 2 && other.errors.contains("notes: line 1 is no result"), "\(other.errors)")
            for word in ["weird", "Failed", ""] {
                let text = before.replacing(#""ats":"unknown""#, with: #""ats":"\#(word)""#)
                #expect(text != before)
                let file = try folder.file("other-word", text)
                let strange = try await CommandLineTool.servertrust(["scan", "--from", file, "--format", "csv"])
                #expect(strange.status == 2 && strange.errors.contains("line 1 is no result"), "\(strange.errors)")
            }
            let twice = try await CommandLineTool.servertrust(["scan", "--from", "-", "-", "--format", "csv"])
            #expect(twice.status == 2 && twice.errors.contains("standard input once"), "\(twice.errors)")
        }
    }

    @Test("Each host is asked about an app, too, which then decides")
    func app() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let list = try folder.file("list", ScanCommandTests.line(range, 0, id: 1) + "\n")
            let dictionary = "<key>NSRequiresCertificateTransparency</key><true/>"
            let plist = try folder.file(
                "Info.plist",
                "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict>"
                    + "\(dictionary)</dict></dict></plist>")
            let options = [list, "--roots", root, "--anchors-only", "--plist", plist]
            let scan = try await CommandLineTool.servertrust(
                ["scan"] + options + ["--client", "web", "-o", folder.path("r")])
            #expect(scan.status == 0 && scan.errors.contains("Info.plist: 1 pass"), "\(scan.errors)")
            #expect(try ScanFile.records(folder.path("r")).map(\.outcome.plist) == ["passed"])
            for arguments in [["--client", "web"], ["--fail-on", "plist"]] {
                let wrong = try await CommandLineTool.servertrust(["scan", list] + arguments)
                #expect(wrong.status == 2 && wrong.errors.contains("Add --plist"), "\(wrong.errors)")
            }
        }
    }

    @Test("The pins of hosts are looked for, and only hosts that have pins are held to them")
    func pins() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let list = try folder.file("list", ScanCommandTests.line(range, 0, id: 1) + "\n")
            let host = range.targets[0].referenceIdentity
            let foreign = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE="
            let options = ["scan", list, "--roots", root, "--anchors-only", "--quiet", "--fail-on", "pins", "--pins"]
            let first = try await CommandLineTool.servertrust(
                options + [try folder.file("other", "other.test \(foreign)\n")])
            #expect(first.status == 0 && !first.output.contains("\"pins\":"), "\(first.errors)")
            let own = try folder.file("own", "\(host) \(foreign)\n")
            let second = try await CommandLineTool.servertrust(options + [own])
            #expect(second.status == 1 && second.output.contains("\"pins\":\"failed\""), "\(second.errors)")
            #expect(second.output.contains("\"trust\":\"passed\"") && second.output.contains("not-pinned"))
            let none = try await CommandLineTool.servertrust(["scan", list, "--fail-on", "pins"])
            #expect(none.status == 2 && none.errors.contains("Add --pins"), "\(none.errors)")
        }
    }

    @Test("Revocation is asked for as with one server, and must be known with hard")
    func revocation() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let list = try folder.file("list", ScanCommandTests.line(range, 0, id: 1) + "\n")
            let options = ["scan", list, "--roots", root, "--anchors-only", "--quiet", "--fetch-timeout", "1"]
            for (mode, outcome) in [("soft", "passed"), ("hard", "failed")] {
                let scan = try await CommandLineTool.servertrust(options + ["--revocation", mode])
                #expect(scan.output.contains("\"trust\":\"\(outcome)\""), "\(mode): \(scan.output.prefix(400))")
            }
        }
    }
}
