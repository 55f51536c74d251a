//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// Options that would write a file that is something else, too.
private let mistaken: [[String]] = [
    ["list", "--format", "csv", "-o", "list"], ["list", "-o", "./list"], ["list", "--format", "html", "-o", "link"],
    ["--from", "r", "--format", "html", "-o", "r"], ["--from", "r", "--format", "text", "--summary", "r"],
    ["--from", "r", "--compare", "old", "-o", "r"], ["--from", "r", "--compare", "old", "-o", "old"],
    ["list", "--resume", "r", "--format", "csv", "-o", "r"], ["list", "--resume", "r", "--summary", "r"],
    ["list", "-o", "r", "--summary", "r"], ["list", "--compare", "old", "-o", "old"], ["list", "--summary", "list"],
    ["list", "-o", "fresh", "--summary", "fresh"],
]

@Suite("The files of a scan", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ScanFilesTests {
    @Test("A file that is read, or written in another way, is not touched", arguments: mistaken)
    private func mistakes(arguments: [String]) async throws {
        try await Self.withFiles { folder, contents in
            let scan = try await Self.scan(arguments, in: folder)
            #expect(
                scan.status == 2 && scan.output.isEmpty && scan.errors.contains(", too. Name another"), "\(scan.errors)"
            )
            #expect(try Self.contents(folder) == contents)
        }
    }

    @Test("A file that another scan writes is not emptied", arguments: ["csv", "html", "ndjson"])
    func twoScans(format: String) async throws {
        try await Self.withFiles { folder, contents in
            let file = try Descriptor.writing(folder.path("r"))
            defer { try? file.close() }
            #expect(file.claim())
            let scan = try await Self.scan(["list", "--format", format, "-o", "r"], in: folder)
            #expect(scan.status == 2 && scan.errors.contains("another scan writes to it"), "\(scan.errors)")
            #expect(try Self.contents(folder) == contents)
        }
    }

    @Test("Standard output does not go to the list that is read")
    func standardOutput() async throws {
        try await Self.withFiles { folder, contents in
            let scan = try await CommandLineTool.run(
                "/bin/sh",
                ["-c", "cd \"$0\" && \"$1\" scan list >> list", folder.url.path, try CommandLineTool.servertrustPath()])
            #expect(scan.status == 2 && scan.errors.contains("standard output: is the list"), "\(scan.errors)")
            #expect(try Self.contents(folder) == contents)
        }
    }

    @Test("Files of their own are replaced, and results are gone on with under both of their names")
    func inOrder() async throws {
        try await Self.withFiles { folder, contents in
            let page = try await Self.scan(
                ["--from", "r", "--format", "html", "-o", "old", "--summary", "s"], in: folder)
            #expect(page.errors.contains("old: the results that were in it are replaced") && page.status == 2)
            let quiet = try await Self.scan(["--from", "r", "--format", "text", "-o", "old", "--quiet"], in: folder)
            #expect(!quiet.errors.contains("are replaced"), "\(quiet.errors)")
            let again = try await Self.scan(
                ["--from", "r", "--format", "html", "-o", "old", "--summary", "s"], in: folder)
            #expect(again.errors.contains("are replaced"))
            #expect(try Self.contents(folder)["old"]?.hasPrefix("<!DOCTYPE html>") == true)
            #expect(try String(contentsOfFile: folder.path("s"), encoding: .utf8).contains("complete"))
            let resumed = try await Self.scan(["list", "--resume", "r", "-o", "./r", "--quiet"], in: folder)
            #expect(resumed.errors.isEmpty, "\(resumed.errors)")
            #expect(try Self.contents(folder)["r"] == contents["r"])
        }
    }

    @Test("A summary that cannot be written is found out before a server is asked, and nothing is emptied")
    func wrongSummary() async throws {
        try await Self.withFiles { folder, contents in
            let scan = try await Self.scan(
                ["list", "--format", "csv", "-o", "old", "--summary", "/nonexistent/folder/s"], in: folder)
            #expect(scan.status == 2 && scan.errors.contains("/nonexistent/folder/s"))
            #expect(scan.errors.count { $0 == "\n" } == 1, "\(scan.errors)")
            #expect(try Self.contents(folder) == contents)
        }
    }

    private static let names = ["list", "r", "old"]

    private static func contents(_ folder: TemporaryFolder) throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try Self.names.map {
                ($0, try String(contentsOfFile: folder.path($0), encoding: .utf8))
            })
    }

    /// A list, `link` to it, and results of it.
    private static func withFiles(_ body: (TemporaryFolder, [String: String]) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "two words\n")
            try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: list)
            for name in ["r", "old"] {
                let scan = try await CommandLineTool.servertrust(["scan", list, "-o", folder.path(name), "--quiet"])
                #expect(scan.status == 2 && scan.errors.isEmpty)
            }
            try await body(folder, try Self.contents(folder))
        }
    }

    private static func scan(_ arguments: [String], in folder: TemporaryFolder) async throws -> Finished {
        try await CommandLineTool.run(
            "/bin/sh",
            ["-c", "cd \"$0\" && exec \"$@\"", folder.url.path, try CommandLineTool.servertrustPath(), "scan"]
                + arguments)
    }
}
