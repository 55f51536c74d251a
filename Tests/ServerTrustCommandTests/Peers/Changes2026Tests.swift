//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// What changed for administrators in 2026: each with a server or a file that shows it, the answers of curl, OpenSSL and Java
/// beside ours, and the same after the advice was followed.
@Suite(
    "Changes of 2026", .serialized, .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(if: ["curl", "openssl"].allSatisfy { CommandLineTool.installed($0) != nil }, "curl or openssl is missing"))
struct Changes2026Tests {
    @Test(
        "The clients of the table refuse, the cause is named, and all accept once the advice was followed",
        arguments: Change2026.all.filter { $0.product?.isInstalled ?? true })
    func change(_ change: Change2026) async throws {
        try await withTemporaryFolder { folder in
            var changed = try await change.make(folder)
            let before = try await changed.answers(in: folder)
            let asked = before.accepting.union(before.refusing)
            #expect(asked.isSuperset(of: [.servertrust, .curl, .openssl]))
            #expect(before.refusing == change.refusing.intersection(asked), "\(before.text)")
            for words in change.words { #expect(before.text.contains(words), "\(words): \(before.text)") }
            try await change.follow(&changed, folder)
            let after = try await changed.answers(in: folder)
            #expect(after.accepting == asked, "\(after.refusing) \(after.text)")
            for words in change.words { #expect(!after.text.contains(words), "\(words): \(after.text)") }
        }
    }

    /// Later limits, of files: no server can show a certificate of another time. curl cannot be asked about a file.
    @Test(
        "Lifetimes of public certificates are noted from the date of their limit on, and no client refuses them",
        arguments: [(200, "2026-04-01T00:00:00Z"), (100, "2027-04-01T00:00:00Z"), (47, "2029-04-01T00:00:00Z")])
    func lifetimes(days: Int, moment: String) async throws {
        try await withTemporaryFolder { folder in
            let site = try PublicSite(folder)
            let start = try #require(Timestamp(moment))
            for seconds in [days * 86_400, days * 86_400 - 1] {
                try site.issue(from: Date(start), seconds: seconds, logs: PublicSite.allLogs)
                let now = start.secondsSinceEpoch + 86_400
                let own = try await CommandLineTool.servertrust(
                    [
                        "evaluate", "--chain", folder.path("site.pem"), "--host", "a.test", "--at",
                        "\(Timestamp(secondsSinceEpoch: now))",
                    ] + site.options)
                #expect(own.status == 0, "\(own.output)\(own.errors)")
                let text = own.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                let isNoted = text.contains("at most \(days) days since \(moment.prefix(4))-03-15")
                #expect(isNoted == (seconds == days * 86_400), "\(text)")
                let openssl = try await CommandLineTool.run(
                    try #require(CommandLineTool.installed("openssl")),
                    [
                        "verify", "-attime", "\(now)", "-CAfile", folder.path("root.pem"), "-untrusted",
                        folder.path("site.pem"), "-verify_hostname", "a.test", folder.path("site.leaf"),
                    ])
                #expect(openssl.status == 0, "\(openssl.errors)")
                let java = try await JavaClient.run(
                    ["validate", folder.path("site.pem"), folder.path("root.pem"), "\(now * 1_000)"], in: folder)
                #expect(java?.status ?? 0 == 0, "\(java?.errors ?? "")")
            }
        }
    }

    @Test("A file with the pin of an intermediate whose replacement is announced is told, and one of the root is not")
    func announcedRotation() async throws {
        // The key of Let's Encrypt's R10, and that of its root ISRG Root X1.
        let pins = [
            ("K7rZOrXHknnsEhUH8nLL4MZkejquUuIvOIr6tCa0rbo=", true),
            ("C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=", false),
        ]
        for (pin, isTold) in pins {
            try await withTemporaryFolder { folder in
                let file = try folder.file("pins", "a.test sha256/\(pin)\na.test sha256/\(Self.backup)\n")
                let checked = try await CommandLineTool.servertrust(["pins", "check", file])
                #expect(checked.output.contains("[announced-rotation]") == isTold, "\(checked.output)")
                #expect(checked.output.contains("Pin the server's own key, or the authority's root") == isTold)
            }
        }
    }

    private static let backup = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="

    @Test(
        "A server that agrees on post-quantum keys is told from one that does not, in every format",
        .enabled(if: RealProduct.node.isInstalled, "Node 24 is not installed"))
    func postQuantum() async throws {
        try await withTemporaryFolder { folder in
            try await RealAuthority(folder).issue(RealAuthority.Leaf(), as: "site")
            let servers = ["X25519MLKEM768:X25519", "X25519"].map { groups in
                RealServer(product: .node, settings: ["ecdhCurve: '\(groups)'"])
            }
            try await servers.run(in: folder) { ports in
                for (port, agrees) in zip(ports, [true, false]) {
                    try await Self.expectPostQuantum(agrees, at: port, folder)
                }
                try await Self.expectMetrics(ports, folder)
            }
        }
    }

    private static func expectPostQuantum(_ agrees: Bool, at port: Int, _ folder: TemporaryFolder) async throws {
        let options = [
            "a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", folder.path("root.pem"), "--anchors-only",
            "--no-redirects",
        ]
        for plan in ["ats", "standard"] {
            let text = try await CommandLineTool.servertrust(["diagnose", "--plan", plan] + options)
            let words = text.output.matches(of: /(no )?post-quantum key agreement/).map { $0.1 == nil }
            #expect(words == [agrees], "\(text.output)")
            let json = try await CommandLineTool.servertrust(
                ["diagnose", "--plan", plan, "--format", "json"] + options)
            #expect(json.output.contains("\"postQuantumAgreement\" : \"\(agrees ? "yes" : "no")\""), "\(json.output)")
            let page = try await CommandLineTool.servertrust(
                ["diagnose", "--plan", plan, "--format", "html"] + options)
            let row = page.output.firstMatch(of: /Post-quantum key agreement[^\n]*\n?[^\n]*<\/span> (yes|no)</)
            #expect(row.map { $0.1 == "yes" } == agrees, "\(page.output)")
        }
    }

    /// A scan of both, its page, and the metrics.
    private static func expectMetrics(_ ports: [Int], _ folder: TemporaryFolder) async throws {
        let lines = ports.map { #"{"host": "a.test", "port": \#($0), "connectTo": "127.0.0.1"}"# + "\n" }
        let list = try folder.file("list", lines.joined())
        let trust = ["--roots", folder.path("root.pem"), "--anchors-only"]
        let results = folder.path("results")
        _ = try await CommandLineTool.servertrust(["scan", list, "-o", results, "--quiet"] + trust)
        let records = try ScanFile.records(results)
        #expect(
            Dictionary(records.map { ($0.port, $0.postQuantum) }) { first, _ in first } == [
                ports[0]: true, ports[1]: false,
            ])
        let page = try await CommandLineTool.servertrust(["scan", "--from", results, "--format", "html", "--quiet"])
        #expect(page.output.contains("\"q\":true") && page.output.contains("\"q\":false"), "\(page.output)")
        let watch = try ScanProcess(
            ["scan", list, "--watch", "1h", "--metrics-port", "0"] + trust, in: folder, output: folder.path("out"))
        try await ScanFile.wait(for: 2, in: folder.path("err"))
        let url = try #require(watch.errors.firstMatch(of: /http:[^ ]*metrics/)?.0)
        let metrics = try await CommandLineTool.run(
            try #require(CommandLineTool.installed("curl")), ["-qs", "--noproxy", "*", String(url)])
        for (port, value) in zip(ports, [1, 0]) {
            let labels = "host=\"a.test\",port=\"\(port)\",connect_to=\"127.0.0.1\""
            let line = "servertrust_host_post_quantum{\(labels)} \(value)\n"
            #expect(metrics.output.contains(line), "\(metrics.output)")
        }
        watch.process.send(SIGTERM)
        #expect(await watch.end() == 143)
    }
}
