//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import ServerReports

/// What stands after `#`, and the hosts that the page then shows, in their order.
private let views: [(String, [String])] = [
    ("", ["host-9.test:443", "xss.test:443", "host-10.test:443"]),
    ("sort=line", ["host-10.test:443", "host-9.test:443", "xss.test:443"]),
    ("sort=host", ["host-9.test:443", "host-10.test:443", "xss.test:443"]),
    ("sort=host&dir=desc", ["xss.test:443", "host-10.test:443", "host-9.test:443"]),
    ("sort=days", ["host-9.test:443", "host-10.test:443", "xss.test:443"]),
    ("show=failed", ["host-9.test:443"]), ("show=failed,unknown", ["host-9.test:443", "xss.test:443"]),
    ("question=trust&show=passed", ["host-9.test:443", "host-10.test:443"]),
    ("question=plist&show=failed", ["host-9.test:443", "xss.test:443"]),
    ("q=EXPIRED", ["host-9.test:443"]), ("q=host+10", ["host-10.test:443"]), ("q=nothing", []),
    ("sort=constructor&x=1", ["host-9.test:443", "xss.test:443", "host-10.test:443"]),
]

@Suite("The page of a fleet", .limitedConcurrency, .timeLimit(.minutes(10)))
struct FleetPageTests {
    @Test("A script is allowed by its digest, and nothing may be loaded")
    func policy() {
        let page = (FleetPage.head(title: "Fleet") + FleetPage.tail(appleData: nil)).replacing("&#39;", with: "'")
        #expect(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"))
        #expect(!page.contains("unsafe-eval") && !page.contains("innerHTML"))
        #expect(page.matches(of: /(src|href)=/).isEmpty && !page.contains("http://") && !page.contains("https://"))
    }

    @Test("What hosts say cannot end the element that holds it")
    func escaping() throws {
        let page = try Self.page()
        #expect(page.components(separatedBy: "</script").count == 5)
        #expect(page.components(separatedBy: "<script").count == 5)
        #expect(!page.contains("<img") && page.contains("\\u003cimg"))
    }

    @Test(
        "In a browser it sorts and filters as its address says",
        .enabled(if: CommandLineTool.installed("chromium") != nil), arguments: views)
    private func browser(view: String, hosts: [String]) async throws {
        try await withTemporaryFolder { folder in
            let page = try folder.file("fleet.html", try Self.page())
            let document = try await Self.document(page, view, folder)
            let shown = document.matches(of: /<th scope="row">([^<]*)<\/th>/).map { String($0.1) }
            #expect(shown == hosts, "\(view)")
            #expect(document.contains("\(hosts.count) of 3 hosts"))
            #expect(!document.contains("<img"))
            #expect(document.contains("Of 3 hosts: 1 fail, 1 are not known, 1 pass."))
            #expect(document.contains("Asked from now to now.") && document.contains("When certificates end"))
            // Questions that no host was asked are not offered.
            #expect(document.contains("value=\"plist\"") && !document.contains("value=\"pins\""))
        }
    }

    @Test("Without scripts each host stands in a paragraph with what speaks against it")
    func withoutScripts() throws {
        let rows = try Self.records.map(FleetPage.row)
        for (row, record) in zip(rows, Self.records) {
            #expect(row.split(separator: "\n").count == 1)
            let text = try #require(row.components(separatedBy: "<noscript>").last)
            #expect(text.contains("<b>\(record.name)</b>") && text.contains("ATS \(record.outcome.ats)"))
            #expect(text.hasSuffix("</noscript>\n") && text.components(separatedBy: "</noscript").count == 2)
        }
        #expect(rows[1].contains("It has ended."))
        // What only a script would fill or hear is not shown.
        #expect(
            FleetPage.head(title: "x").contains("<noscript><style>.tools, #hosts { display: none }</style></noscript>"))
    }

    @Test(
        "A page that was cut off shows the hosts that it has, and says so",
        .enabled(if: CommandLineTool.installed("chromium") != nil),
        arguments: [("\n<footer>", 3), ("\"xss.test", 2), ("\"host-9.test", 1)])
    func cut(at place: String, hosts: Int) async throws {
        try await withTemporaryFolder { folder in
            let whole = try Self.page()
            let end = try #require(whole.firstRange(of: place)?.lowerBound)
            let page = try folder.file("fleet.html", String(whole[..<end]))
            let document = try await Self.document(page, "", folder)
            #expect(document.matches(of: /<th scope="row">/).count == hosts)
            #expect(document.contains("\(hosts) of \(hosts) hosts. This page was cut off"))
        }
    }

    @Test(
        "An answer that a page does not know counts as unknown, also where a script has something of its name",
        .enabled(if: CommandLineTool.installed("chromium") != nil),
        arguments: ["constructor", "__proto__", "toString", ""])
    func unknownAnswers(outcome: String) async throws {
        try await withTemporaryFolder { folder in
            var record = Self.records[0]
            record.outcome = .init(ats: outcome, fcp: outcome, trust: outcome)
            let rows = try FleetPage.row(record) + FleetPage.row(Self.records[1])
            let page = try folder.file(
                "fleet.html", FleetPage.head(title: "Fleet") + rows + FleetPage.tail(appleData: nil))
            let document = try await Self.document(page, "show=\(outcome),failed&sort=ats", folder)
            #expect(document.contains("2 of 2 hosts") && document.contains("not asked"))
        }
    }

    /// The document after its script has run.
    private static func document(_ page: String, _ view: String, _ folder: TemporaryFolder) async throws -> String {
        let chromium = try #require(CommandLineTool.installed("chromium"))
        let finished = try await CommandLineTool.run(
            chromium,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path("profile"))",
                "--virtual-time-budget=2000", "--dump-dom", "file://\(page)#\(view)",
            ])
        return finished.output
    }

    private static func page() throws -> String {
        let rows = try Self.records.map(FleetPage.row)
        return FleetPage.head(title: "Fleet <b>") + rows.joined() + FleetPage.tail(appleData: nil)
    }

    private static var records: [ScanRecord] {
        var good = ScanRecord(line: 1, date: "now", outcome: .init(ats: "passed", fcp: "passed", trust: "passed"))
        good.outcome.plist = "passed"
        (good.host, good.port, good.certificate) = ("host-10.test", 443, Self.certificate(90))
        var bad = ScanRecord(line: 2, date: "now", outcome: .init(ats: "failed", fcp: "failed", trust: "passed"))
        bad.outcome.plist = "failed"
        (bad.host, bad.port, bad.certificate) = ("host-9.test", 443, Self.certificate(-1))
        bad.findings = [ScanFinding(code: "expired", message: "It has ended.", remedy: nil, questions: ["ats"])]
        var hostile = ScanRecord(line: 3, date: "now", outcome: .init())
        (hostile.host, hostile.port) = ("xss.test", 443)
        let markup = "</script><img src=x onerror=alert(1)>\u{2028}\u{1B}"
        hostile.findings = [ScanFinding(code: markup, message: markup, remedy: markup, questions: [markup])]
        return [good, bad, hostile.printable]
    }

    private static func certificate(_ days: Int) -> ScanCertificate {
        ScanCertificate(
            subject: "x", issuer: "y", notAfter: "2026-01-01T00:00:00Z", daysLeft: days, key: "EC", sha256: "00",
            spkiSHA256: "AA==")
    }
}
