//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Foundation
import ReportSupport
import ServerDiagnosis
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import ServerReports

@Suite("The page of a diagnosis", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DiagnosisPageTests {
    private func page(_ servers: [DiagnosedServer]) -> String { DiagnosisPage(servers, nil).text }

    @Test("It is one file that may load nothing, and run nothing but its own script, which is allowed by its digest")
    func policy() async throws {
        let text = self.page([try await DiagnosisFixture.hostileServer()])
        let policy = text.replacing("&#39;", with: "'")
        let script = try #require(text.firstMatch(of: /<script>([^<]*)<\/script>/)?.1)
        let digest = Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString()
        #expect(
            policy.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(digest)'; "))
        #expect(text.components(separatedBy: "<script").count == 2)
        for part in ["<link", "<img", "<iframe", "url(", "@import", "javascript:", " onerror=", " src="] {
            #expect(!text.replacing("src=x onerror=", with: "").contains(part), "\(part)")
        }
    }

    @Test("Elements are closed in order, whatever servers say")
    func wellFormed() async throws {
        let fixture = try DiagnosisFixture()
        let servers = [
            try await DiagnosisFixture.hostileServer(), try await fixture.server(fixture.facts([(.tls12, [0x009D])])),
        ]
        var open: [Substring] = []
        for match in self.page(servers).matches(of: /<(\/?)([a-z0-9]+)[^>]*>/) where match.2 != "meta" {
            if match.1.isEmpty {
                open.append(match.2)
            } else {
                #expect(open.popLast() == match.2)
            }
        }
        #expect(open.isEmpty)
    }

    @Test("It can be read without seeing colours: language, headings, tables and words")
    func accessibility() async throws {
        let fixture = try DiagnosisFixture()
        let server = try await fixture.server(fixture.facts([(.tls12, [0x009D])]))
        let text = self.page([server, server])
        #expect(
            text.contains("<html lang=\"en\">") && text.contains("<title>2 servers: App Transport Security</title>"))
        #expect(
            text.contains("<th scope=\"col\">") && text.contains("<th scope=\"row\">") && text.contains("<caption>"))
        #expect(text.contains("</span> FAIL</span>") && text.contains("</span> PASS</span>"))
        #expect(text.components(separatedBy: "<h1>").count == 2)
        #expect(text.contains("id=\"server-2\"") && text.contains("prefers-color-scheme: dark"))
    }

    @Test(
        .enabled(
            if: CommandLineTool.installed("chromium") != nil, "chromium is not installed: `apt-get install chromium`"))
    func `A browser shows it and loads nothing for it, which is noticed where a page does`() async throws {
        let page = self.page([try await DiagnosisFixture.hostileServer()])
        #expect(try await self.loads(page) == [])
        let other = page.replacing("default-src 'none'; ", with: "").replacing(
            "<main>", with: "<main><img src=\"http://127.0.0.1:44999/picture.png\">")
        #expect(try await self.loads(other).map { $0.hasSuffix("/picture.png") } == [true])
    }

    /// What a browser asks for besides the page itself, without what it asks of its maker on its own.
    private func loads(_ page: String) async throws -> Set<String> {
        let chromium = try #require(CommandLineTool.installed("chromium"))
        return try await withTemporaryFolder { folder in
            let log = folder.path("net.json")
            let file = try folder.file("page.html", page)
            let finished = try await CommandLineTool.run(
                chromium,
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
                    "--user-data-dir=\(folder.path("profile"))", "--log-net-log=\(log)", "--dump-dom", "file://\(file)",
                ])
            #expect(finished.status == 0 && finished.output.contains("App Transport Security"))
            let events = try String(contentsOfFile: log, encoding: .utf8)
            let urls = Set(events.matches(of: /"url":"([^"]*)"/).map { String($0.1) })
            return urls.filter { url in
                !["google", "gvt1.com", "chrome://", "page.html"].contains { url.contains($0) } && !url.isEmpty
            }
        }
    }
}
