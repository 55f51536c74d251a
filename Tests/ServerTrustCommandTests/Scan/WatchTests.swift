//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ReportSupport
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerTrustCommand

@Suite("Watching", .limitedConcurrency, .timeLimit(.minutes(10)))
struct WatchTests {
    @Test(
        "Watching with --starttls asks at the port of the protocol, as without watching",
        .enabled(if: CommandLineTool.installed("curl") != nil))
    func startTLS() async throws {
        try await withTemporaryFolder { folder in
            let watch = try ScanProcess(
                [
                    "diagnose", "127.0.0.1", "--starttls", "sieve", "--timeout", "1", "--watch", "1s", "--metrics-port",
                    "0",
                ],
                in: folder, output: folder.path("out"))
            try await ScanFile.wait(for: 2, in: folder.path("err"))
            let url = try #require(watch.errors.firstMatch(of: /http:[^ ]*metrics/)?.0)
            let curl = try #require(CommandLineTool.installed("curl"))
            let text = try await CommandLineTool.run(curl, ["-qs", "--noproxy", "*", String(url)]).output
            let port = StartTLSProtocol.sieve.defaultPort
            #expect(text.contains("{host=\"127.0.0.1\",port=\"\(port)\",starttls=\"sieve\"}"), "\(text)")
            watch.process.send(SIGTERM)
            #expect(await watch.end() == 143)
        }
    }

    @Test("A list that is missing for a while leaves a round out, and the next is compared with the last that was")
    func missingList() async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "a b\n")
            let scan = try ScanProcess(["scan", list, "--watch", "1s"], in: folder, output: folder.path("out"))
            try await ScanFile.wait(for: 1, in: folder.path("err"))
            try FileManager.default.removeItem(atPath: list)
            while !scan.errors.contains("is left out: \(list): cannot be read") {
                try await Task.sleep(for: .milliseconds(50))
            }
            _ = try folder.file("list", "c d\n")
            try await ScanFile.wait(for: 2, in: folder.path("out"))
            scan.process.send(SIGTERM)
            #expect(await scan.end() == 143)
            let output = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
            #expect(output.contains("\"appeared\"") && output.contains("\"disappeared\""), "\(output)")
        }
    }

    @Test("An interval is a number with a unit", arguments: [("60s", 60), ("5m", 300), ("1.5h", 5400), ("90", 90)])
    func intervals(text: String, seconds: Int) throws {
        #expect(try WatchOptions.interval(text) == .seconds(seconds))
    }

    @Test("What is no interval is refused", arguments: ["", "s", "0s", "-1m", "nan", "inf", "1e99h", "32d", "5 m"])
    func wrongIntervals(text: String) {
        #expect(throws: CommandError.self) { try WatchOptions.interval(text) }
    }

    @Test(
        "Watching warns of certificates that end soon, writes changes only, and serves metrics",
        .enabled(if: CommandLineTool.installed("curl") != nil))
    func watch() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let list = try folder.file("list", ScanCommandTests.line(range, 0, id: 1) + "\n")
            let scan = try ScanProcess(
                [
                    "scan", list, "--roots", root, "--anchors-only", "--watch", "1s", "--warn", "100%",
                    "--metrics-port", "0",
                ], in: folder, output: folder.path("out"))
            try await ScanFile.wait(for: 3, in: folder.path("err"))
            let url = try #require(scan.errors.firstMatch(of: /http:[^ ]*metrics/)?.0)
            let curl = try #require(CommandLineTool.installed("curl"))
            let answer = try await CommandLineTool.run(curl, ["-qsi", "--noproxy", "*", String(url)]).output
            #expect(answer.contains("content-type: \(PrometheusText.contentType)"))
            let text = String(answer.components(separatedBy: "\r\n\r\n").last ?? "")
            #expect(try prometheusNames(in: text).contains("servertrust_certificate_not_after_timestamp_seconds"))
            #expect(text.contains("question=\"ats\"} 1\n"))
            _ = try folder.file("list", ScanCommandTests.line(range, 0, id: 1) + "\nnot a host\n")
            try await ScanFile.wait(for: 2, in: folder.path("out"))
            scan.process.send(SIGTERM)
            #expect(await scan.end() == 143)
            let output = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
            #expect(output.split(separator: "\n").count == 2, "\(output)")
            #expect(output.contains("\"kind\":\"expiring\"") && output.contains("\"kind\":\"appeared\""))
        }
    }
}
