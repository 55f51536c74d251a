//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

/// The text of an option that names a proxy, and whether it names one, by curl's grammar.
struct ProxyText: Sendable, CustomTestStringConvertible {
    let text: String
    let isTaken: Bool

    var testDescription: String { self.text }

    static let all: [ProxyText] = [
        ProxyText(text: "http://127.0.0.1:1", isTaken: true), ProxyText(text: "socks5://127.0.0.1:1", isTaken: true),
        ProxyText(text: "http://user:password@127.0.0.1:1", isTaken: true),
        ProxyText(text: "127.0.0.1:1", isTaken: true),
        ProxyText(text: "[::1]:1", isTaken: true),
        ProxyText(text: "https://127.0.0.1:1", isTaken: true),
        ProxyText(text: "http://127.0.0.1:1/path", isTaken: true),
        ProxyText(text: "http://127.0.0.1", isTaken: true),
        ProxyText(text: "127.0.0.1", isTaken: true),
        ProxyText(text: "", isTaken: true),
        ProxyText(text: "ftp://127.0.0.1:1", isTaken: false), ProxyText(text: "http://127.0.0.1:99999", isTaken: false),
        ProxyText(text: "http://", isTaken: false), ProxyText(text: "http://a b:1", isTaken: false),
    ]
}

@Suite("One grammar of proxies, whichever command reads it", .limitedConcurrency, .timeLimit(.minutes(10)))
struct OneProxyGrammarTests {
    /// A command that takes a proxy, with a server at which nothing listens.
    private static let commands = [["check", "127.0.0.1:9"], ["get", "https://127.0.0.1:9/"]]
    /// Commands that have the options of `check`. One text shows it, as a usage takes seconds to write in a debug build.
    private static let others = [
        ["ats", "suggest", "127.0.0.1:9"], ["diagnose", "127.0.0.1:9", "--plan", "ats"], ["pin", "127.0.0.1:9"],
        ["scan", "/dev/null"],
    ]

    @Test("A text names a proxy for every command or for none", arguments: ProxyText.all)
    func text(proxy: ProxyText) async throws {
        for command in Self.commands + (proxy.text == "127.0.0.1:1" ? Self.others : []) {
            let finished = try await CommandLineTool.servertrust(command + ["--proxy", proxy.text])
            let text = finished.output + finished.errors
            // What is refused is refused by the option's name, before anything is connected to.
            let isRefused = text.contains("'--proxy") || text.contains("The proxy cannot be used")
            #expect(!isRefused || finished.status == 2, "\(command): \(text)")
            #expect(isRefused != proxy.isTaken, "\(command): \(text)")
        }
        try await withTemporaryFolder { folder in
            let isRefused = try await Self.isRefusedByProxy(proxy.text, folder)
            #expect(isRefused != proxy.isTaken, "proxy")
        }
    }

    private static func isRefusedByProxy(_ text: String, _ folder: TemporaryFolder) async throws -> Bool {
        let arguments = ["proxy", "--listen", "127.0.0.1:0", "--root-folder", folder.path("root"), "--proxy", text]
        do {
            let tool = try CommandLineTool.servertrustPath()
            try await Service.with(tool, arguments, in: folder, portAfter: "listens at http://127\\.0\\.0\\.1:") { _ in
            }
            return false
        } catch is ServiceError {
            return true
        }
    }
}
