//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
//===----------------------------------------------------------------------===//
import Foundation
import NIOHTTP1
import ServerReports
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustCommand

//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0

@Suite("The page about what the proxy refuses", .limitedConcurrency, .timeLimit(.minutes(10)))
struct RefusalPageTests {
    private static func head(_ uri: String, host: [String]) -> HTTPRequestHead {
        HTTPRequestHead(
            version: .http1_1, method: .GET, uri: uri, headers: HTTPHeaders(host.map { ("Host", $0) }))
    }

    @Test(
        "A request under another name than the page's gets nothing of it",
        arguments: [
            ["evil.test:9000"], ["127.0.0.1"], ["127.0.0.1:9001"], [], ["127.0.0.1:9000", "evil.test"],
            ["localhost.evil.test:9000"], ["127.0.0.1:9000.evil.test"], ["0.0.0.0:9000"], [""],
        ])
    func rebinding(hosts: [String]) throws {
        for uri in ["/", "/refused.json", "http://127.0.0.1:9000/"] {
            let page = RefusalBoard().answer(
                Self.head(uri, host: hosts), host: try Host("127.0.0.1"), port: 9_000)
            #expect(page.status == .misdirectedRequest && !page.text.contains("refuse"), "\(page)")
        }
    }

    @Test("The page is found by the address and by localhost, runs nothing, and has two parts")
    func pages() throws {
        let (board, host) = (RefusalBoard(), try Host("127.0.0.1"))
        for name in ["127.0.0.1:9000", "localhost:9000", "LOCALHOST:9000"] {
            let page = board.answer(Self.head("/", host: [name]), host: host, port: 9_000)
            #expect(page.status == .ok && page.text.contains("has refused no server"))
            let policy = page.fields.first { $0.0 == "content-security-policy" }?.1
            #expect(policy?.contains("default-src 'none'") == true && policy?.contains("script-src") == false)
        }
        #expect(board.answer(Self.head("/x", host: ["localhost:9000"]), host: host, port: 9_000).status == .notFound)
    }

    @Test("What servers say is shown as text")
    func escaping() {
        let hostile = "<script>alert('\"1\"')</script>\u{1B}[2J</p><img src=x>"
        var server = RefusedServer(server: hostile, rule: hostile, reason: hostile, urlError: -1202, at: Date())
        server.search = .none(hostile)
        server.remedy = hostile
        let page = RefusedServersPage([server], leftOut: 3, at: Date())
        for part in ["<script>alert", "<img", "\u{1B}", "'\"1"] { #expect(!page.html.contains(part), "\(part)") }
        #expect(page.html.contains("&lt;script&gt;") && page.html.contains("3 more"))
        #expect(!page.json.contains("\u{1B}"))
    }

    /// Runs a proxy with a page, and waits until so many servers have their exceptions.
    private static func with(
        _ servers: Int, _ body: (_ url: String, [[String: Any]], ProxyCommandTests.Scene) async throws -> Void
    ) async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await ProxyCommandTests.servers { good, bad, authority in
            let given = ["--plist", "default", "--page-port", "0"]
            try await ProxyCommandTests.with(given, good: good.port, bad: bad.port, authority: authority) { scene in
                let place = try await Self.place(in: scene)
                for url in ["https://bad.test/", "https://server.test/", "http://plain.test/", "https://bad.test/"] {
                    _ = try await CommandLineTool.run(curl, ["-s", "-x", scene.url, "--cacert", scene.rootFile, url])
                }
                var entries: [[String: Any]] = []
                for _ in 0..<600 {
                    let text = try await CommandLineTool.run(curl, ["-s", "\(place)refused.json"]).output
                    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                    entries = try #require(document?["servers"] as? [[String: Any]])
                    let isDone = entries.allSatisfy { $0["outcome"] as? String != "pending" }
                    if entries.count == servers, isDone {
                        try ProxyCommandTests.expect(text, "servertrust.proxy-refused/1")
                        break
                    }
                    try await Task.sleep(for: .milliseconds(50))
                }
                try await body(place, entries, scene)
            }
        }
    }

    private static func place(in scene: ProxyCommandTests.Scene) async throws -> String {
        for _ in 0..<500 {
            let said = try scene.folder.said()
            if let place = said.firstMatch(of: /Refused servers are shown at (http:\/\/127\.0\.0\.1:\d+\/)\n/)?.1 {
                return String(place)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw ServiceError(output: try scene.folder.said())
    }

    @Test(
        "Each server that is refused is there, with the smallest exception",
        .enabled(if: CommandLineTool.installed("curl") != nil))
    func exceptions() async throws {
        try await Self.with(2) { url, entries, _ in
            let outcomes = Dictionary(
                uniqueKeysWithValues: entries.compactMap { entry in
                    (entry["server"] as? String).map { ($0, entry["outcome"] as? String) }
                })
            #expect(
                outcomes == [
                    "http://plain.test": "exception", "https://bad.test": "exception-and-delegate",
                ], "\(entries)")
            let bad = entries.first { $0["server"] as? String == "https://bad.test" }
            #expect(bad?["rule"] as? String == "expired" && bad?["count"] as? Int == 2)
            #expect((bad?["propertyList"] as? String)?.contains("bad.test") == true)
            let page = try await CommandLineTool.run(
                try #require(CommandLineTool.installed("curl")), ["-sD", "-", url])
            #expect(page.output.contains("refresh: 5") && page.output.contains("NSExceptionAllowsInsecureHTTPLoads"))
            #expect(page.output.contains("<h2>https://bad.test"), "\(page.output)")
        }
    }

    @Test(
        "Chromium shows the page, by day and by night",
        .enabled(if: CommandLineTool.installed("chromium") != nil && CommandLineTool.installed("curl") != nil))
    func screenshot() async throws {
        let chromium = try #require(CommandLineTool.installed("chromium"))
        try await Self.with(2) { url, _, scene in
            let given = [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
                "--user-data-dir=\(scene.folder.path("profile"))", "--window-size=900,1400",
            ]
            let page = try await CommandLineTool.run(chromium, given + ["--dump-dom", url]).output
            #expect(page.contains("<h2>https://bad.test") && page.contains("<h2>http://plain.test"))
            let picture = ProcessInfo.processInfo.environment["PROXY_PAGE_PICTURE"] ?? scene.folder.path("page.png")
            _ = try await CommandLineTool.run(chromium, given + ["--screenshot=\(picture)", url])
            #expect(FileManager.default.fileExists(atPath: picture))
        }
    }
}
