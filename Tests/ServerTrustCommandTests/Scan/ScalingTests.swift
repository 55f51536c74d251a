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

/// Whether these tests must run: in continuous integration a missing program is a failure.
private let mustRun = ProcessInfo.processInfo.environment["CI"] != nil

@Suite(
    "The commands of docs/scaling.md", .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(
        if: mustRun || CommandLineTool.installed("parallel") != nil,
        "GNU parallel is not installed, so that docs/scaling.md is not tested; apt install parallel"))
struct ScalingTests {
    private static let count = 300

    @Test("Parts of a list become one again: each host once, also after a part was killed, and repeated whole")
    func parts() async throws {
        try await Self.withParts { folder in
            let run =
                "ls part-?? | parallel --jobs 4 "
                + #"'"$SERVERTRUST" scan {} --resume {}.results --fail-on never --quiet'"#
            let first = try await Self.shell(run, in: folder)
            #expect(first.status == 0 && first.errors.isEmpty, "\(first.errors)")
            // As a process that was killed leaves it.
            let cut = try Data(contentsOf: URL(fileURLWithPath: folder.path("part-ab.results")))
            try cut.prefix(cut.count * 2 / 3).write(to: URL(fileURLWithPath: folder.path("part-ab.results")))
            let second = try await Self.shell(run, in: folder)
            #expect(second.status == 0 && second.errors.isEmpty, "\(second.errors)")
            let merged = try await Self.shell(
                #""$SERVERTRUST" scan --from part-??.results --format ndjson --fail-on never --quiet"#, in: folder)
            #expect(merged.status == 0 && merged.errors.isEmpty, "\(merged.errors)")
            try Self.expectAll(in: merged.output, folder)
        }
    }

    @Test("As a filter every line comes out once and whole, whatever the size of a block", arguments: ["1k", "64k"])
    func filter(block: String) async throws {
        try await Self.withParts { folder in
            let scan = try await Self.shell(
                "parallel --pipe --block \(block) --jobs 4 --halt soon,fail=1 "
                    + #"'"$SERVERTRUST" scan --fail-on never --quiet' < hosts.txt"#, in: folder)
            #expect(scan.status == 0 && scan.errors.isEmpty, "\(scan.errors)")
            try Self.expectAll(in: scan.output, folder)
        }
    }

    @Test("A process that cannot work fails the run")
    func failure() async throws {
        try await Self.withParts { folder in
            let scan = try await Self.shell(
                #"ls part-?? | parallel '"$SERVERTRUST" scan {} -o no/folder --fail-on never --quiet'"#, in: folder)
            #expect(scan.status != 0 && scan.errors.contains("no/folder: cannot be written"), "\(scan.errors)")
        }
    }

    /// Runs a test with a list and its parts, one of which is empty.
    private static func withParts(_ body: (TemporaryFolder) async throws -> Void) async throws {
        try #require(CommandLineTool.installed("parallel") != nil, "GNU parallel is not installed")
        try await withTemporaryFolder { folder in
            let lines = (1...Self.count).map { #"{"host":"not a host","id":\#($0)}"# + "\n" }
            _ = try folder.file("hosts.txt", lines.joined())
            let split = try await Self.shell("split --number=l/8 hosts.txt part- && : > part-zz", in: folder)
            #expect(split.status == 0)
            try await body(folder)
        }
    }

    private static func expectAll(in output: String, _ folder: TemporaryFolder) throws {
        let records = try ScanFile.records(folder.file("all", output))
        let ids = records.compactMap { if case .number(let id) = $0.id { id } else { nil } }
        #expect(ids.sorted() == Array(1...Self.count))
        #expect(output.split(separator: "\n").count == Self.count)
    }

    private static func shell(_ command: String, in folder: TemporaryFolder) async throws -> Finished {
        try await CommandLineTool.run(
            "/bin/sh", ["-c", "cd \"$0\" && \(command)", folder.url.path],
            environment: ["SERVERTRUST": try CommandLineTool.servertrustPath(), "PARALLEL_HOME": folder.path("home")])
    }
}
