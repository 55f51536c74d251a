//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import TestSupport
import Testing

@Suite("Content in lines", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ContentLinesTests {
    @Test(
        "Lines end with LF or CRLF, wherever the octets are cut",
        arguments: [
            ([], []), (["a"], ["a"]), (["a\n"], ["a"]), (["a\r\n"], ["a"]), (["\n"], [""]), (["\r\n\r\n"], ["", ""]),
            (["a\nb"], ["a", "b"]), (["a", "b\n"], ["ab"]), (["a\r", "\nb\n"], ["a", "b"]), (["a\rb\n"], ["a\rb"]),
            (["a\n", "\n", "b"], ["a", "", "b"]), (["\u{E4}\n"], ["\u{E4}"]),
            (["12345678\n", "12345678"], ["12345678", "12345678"]),
        ] as [([String], [String])])
    func lines(pieces: [String], expected: [String]) async throws {
        var lines: [String] = []
        try await Self.withContent(pieces) { content in
            for try await line in content.lines(limit: 9) { lines.append(line) }
        }
        #expect(lines == expected)
    }

    @Test(
        "A line that is longer than allowed is an error, with its end and without it",
        arguments: [["123456789\n"], ["1234567", "89\n"], ["123456789"], ["a\n123456789", "\n"]])
    func longLines(pieces: [String]) async throws {
        try await Self.withContent(pieces) { content in
            let error = await #expect(throws: HTTPSessionError.self) {
                for try await line in content.lines(limit: 8) { #expect(line == "a") }
            }
            #expect(error?.code == .dataLengthExceedsMaximum)
        }
    }

    @Test("A content that is cut is an error, and its last line is left out")
    func cut() async throws {
        try await TestHTTPServer.with(
            Answers { _ in .sendAndClose("HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\na\nb") }
        ) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/")
            let (_, content) = try await SessionFixture.plain().bytes(for: request)
            var lines: [String] = []
            let error = await #expect(throws: HTTPSessionError.self) {
                for try await line in content.lines() { lines.append(line) }
            }
            #expect(lines == ["a"])
            #expect(error?.code == .networkConnectionLost)
        }
    }

    private static func withContent(_ pieces: [String], _ body: (HTTPContent) async throws -> Void) async throws {
        let chunks = pieces.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
        try await TestHTTPServer.with(
            Answers { _ in .send("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)") }
        ) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/")
            try await body(try await SessionFixture.plain().bytes(for: request).1)
        }
    }
}
