//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ReportSupport
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("Metrics of a scan", .limitedConcurrency, .timeLimit(.minutes(10)))
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
        let names = try prometheusNames(in: board.text)
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
        _ = try prometheusNames(in: board.text)
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

    private static func record(_ host: String, _ outcome: String) -> ScanRecord {
        var record = ScanRecord(line: 1, date: "now", outcome: .init(ats: outcome, fcp: outcome, trust: outcome))
        (record.host, record.port) = (host, 443)
        return record
    }
}
