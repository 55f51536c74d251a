//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import ServerTrustNIO
import TLSWire
import Testing

@testable import ServerTrustCommand

/// A command that takes a proxy, and what it makes of an option.
private struct Reader: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let proxy: @Sendable (_ text: String) throws -> Proxy?
}

private let readers: [Reader] = [
    Reader(testDescription: "check") { try CheckCommand.parse(["a.test", "--proxy", $0]).connection.connecting.proxy },
    Reader(testDescription: "diagnose") {
        try DiagnoseCommand.parse(["a.test", "--proxy", $0]).probe.connecting.proxy
    },
    Reader(testDescription: "nscurl") {
        try NSCurlCommand.parse(["--ats-diagnostics", "https://a.test", "--proxy", $0]).probe.connecting.proxy
    },
    Reader(testDescription: "scan") { try ScanCommand.parse(["list", "--proxy", $0]).probe.connecting.proxy },
    Reader(testDescription: "pin") { try PinCommand.parse(["a.test", "--proxy", $0]).connection.connecting.proxy },
    Reader(testDescription: "pins check") {
        try PinsCheckCommand.parse(["pins", "--against", "a.test", "--proxy", $0]).connection.connecting.proxy
    },
    Reader(testDescription: "ats suggest") {
        try ATSSuggestCommand.parse(["a.test", "--proxy", $0]).connection.connecting.proxy
    },
    Reader(testDescription: "get") { try GetCommand.parse(["https://a.test", "--proxy", $0]).proxy.policy([:]).https },
    Reader(testDescription: "proxy") { try ProxyCommand.parse(["--proxy", $0]).upstream.policy([:]).https },
    Reader(testDescription: "the environment") { try ProxyPolicy(environment: ["https_proxy": $0]).https },
]

private let spellings = [
    "", "127.0.0.1:1", "127.0.0.1", "[::1]:1", "[::1]", "u:p@127.0.0.1:1", "127.0.0.1:1/path", "http://127.0.0.1",
    "http://127.0.0.1:1/path", "http://p.test:", "https://127.0.0.1", "https://127.0.0.1:1", "HTTP://p:1/",
    "socks4://127.0.0.1", "socks4a://p.test", "socks5://u:p@p.test", "socks5h://[::1]:1", "socks://p",
]

private let wrongSpellings = [
    "ftp://p", "socks6://p", "::1", "p:", "p:0", "http://p:x", "http:/p:1", "http://u:p@q@p:1", "http://127.1:1",
    "http://u%4@p:1", "http://u%0D%0A@p:1", "p:1 ", "socks5h://localhost/run/proxy",
]

@Suite("A proxy, in every command that takes one")
struct ProxySpellingTests {
    @Test("Every command reads a spelling alike", arguments: spellings, readers)
    private func reads(text: String, reader: Reader) throws {
        #expect(try reader.proxy(text) == (text.isEmpty ? nil : try Proxy(text)))
    }

    @Test("Every command refuses a wrong spelling", arguments: wrongSpellings, readers)
    private func refuses(text: String, reader: Reader) {
        #expect(throws: (any Error).self) { _ = try reader.proxy(text) }
    }
    @Test("A text names a proxy for every command or for none", arguments: ProxyText.all, readers)
    private func takes(proxy: ProxyText, reader: Reader) throws {
        guard proxy.isTaken else {
            #expect(throws: (any Error).self) { _ = try reader.proxy(proxy.text) }
            return
        }
        #expect(try (reader.proxy(proxy.text) == nil) == proxy.text.isEmpty)
    }
}
