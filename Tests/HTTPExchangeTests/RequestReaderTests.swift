//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import Testing

@testable import HTTPExchange

@Suite("Requests of HTTP/1.1")
struct RequestReaderTests {
    /// What is read of requests on one connection, in one text: method, target, framing, content and how it ended.
    private static func outcome(
        _ text: String, cutting step: Int? = nil, limits: MessageLimits = .ofRequests
    ) -> String {
        var reader = RequestReader(limits: limits)
        reader.begin()
        var outcome = ""
        do {
            let octets = Array(text.utf8)
            for start in stride(from: 0, to: octets.count, by: step ?? max(octets.count, 1)) {
                reader.receive(ByteBuffer(bytes: octets[start..<min(start + (step ?? octets.count), octets.count)]))
                while let part = try reader.next() {
                    switch part {
                    case .head(let head, let framing): outcome += "\(head.method) \(head.target) \(framing)["
                    case .content(let octets): outcome += String(buffer: octets)
                    case .end(let trailers):
                        outcome += "]" + trailers.map { "\($0.name.rawName)=\($0.value)" }.joined()
                        reader.begin()
                    }
                }
            }
            try reader.finish()
            return outcome
        } catch {
            return outcome + "!\(error)"
        }
    }

    private static let refusals: [(String, HTTPRequestError)] = [
        ("GET / HTTP/1.1", .message(.cutInHead)),
        ("GET / HTTP/1.1\r\nHost: a", .message(.cutInHead)),
        ("GET / HTTP/1.1\r\nHost: a\r\n", .message(.cutInHead)),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .message(.forbiddenOctet)),
        ("\r\nGET / HTTP/1.1", .message(.cutInHead)),
        (" \r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .requestLine),
        (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET /\u{E4} HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET /\r\nHost: a\r\n\r\n", .requestLine),
        ("GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        (String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .version),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .version),
        ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", .version),
        ("GET / HTTP/0.9\r\n\r\n", .version),
        ("GET / http/1.1\r\nHost: a\r\n\r\n", .requestLine),
        ("GET / HTTP/1.1\r\n\r\n", .host),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .host),
        ("GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", .host),
        ("GET / HTTP/1.1\nHost: a\r\n\r\n", .message(.forbiddenOctet)),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", .message(.forbiddenOctet)),
        ("GET / HTTP/1.1\r\nHost: a\r\n\n", .message(.forbiddenOctet)),
        ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .message(.forbiddenOctet)),
        ("GET / HTTP/1.1\r\nHost: a\0\r\n\r\n", .message(.forbiddenOctet)),
        ("GET / HTTP/1.1\r\nHost: a\u{7F}\r\n\r\n", .message(.forbiddenOctet)),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n", .message(.forbiddenOctet)),
        ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .message(.fieldLine(2))),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .message(.fieldLine(1))),
        ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", .message(.fieldLine(2))),
        ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", .message(.fieldLine(2))),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", .expectation),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", .framing),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", .framing),
        ("TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na", .framing),
    ]

    @Test("What is no request is an error with its cause", arguments: Self.refusals)
    func refused(text: String, error: HTTPRequestError) {
        for step in [nil, 1] {
            let outcome = Self.outcome(text, cutting: step)
            #expect(outcome == "!\(error)", "\(text.debugDescription): \(outcome)")
        }
        #expect(error.status >= 400)
    }

    /// The fields of requests that two readers take for two lengths.
    private static let smuggling: [(String, HTTPRequestError)] = [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", .framing),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", .framing),
        ("Content-Length: 5\r\nContent-Length: 5", .framing),
        ("Content-Length: 5\r\nContent-Length: 6", .framing),
        ("Content-Length: 5, 5", .message(.contentLength)),
        ("Content-Length: 5,", .message(.contentLength)),
        ("Content-Length:", .message(.contentLength)),
        ("Content-Length: +5", .message(.contentLength)),
        ("Content-Length: -5", .message(.contentLength)),
        ("Content-Length: 0x5", .message(.contentLength)),
        ("Content-Length: 5 5", .message(.contentLength)),
        ("Content-Length: \u{0665}", .message(.contentLength)),
        ("Content-Length: 9999999999999999999", .message(.contentLength)),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .framing),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: x", .framing),
        ("Transfer-Encoding: chunked, chunked", .transferCoding),
        ("Transfer-Encoding: gzip, chunked", .transferCoding),
        ("Transfer-Encoding: chunked, identity", .transferCoding),
        ("Transfer-Encoding: identity", .transferCoding),
        ("Transfer-Encoding: xchunked", .transferCoding),
        ("Transfer-Encoding: \"chunked\"", .transferCoding),
        ("Transfer-Encoding: chunked;q=1", .transferCoding),
        ("Transfer-Encoding:", .transferCoding),
        ("Transfer_Encoding: chunked", .framing),
        ("Content_Length: 5", .framing),
        ("content-length_: 5\r\nCONTENT_LENGTH: 5", .framing),
    ]

    @Test(
        "A request whose content has two lengths is refused, and none of its content is read", arguments: Self.smuggling
    )
    func smuggled(fields: String, error: HTTPRequestError) {
        let text = "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
        for step in [nil, 1, 3] { #expect(Self.outcome(text, cutting: step) == "!\(error)", "\(fields)") }
    }

    @Test("A client of HTTP/1.0 sends no chunks")
    func oldChunks() {
        let text = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(Self.outcome(text) == "!\(HTTPRequestError.framing)")
    }

    private static let chunks: [(String, String)] = [
        ("5\r\nhello\r\n0\r\n\r\n", "[hello]"), ("05\r\nhello\r\n0\r\nA: b\r\n\r\n", "[hello]A=b"),
        ("5;a=b\r\nhello\r\n0\r\n\r\n", "[hello]"),
        ("5\nhello\r\n0\r\n\r\n", "[!\(HTTPRequestError.message(.forbiddenOctet))"),
        ("5\r\nhello\n0\r\n\r\n", "[hello!\(HTTPRequestError.message(.chunk))"),
        ("5\r\nhelloX\r\n0\r\n\r\n", "[hello!\(HTTPRequestError.message(.chunk))"),
        ("5 \r\nhello\r\n0\r\n\r\n", "[!\(HTTPRequestError.message(.chunk))"),
        ("5 ;a\r\nhello\r\n0\r\n\r\n", "[!\(HTTPRequestError.message(.chunk))"),
        (" 5\r\nhello\r\n0\r\n\r\n", "[!\(HTTPRequestError.message(.chunk))"),
        ("0x5\r\nhello\r\n0\r\n\r\n", "[!\(HTTPRequestError.message(.chunk))"),
        ("-5\r\nhello\r\n0\r\n\r\n", "[!\(HTTPRequestError.message(.chunk))"),
        ("5;a\rb\r\nhello\r\n0\r\n\r\n", "[!\(HTTPRequestError.message(.forbiddenOctet))"),
        ("FFFFFFFFFFFFFFFF\r\n", "[!\(HTTPRequestError.message(.chunk))"),
        ("0\r\nA: b\r\n c\r\n\r\n", "[!\(HTTPRequestError.message(.fieldLine(2)))"),
        ("5\r\nhel", "[hel!\(HTTPRequestError.message(.cutInContent))"),
    ]

    @Test("Chunks have one reading, however they are cut", arguments: Self.chunks)
    func chunked(text: String, expected: String) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
        for step in [nil, 1, 2, 7] {
            #expect(Self.outcome(head + text, cutting: step) == "POST / chunked" + expected, "\(text.debugDescription)")
        }
    }

    @Test("One empty line may stand before each request, and none begins one (RFC 9112 section 2.2)")
    func emptyLines() {
        let first = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        let second = "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        for step in [nil, 1, 2, 3] {
            #expect(Self.outcome("\r\n", cutting: step) == "")
            #expect(
                Self.outcome("\r\n\(first)\r\n\(second)\r\n", cutting: step)
                    == "POST /a length(5)[hello]GET /b none[]")
            #expect(Self.outcome("\(second)\r\n\r\n", cutting: step).hasSuffix("!\(HTTPRequestError.requestLine)"))
        }
    }

    @Test("One request follows the other, and waits until it is begun")
    func pipelined() throws {
        let first = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        let second = "GET http://b/c?d HTTP/1.1\r\nhost:b\r\n\r\n"
        #expect(Self.outcome(first + second) == "POST /a length(5)[hello]GET http://b/c?d none[]")
        #expect(Self.outcome(first + second, cutting: 1) == "POST /a length(5)[hello]GET http://b/c?d none[]")
        var reader = RequestReader()
        reader.begin()
        reader.receive(ByteBuffer(string: second + first))
        for _ in 0..<2 { #expect(try reader.next() != nil) }
        #expect(try reader.next() == nil && reader.hasRest)
        reader.begin()
        guard case .head(let head, .length(5))? = try reader.next() else {
            Issue.record("no second request")
            return
        }
        #expect(head.target == "/a" && head.keepsConnection)
    }

    @Test("An idle connection may end, and a begun request may not")
    func ends() throws {
        #expect(Self.outcome("") == "")
        #expect(
            Self.outcome("GET / HTTP/1.1\r\nHost: a\r\n\r\nG").hasSuffix("!\(HTTPRequestError.message(.cutInHead))"))
    }

    @Test("Heads, fields, chunk lines and extensions without an end are refused at the limit")
    func limits() {
        var limits = MessageLimits.ofRequests
        (limits.headSize, limits.fieldCount) = (1_000, 10)
        let tooLarge = "!\(HTTPRequestError.message(.headTooLarge(limit: 1_000)))"
        let line = String(repeating: "a", count: 2_000)
        #expect(Self.outcome("GET /" + line, cutting: 100, limits: limits) == tooLarge)
        #expect(Self.outcome("GET / HTTP/1.1\r\nHost: \(line)", cutting: 100, limits: limits) == tooLarge)
        let fields = String(repeating: "A: b\r\n", count: 11)
        let tooMany = HTTPRequestError.message(.tooManyFields(limit: 10))
        #expect(Self.outcome("GET / HTTP/1.1\r\n\(fields)\r\n", limits: limits) == "!\(tooMany)")
        #expect(tooMany.status == 431)
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(Self.outcome(head + "0\r\n\(fields)\r\n", limits: limits).hasSuffix("!\(tooMany)"))
        #expect(Self.outcome(head + "1;" + line).contains("!"))
        let chunk = "1;" + String(repeating: "a", count: 200) + "\r\na\r\n"
        let extended = Self.outcome(head + String(repeating: chunk, count: 1_000))
        #expect(extended.hasSuffix("!\(HTTPRequestError.message(.chunk))") && extended.utf8.count < 200)
    }

    @Test("Connections are kept as RFC 9112 says")
    func keeping() throws {
        let table = [
            ("HTTP/1.1\r\nHost: a", true), ("HTTP/1.1\r\nHost: a\r\nConnection: x, Close", false), ("HTTP/1.0", false),
            ("HTTP/1.0\r\nConnection: keep-alive", true),
        ]
        for (rest, isKept) in table {
            var reader = RequestReader()
            reader.begin()
            reader.receive(ByteBuffer(string: "GET / \(rest)\r\n\r\n"))
            guard case .head(let head, _)? = try reader.next() else {
                Issue.record("no head")
                return
            }
            #expect(head.keepsConnection == isKept, "\(rest)")
        }
    }
}
