//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustNIO
import TLSProbe
import TLSWire
import Testing

@testable import FleetScan
@testable import ServerReports

/// Lines that cannot be used, and the code of why.
private let unusable: [([UInt8], String)] = [
    (Array("two words".utf8), "not-a-server"), (Array("http://a.test".utf8), "not-a-server"),
    (Array("a.test:99999".utf8), "not-a-server"), (Array("[a.test]:1".utf8), "not-a-server"),
    (Array("a.test:443:443".utf8), "not-a-server"), (Array("ｕmlaut.test".utf8), "not-a-server"),
    (Array("a\u{1B}[31m.test".utf8), "not-a-server"), (Array("user@a.test".utf8), "not-a-server"),
    ([0x61, 0x00], "not-text"), ([0x61, 0xFF], "not-text"), ([0xFF, 0xFE, 0x61, 0x00], "not-text"),
    (Array("{".utf8), "not-json"), (Array("{}".utf8), "not-json"), (Array("{\"host\":1}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\"} x".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"port\":\"1\"}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"port\":0}".utf8), "not-a-server"), (Array("{\"host\":\"\"}".utf8), "not-a-server"),
    (Array("{\"host\":\"a.test\",\"startTLS\":\"gopher\"}".utf8), "not-a-server"),
    (Array("{\"host\":\"a.test\",\"connectTo\":\"a b\"}".utf8), "not-a-server"),
    (Array("{\"host\":\"a.test\",\"id\":[]}".utf8), "not-json"),
    (Array((String(repeating: "[", count: 30_000)).utf8), "not-a-server"),
    (Array("{\"host\":\(String(repeating: "[", count: 30_000))".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",}".utf8), "not-json"), (Array("{\"host\":\"a.test\",\"x\":01}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"x\":[1,]}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"x\":-}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"x\":\"\\q\"}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"x\":\"\t\"}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"host\":\"b.test\"}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"x\":\"\\ud800\"}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"id\":1.5}".utf8), "not-json"),
    (Array("{\"host\":\"a.test\",\"port\":1e30}".utf8), "not-json"),
    (Array("{\"host\":null}".utf8), "not-json"),
]

/// Lines, and the servers that they are.
private let usable: [(String, String)] = [
    ("a.test", "a.test:443"), (" a.test:8443 \t", "a.test:8443"), ("a.test # note", "a.test:443"),
    ("\u{FEFF}a.test", "a.test:443"), ("https://a.test:1/x?y#z", "a.test:1"),
    ("[2001:db8::1]:8443", "[2001:db8::1]:8443"),
    ("2001:db8::1", "[2001:db8::1]:443"), ("{\"host\":\"a.test\"}", "a.test:443"),
    ("{\"host\":\"a.test:1\",\"port\":2}", "a.test:2"),
    ("{\"host\":\"a.test\",\"port\":9.0,\"sni\":null,\"id\":null}", "a.test:9"),
    ("{\"host\":\"https://a.test/\",\"more\":[1]}", "a.test:443"),
    ("{\"host\":\"a.test\",\"startTLS\":\"smtp\"}", "a.test:25"),
]

@Suite("Entries of a list")
struct ScanEntryTests {
    @Test("A line that names no server is an entry that says why, escaped", arguments: unusable)
    private func unusableLines(bytes: [UInt8], code: String) throws {
        let entry = try #require(Self.entry(bytes))
        guard case .failure(let error) = entry.target else { return #expect(Bool(false), "\(entry)") }
        #expect(error.code.rawValue == code)
        let line = String(
            decoding: try ScanResult(record: ScanRecord(entry, error), input: entry.input).line(), as: UTF8.self)
        #expect(!line.dropLast().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        #expect(line.utf8.count < 4_000)
    }

    @Test("A line is a server however it is written", arguments: usable)
    private func usableLines(text: String, server: String) throws {
        let entry = try #require(Self.entry(Array(text.utf8)))
        #expect(try entry.target.get().endpoint.description == server)
    }

    @Test(
        "Without a port it is that of the protocol before TLS, from an option as from the line",
        arguments: [
            ("a.test", "a.test:25"), ("a.test:99", "a.test:99"), ("2001:db8::1", "[2001:db8::1]:25"),
            ("{\"host\":\"a.test\",\"startTLS\":\"imap\"}", "a.test:143"),
            ("{\"host\":\"a.test\",\"port\":9}", "a.test:9"),
        ])
    func startTLS(text: String, server: String) throws {
        let entry = try #require(Self.entry(Array(text.utf8), ScanTarget.Defaults(startTLS: .smtp)))
        let target = try entry.target.get()
        #expect(target.endpoint.description == server && target.startTLS != nil)
    }

    @Test("What a list calls a server is written without anything that a terminal would obey, and says the same")
    func identifier() throws {
        let entry = try #require(Self.entry(Array("{\"host\":\"a b\",\"id\":\"\\u009b31mX\\u202eY\\u007f\"}".utf8)))
        guard case .failure(let error) = entry.target else { return #expect(Bool(false), "\(entry)") }
        let record = ScanRecord(entry, error)
        let lines = [
            try ScanResult(record: record).line(), try JSONText.line(ScanChange(.appeared, record)),
        ]
        for line in lines {
            let text = String(decoding: line, as: UTF8.self)
            #expect(text.contains("\"id\":\"\\u009b31mX\\u202eY\\u007f\""), "\(text)")
        }
        let id = try #require(ResultsFile.record(lines[0], JSONDecoder())?.id)
        #expect(id == .text("\u{9B}31mX\u{202E}Y\u{7F}"))
    }

    @Test("Blank lines and comments are nothing", arguments: ["", "  ", "# a.test", "\t# {\"host\":\"a.test\"}"])
    func nothing(text: String) { #expect(Self.entry(Array(text.utf8)) == nil) }

    @Test("A line that is too long is an entry, too")
    func tooLong() throws {
        var splitter = LineSplitter(limit: LineInput.lineLimit)
        splitter.append(Array(repeating: 0x61, count: LineInput.lineLimit + 1) + [0x0A])
        let next = splitter.next()
        let line = try #require(next)
        let entry = try #require(ScanEntry(line, ScanTarget.Defaults()))
        guard case .failure(let error) = entry.target else { return #expect(Bool(false)) }
        #expect(error.code == .lineTooLong && entry.text.count <= 200)
    }

    @Test("An object is handed on as it was written, but for what a terminal would obey")
    func passthrough() throws {
        let text = "{\"host\":\"a.test\",  \"n\":1.50, \"x\":\"\u{202E}\u{9B}é😀\", \"id\":7}"
        let entry = try #require(Self.entry(Array(text.utf8)))
        #expect(entry.input?.text == "{\"host\":\"a.test\",  \"n\":1.50, \"x\":\"\\u202e\\u009bé😀\", \"id\":7}")
        #expect(entry.input?.fields.id == .number(7))
    }

    @Test("JSON is escaped without changing what it says, and space stays space")
    func escaping() {
        #expect(
            JSONText.escaped("{\t\"a\":\r\"\u{9B}\u{7F}\u{E0001}é\"}") == "{\t\"a\": \"\\u009b\\u007f\\udb40\\udc01é\"}"
        )
    }

    @Test("The same server has the same identity in a list and in results, and others have others")
    func identity() {
        let lines = [
            "a.test", "a.test:444", "{\"host\":\"a.test\",\"sni\":\"\"}", "{\"host\":\"a.test\",\"sni\":\"b\"}", "b",
        ]
        let entries = lines.compactMap { Self.entry(Array($0.utf8)) }
        #expect(Set(entries.map(\.identity)).count == lines.count)
        #expect(Self.entry(Array("A.TEST:443".utf8))?.identity == entries.first?.identity)
        #expect(Self.entry(Array("a.Test.".utf8))?.identity == entries.first?.identity)
    }

    private static func entry(_ bytes: [UInt8], _ defaults: ScanTarget.Defaults = .init()) -> ScanEntry? {
        ScanEntry(LineSplitter.Line(number: 1, bytes: bytes, isTooLong: false, isEnded: true, end: 0), defaults)
    }
}
