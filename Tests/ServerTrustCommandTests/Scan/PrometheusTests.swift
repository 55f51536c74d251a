//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

/// The files of contrib/prometheus, held by the programs that read them.
@Suite("Prometheus", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PrometheusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("contrib/prometheus")

    @Test(
        "promtool takes the rules, their tests and the configuration",
        .enabled(if: CommandLineTool.installed("promtool") != nil, "promtool is not installed: apt install prometheus"),
        arguments: [
            ["check", "rules", "rules.yml"], ["test", "rules", "rules_test.yml"],
            ["check", "config", "--syntax-only", "prometheus.yml"],
        ])
    func promtool(arguments: [String]) async throws {
        let promtool = try #require(CommandLineTool.installed("promtool"))
        let file = Self.folder.appendingPathComponent(try #require(arguments.last)).path
        let finished = try await CommandLineTool.run(promtool, arguments.dropLast() + [file])
        #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    }

    @Test("The rules and the dashboard name metrics that there are, and no others")
    func names() throws {
        let board = MetricsBoard(interval: .seconds(60), publicTrust: PublicTrustBasis(.builtIn, now: .now))
        var record = ScanRecord(line: 1, date: "now", outcome: .init(ats: "passed", fcp: "failed", trust: "unknown"))
        (record.host, record.port, record.postQuantum) = ("a.test", 443, true)
        record.reasons = ["expired"]
        record.appleData = "2026-01-01T00:00:00Z"
        record.certificate = ScanCertificate(
            subject: "x", issuer: "y", notAfter: "2026-04-01T00:00:00Z", daysLeft: 1, key: "EC", sha256: "00",
            spkiSHA256: "00")
        record.certificate?.notBefore = "2026-01-01T00:00:00Z"
        board.take(record)
        var tally = ScanTally()
        tally.count(record)
        board.finish(tally, .seconds(1))
        let served = board.text + ProbeText(record, .ats, duration: .seconds(1)).text
        for name in ["rules.yml", "dashboard.json"] {
            let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
            let named = Set(text.matches(of: /servertrust_[a-z_]+/).map { String($0.output) })
            #expect(!named.isEmpty)
            for metric in named { #expect(served.contains("# TYPE \(metric) "), "\(name): \(metric)") }
        }
    }

    @Test("The alert of old data is silent on the day of a release, whose check asks for certificates of 200 days")
    func freshData() throws {
        let rules = try String(contentsOf: Self.folder.appendingPathComponent("rules.yml"), encoding: .utf8)
        let days = try #require(
            rules.firstMatch(of: /judges_until_timestamp_seconds - time\(\) < ([0-9]+) \* 86400/).flatMap { Int($0.1) })
        #expect(days > PublicTrustBasis.lifetimeOfNewCertificates && days < 200)
        let data = AppleTrustData.builtIn
        let published = data.parts.logList.date
        let basis = PublicTrustBasis(data, now: published)
        let end = try #require(basis.judgesUntil)
        #expect(data.logList.coverage(lifetimeInDays: 200, issuedAt: published).suffices)
        #expect(end.timeIntervalSince(published) > Double(days) * 86_400)
        // Only given roots need no logs.
        #expect(MetricsBoard(interval: .seconds(60), publicTrust: basis).text.contains("apple_data_judges_until"))
        let given = PublicTrustBasis(data, roots: .given, now: published)
        #expect(!MetricsBoard(interval: .seconds(60), publicTrust: given).text.contains("apple_data_judges_until"))
    }

    @Test("The dashboard is one document with a query in each panel")
    func dashboard() throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent("dashboard.json"))
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(document["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count && panels.count > 5)
        for panel in panels {
            let targets = try #require(panel["targets"] as? [[String: Any]])
            #expect(targets.allSatisfy { ($0["expr"] as? String)?.isEmpty == false })
        }
    }

    @Test(
        "A real Prometheus asks /probe, and the alert of a certificate that ends soon fires once",
        .enabled(
            if: CommandLineTool.installed("prometheus") != nil && CommandLineTool.installed("curl") != nil,
            "Prometheus is not installed: apt install prometheus"))
    func scrape() async throws {
        let authority = try TestAuthority()
        var ending = CertificateDescription.leaf(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
        ending.notBefore = Date.now.addingTimeInterval(-75 * 86_400)
        ending.notAfter = Date.now.addingTimeInterval(15 * 86_400)
        let soon = try authority.issue(ending)
        let fresh = try authority.issue(.leaf(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"]))
        try await withTestServer(.init(soon)) { old in
            try await withTestServer(.init(fresh)) { new in
                try await withTemporaryFolder { folder in
                    try await Self.scrape(old.port, new.port, root: authority.root.pem, in: folder)
                }
            }
        }
    }

    private static func scrape(_ old: Int, _ new: Int, root: String, in folder: TemporaryFolder) async throws {
        let list = try folder.file("list", "127.0.0.1:\(new)\n")
        let watch = try ScanProcess(
            [
                "scan", list, "--roots", try folder.file("root.pem", root), "--anchors-only", "--watch", "1h",
                "--metrics-port", "0", "--allow-target", "127.0.0.1:\(old)",
            ], in: folder, output: folder.path("out"))
        try await ScanFile.wait(for: 2, in: folder.path("err"))
        let port = try #require(watch.errors.firstMatch(of: /127\.0\.0\.1:([0-9]+)\/metrics/).flatMap { Int($0.1) })
        let own = try await FreePort.ports(1)[0]
        let configuration = try String(
            contentsOf: Self.folder.appendingPathComponent("prometheus.yml"), encoding: .utf8
        )
        .replacing("scrape_interval: 15m", with: "scrape_interval: 10s")
        .replacing("scrape_timeout: 1m", with: "scrape_timeout: 10s")
        .replacing("evaluation_interval: 1m", with: "evaluation_interval: 1s")
        .replacing("127.0.0.1:9464", with: "127.0.0.1:\(port)")
        .replacing("www.example.com:443", with: "127.0.0.1:\(old)")
        .replacing("api.example.com:443", with: "127.0.0.1:\(new)")
        _ = try folder.file(
            "rules.yml", String(contentsOf: Self.folder.appendingPathComponent("rules.yml"), encoding: .utf8))
        var program = try CommandLineTool.program(
            try #require(CommandLineTool.installed("prometheus")),
            [
                "--config.file", try folder.file("prometheus.yml", configuration), "--web.listen-address",
                "127.0.0.1:\(own)", "--storage.tsdb.path", folder.path("data"),
            ], output: try folder.file("prometheus.out", ""))
        program.errors = try folder.file("prometheus.err", "")
        let prometheus = try TestProcess(program)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await Self.expectAlert(at: own, old: old, new: new, prometheus))
        } catch {
            outcome = .failure(error)
        }
        await prometheus.end()
        watch.process.send(SIGTERM)
        _ = await watch.end()
        try outcome.get()
    }

    private static func expectAlert(at port: Int, old: Int, new: Int, _ prometheus: TestProcess) async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        func answer(_ query: String) async throws -> [[String: Any]] {
            let finished = try await CommandLineTool.run(
                curl,
                [
                    "-qsG", "--noproxy", "*", "--max-time", "5", "--data-urlencode", "query=\(query)",
                    "http://127.0.0.1:\(port)/api/v1/query",
                ])
            let document = try? JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
            let data = document?["data"] as? [String: Any]
            return data?["result"] as? [[String: Any]] ?? []
        }
        var alerts: [[String: Any]] = []
        while alerts.isEmpty, prometheus.isRunning {
            try await Task.sleep(for: .milliseconds(200))
            alerts = try await answer(#"ALERTS{alertstate="firing",alertname=~"Certificate.*"}"#)
        }
        // More evaluations make no more alerts of it.
        while prometheus.isRunning, try await answer("count_over_time(up{job=\"servertrust\"}[5m]) >= 3").isEmpty {
            try await Task.sleep(for: .milliseconds(200))
        }
        alerts = try await answer(#"ALERTS{alertstate="firing",alertname=~"Certificate.*"}"#)
        let labels = alerts.compactMap { $0["metric"] as? [String: String] }
        #expect(labels.map { $0["alertname"] } == ["CertificateEndsSoon"], "\(labels)")
        #expect(labels.first?["instance"] == "127.0.0.1:\(old)")
        let successes = try await answer("servertrust_probe_success == 1").compactMap {
            $0["metric"] as? [String: String]
        }
        #expect(Set(successes.compactMap { $0["instance"] }) == ["127.0.0.1:\(old)", "127.0.0.1:\(new)"])
    }
}
