//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import NIOPosix
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("Metrics and watching", .limitedConcurrency, .timeLimit(.minutes(10)))
struct MetricsTests {
    @Test("Every line is one that Prometheus reads, whatever hosts are called")
    func syntax() throws {
        let board = MetricsBoard(interval: .seconds(60))
        for (index, host) in ["a.test", "b\"\\\n}.test", "c.test"].enumerated() {
            board.take(Self.record(host, ["passed", "failed", "unknown"][index]))
        }
        var tally = ScanTally()
        tally.count(Self.record("a.test", "failed"))
        board.finish(tally, .seconds(1))
        let names = try Self.names(in: board.text)
        #expect(names.isSuperset(of: ["servertrust_hosts", "servertrust_host_pass", "servertrust_rounds_total"]))
        #expect(board.text.contains("question=\"ats\"} NaN") && board.text.contains("{host=\"a.test\",port=\"443\""))
    }

    @Test("There are series for so many hosts and no more, and hosts that are gone are forgotten")
    func cardinality() {
        let board = MetricsBoard(interval: .seconds(60))
        for index in 0..<MetricsBoard.mostHosts + 5 { board.take(Self.record("\(index).test", "passed")) }
        #expect(board.now.hosts.count == MetricsBoard.mostHosts && board.now.hostsLeftOut == 5)
        board.finish(ScanTally(), .zero)
        board.take(Self.record("0.test", "passed"))
        board.finish(ScanTally(), .zero)
        #expect(board.now.hosts.count <= 1)
    }

    @Test(
        "Targets that differ in nothing but how they are reached have series of their own, and those left out are counted"
    )
    func identities() throws {
        let board = MetricsBoard(interval: .seconds(60))
        var records = (0..<5).map { _ in Self.record("a.test", "passed") }
        (records[1].connectTo, records[2].sni, records[3].sni, records[4].startTLS) = (
            "192.0.2.1", "", "b.test", "smtp"
        )
        var tally = ScanTally()
        for record in records + records {
            board.take(record)
            tally.count(record)
        }
        board.finish(tally, .seconds(1))
        _ = try Self.names(in: board.text)
        for labels in ["", ",connect_to=\"192.0.2.1\"", ",sni=\"(none)\"", ",sni=\"b.test\"", ",starttls=\"smtp\""] {
            #expect(board.text.contains("{host=\"a.test\",port=\"443\"\(labels),question=\"ats\"} 1\n"), "\(labels)")
        }
        #expect(board.now.hosts.count == 5 && board.now.hostsLeftOut == 0)
    }

    @Test("What was left out is forgotten with its round")
    func leftOut() {
        let board = MetricsBoard(interval: .seconds(60))
        for index in 0..<MetricsBoard.mostHosts + 5 { board.take(Self.record("\(index).test", "passed")) }
        board.finish(ScanTally(), .zero)
        #expect(board.now.hostsLeftOut == 5)
        board.take(Self.record("0.test", "passed"))
        board.finish(ScanTally(), .zero)
        #expect(board.now.hostsLeftOut == 0)
    }

    @Test("Connections that say nothing keep no client out for long, and use up no more than their share")
    func idleConnections() async throws {
        let server = try await MetricsServer.start(
            MetricsBoard(interval: .seconds(60)), host: "127.0.0.1", port: 0, patience: .hours(1))
        let port = try #require(server.url.firstMatch(of: /:([0-9]+)\//).flatMap { Int($0.1) })
        let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        var channels: [any Channel] = []
        for _ in 0..<PageServer.mostConnections + 20 {
            channels.append(try await client.connect(host: "127.0.0.1", port: port).get())
        }
        while channels.count(where: \.isActive) > PageServer.mostConnections {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(channels.count(where: \.isActive) == PageServer.mostConnections)
        for channel in channels { try? await channel.close() }
    }

    @Test(
        "Metrics are served at once while idle connections, and half requests, take all places",
        .enabled(if: CommandLineTool.installed("curl") != nil), arguments: ["", "GET /metrics HTTP/1.1\r\nHost: "])
    func crowded(beginning: String) async throws {
        let server = try await MetricsServer.start(
            MetricsBoard(interval: .seconds(60)), host: "127.0.0.1", port: 0, patience: .hours(1))
        let port = try #require(server.url.firstMatch(of: /:([0-9]+)\//).flatMap { Int($0.1) })
        let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let curl = try #require(CommandLineTool.installed("curl"))
        var channels: [any Channel] = []
        for _ in 0..<3 {
            for _ in 0..<PageServer.mostConnections + 8 {
                let channel = try await client.connect(host: "127.0.0.1", port: port).get()
                // A connection that the server has closed takes nothing.
                try? await channel.writeAndFlush(ByteBuffer(string: beginning)).get()
                channels.append(channel)
            }
            let answer = try await CommandLineTool.run(
                curl, ["-qsi", "--max-time", "240", "--noproxy", "*", server.url])
            #expect(answer.output.contains("200 OK") && answer.output.contains("servertrust_build_info"))
        }
        for channel in channels { try? await channel.close() }
    }

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
                    "scan", list, "--roots", root, "--anchors-only", "--watch", "1s", "--warn-days", "3650",
                    "--metrics-port", "0",
                ], in: folder, output: folder.path("out"))
            try await ScanFile.wait(for: 3, in: folder.path("err"))
            let url = try #require(scan.errors.firstMatch(of: /http:[^ ]*metrics/)?.0)
            let curl = try #require(CommandLineTool.installed("curl"))
            let answer = try await CommandLineTool.run(curl, ["-qsi", "--noproxy", "*", String(url)]).output
            #expect(answer.contains("content-type: \(PrometheusText.contentType)"))
            let text = String(answer.components(separatedBy: "\r\n\r\n").last ?? "")
            #expect(try Self.names(in: text).contains("servertrust_certificate_not_after_timestamp_seconds"))
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

    /// The names of all metrics, when every line is what the format allows and no series is there twice.
    private static func names(in text: String) throws -> Set<String> {
        #expect(text.hasSuffix("\n"))
        var (names, series): (Set<String>, Set<Substring>) = ([], [])
        let sample =
            /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? (NaN|[+-]?Inf|-?[0-9.]+(e[+-]?[0-9]+)?)/
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if let help = line.wholeMatch(of: /# (HELP|TYPE) ([a-z_]+) (.+)/) {
                if help.1 == "TYPE" {
                    #expect(names.insert(String(help.2)).inserted && ["gauge", "counter"].contains(help.3))
                }
            } else {
                let match = try #require(line.wholeMatch(of: sample), "\(line)")
                #expect(names.contains(String(match.1)) && series.insert(line.prefix { $0 != " " }).inserted, "\(line)")
            }
        }
        return names
    }

    private static func record(_ host: String, _ outcome: String) -> ScanRecord {
        var record = ScanRecord(line: 1, date: "now", outcome: .init(ats: outcome, fcp: outcome, trust: outcome))
        (record.host, record.port) = (host, 443)
        return record
    }
}
