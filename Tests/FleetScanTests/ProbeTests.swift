//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ReportSupport
import ServerDiagnosis
import ServerTrust
import ServerTrustTesting
import TLSProbe
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("Probes for Prometheus", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ProbeTests {
    @Test(
        "A query has a target and perhaps a module",
        arguments: [
            ("/probe?target=a.test", "a.test", .ats), ("/probe?target=a.test:8443&module=fcp", "a.test:8443", .fcp),
            ("/probe?module=trust&target=%5B::1%5D%3A443", "[::1]:443", .trust),
            ("/probe?target=192.0.2.1", "192.0.2.1", .ats),
        ] as [(String, String, ProbeQuery.Module)])
    func queries(uri: String, target: String, module: ProbeQuery.Module) throws {
        let query = try ProbeQuery(uri)
        #expect(query.target == target && query.module == module)
    }

    @Test(
        "Anything else is refused before a name is looked up",
        arguments: [
            "/probe", "/probe?", "/probe?target=", "/probe?target", "/probe?target=a.test&target=b.test",
            "/probe?target=a.test&module=http_2xx", "/probe?target=a.test&module=", "/probe?target=a.test&x=1",
            "/probe?target=https://a.test/", "/probe?target=a.test%0d%0ax", "/probe?target=a.test%00",
            "/probe?target=a%20b",
            "/probe?target=user@a.test", "/probe?target=%7B%22host%22:%22a.test%22%7D", "/probe?target=fe80::1%25eth0",
            "/probe?target=%ff", "/probe?target=a.test%", "/probe?target=a.test+b", "/probe?target=%23a.test",
            "/probe?target=\(String(repeating: "a", count: 301))",
            "/probe?target=a.test&module=\(String(repeating: "x", count: 2_000))",
        ])
    func refusedQueries(uri: String) {
        #expect(throws: ProbeQuery.Unusable.self) { try ProbeQuery(uri) }
    }

    @Test(
        "A probe takes half a second less than Prometheus waits, and never longer than two minutes",
        arguments: [
            (nil, 30.0), ("10", 9.5), ("0.6", 0.5), ("1e9", 120), ("1e300", 120), ("nan", 30), ("-1", 30), ("inf", 30),
            ("x", 30),
        ] as [(String?, Double)])
    func time(text: String?, seconds: Double) {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/probe")
        if let text { head.headers.add(name: "X-Prometheus-Scrape-Timeout-Seconds", value: text) }
        #expect(ProbeEndpoint.time(head) == .seconds(seconds))
    }

    @Test(
        "A server is asked now, and its answers are metrics that Prometheus reads",
        arguments: [("ats", 1), ("trust", 1), ("fcp", 1)])
    func success(module: String, value: Int) async throws {
        try await Self.withServer { server, root in
            let text = try await Self.answer(
                "target=127.0.0.1:\(server.port)&module=\(module)", allowing: ["127.0.0.1:\(server.port)"],
                anchors: root)
            #expect(text.contains("200 OK") && text.contains("servertrust_probe_success \(value)\n"), "\(text)")
            let body = String(text.components(separatedBy: "\r\n\r\n").last ?? "")
            let names = try prometheusNames(in: body)
            for name in [
                "not_before_timestamp_seconds", "not_after_timestamp_seconds", "lifetime_seconds", "expiry_level",
            ] {
                #expect(names.contains("servertrust_certificate_\(name)"))
            }
            #expect(
                body.contains("servertrust_certificate_expiry_level 0\n")
                    && body.contains("servertrust_probe_timeout 0"))
            #expect(body.contains("servertrust_host_post_quantum "))
        }
    }

    @Test("A server that is not trusted is no success, and its reason is named")
    func failure() async throws {
        try await Self.withServer { server, _ in
            let text = try await Self.answer(
                "target=127.0.0.1:\(server.port)&module=trust", allowing: ["127.0.0.1:\(server.port)"], anchors: nil)
            #expect(text.contains("servertrust_probe_success 0\n"))
            #expect(
                text.contains("servertrust_probe_reason{code=\"untrusted-root\"} 1\n")
                    || text.contains("servertrust_probe_reason{code=\"unknown-issuer\"} 1\n"), "\(text)")
        }
    }

    @Test("Without a pattern the list alone may be asked, and its hosts may be")
    func list() async throws {
        try await Self.withServer { server, root in
            let board = MetricsBoard(interval: .seconds(60))
            let query = "target=127.0.0.1:\(server.port)"
            let unknown = try await Self.answer(query, allowing: [], anchors: root, board)
            board.take(passingRecord { ($0.host, $0.port) = ("127.0.0.1", server.port) })
            let listed = try await Self.answer(query, allowing: [], anchors: root, board)
            let otherPort = try await Self.answer("target=127.0.0.1:1", allowing: [], anchors: root, board)
            board.finish(ScanTally(), .zero)
            let nextRound = try await Self.answer(query, allowing: [], anchors: root, board)
            // A host that left the list may not be asked for long.
            board.finish(ScanTally(), .zero)
            let gone = try await Self.answer(query, allowing: [], anchors: root, board)
            for answer in [unknown, otherPort, gone] { #expect(answer.contains("403 Forbidden"), "\(answer)") }
            for answer in [listed, nextRound] { #expect(answer.contains("200 OK"), "\(answer)") }
        }
    }

    @Test(
        "What no pattern names is refused, and no connection is made",
        arguments: [
            ("*.example.com", "example.com"), ("*.example.com", "a.b.example.com"),
            ("*.example.com", "a.example.com:8443"),
            ("*.example.com", "a.example.com.evil.test"), ("a.example.com:8443", "a.example.com"),
            ("example.com", "169.254.169.254:80"), ("127.0.0.1:9", "127.0.0.2:9"), ("127.0.0.1", "[::1]:443"),
            ("127.0.0.1:443", "localhost"), ("**.example.com", "evilexample.com"),
        ])
    func otherHosts(pattern: String, target: String) async throws {
        let text = try await Self.answer("target=\(target)", allowing: [pattern], anchors: nil)
        #expect(text.contains("403 Forbidden") && text.contains("no pattern that is allowed"), "\(text)")
    }

    @Test(
        "Requests that are no probe are refused",
        arguments: [
            (["-X", "POST"], "target=127.0.0.1", "405"), ([], "target=https://127.0.0.1/", "400"),
            ([], "target=\(String(repeating: "a.", count: 900))", "400"),
        ])
    func otherRequests(options: [String], query: String, status: String) async throws {
        let text = try await Self.answer(query, allowing: ["127.0.0.1"], anchors: nil, options: options)
        #expect(text.contains("HTTP/1.1 \(status) "), "\(text)")
    }

    @Test("Without an endpoint for probes there is no such page")
    func noProbes() async throws {
        let server = try await MetricsServer.start(MetricsBoard(interval: .seconds(60)), host: "127.0.0.1", port: 0)
        let text = try await Self.curl(server, "target=127.0.0.1")
        #expect(text.contains("404 Not Found"))
    }

    @Test("So many probes run at once and no more, and a silent server takes no longer than Prometheus waits")
    func crowd() async throws {
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(silent.localAddress?.port)
        let server = try await Self.server(
            allowing: ["127.0.0.1:\(port)"], anchors: nil, MetricsBoard(interval: .seconds(60)))
        let wait = ["-H", "X-Prometheus-Scrape-Timeout-Seconds: 3"]
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<ProbeEndpoint.mostProbes + 4 {
                group.addTask { try await Self.curl(server, "target=127.0.0.1:\(port)", wait) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await silent.close()
        let refused = answers.filter { $0.contains("503 Service Unavailable") }
        #expect(refused.count == 4 && refused.allSatisfy { $0.contains("retry-after: 1") }, "\(answers)")
        let ended = answers.filter { $0.contains("servertrust_probe_timeout 1\n") }
        #expect(
            ended.count == ProbeEndpoint.mostProbes && ended.allSatisfy { $0.contains("servertrust_probe_success 0\n") }
        )
        // The places are free again.
        let again = try await Self.curl(server, "target=127.0.0.1:\(port)", wait)
        #expect(again.contains("200 OK"))
    }
}

extension ProbeTests {
    /// Runs a server for 127.0.0.1 with a certificate of 90 days.
    private static func withServer(_ body: (TestTLSServer, Certificate) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"]))
        let root = try authority.root.trustCertificate
        try await withTestServer(.init(leaf)) { try await body($0, root) }
    }

    private static func server(
        allowing patterns: [String], anchors: Certificate?, _ board: MetricsBoard
    ) async throws -> MetricsServer {
        var anchored = TrustAnchors.none
        if let anchors { anchored.add(anchors) }
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = .ats
        let diagnoser = ServerDiagnoser(trust: TrustConfiguration(anchors: anchored), configuration: configuration)
        let loop = ScanLoop(work: ScanWork(diagnoser), defaults: .init(), hostsAtOnce: 1)
        return try await MetricsServer.start(
            board, host: "127.0.0.1", port: 0,
            probes: ProbeEndpoint(loop, board, allowing: try patterns.map { try HostPattern($0) }))
    }

    private static func answer(
        _ query: String, allowing patterns: [String], anchors: Certificate?,
        _ board: MetricsBoard = MetricsBoard(interval: .seconds(60)), options: [String] = []
    ) async throws -> String {
        try await Self.curl(try await Self.server(allowing: patterns, anchors: anchors, board), query, options)
    }

    private static func curl(_ server: MetricsServer, _ query: String, _ options: [String] = []) async throws -> String
    {
        let curl = try #require(CommandLineTool.installed("curl"))
        let url = server.url.replacingOccurrences(of: "/metrics", with: "/probe?\(query)")
        return try await CommandLineTool.run(
            curl, ["-qsgi", "--max-time", "120", "--noproxy", "*"] + options + [url]
        ).output
    }
}
