//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import HTTPExchange

/// Fields of a request, which tests take away from and add to.
private typealias Lines = [(name: String, value: String)]

extension Lines {
    fileprivate static let get: Lines = [
        (":method", "GET"), (":scheme", "https"), (":authority", "server.test"), (":path", "/a?b"),
    ]

    fileprivate func without(_ name: String) -> Lines { self.filter { $0.name != name } }

    fileprivate func with(_ name: String, _ value: String) -> Lines {
        self.map { $0.name == name ? (name, value) : $0 } + (self.contains { $0.name == name } ? [] : [(name, value)])
    }

    fileprivate func and(_ name: String, _ value: String) -> Lines { self + [(name, value)] }
}

@Suite("Requests of HTTP/2")
struct HTTP2RequestReaderTests {
    /// What a head is read as, in one text.
    private static func outcome(_ lines: Lines, isLast: Bool = true, limits: MessageLimits = .ofRequests) -> String {
        var reader = HTTP2RequestReader(limits: limits)
        do {
            guard case .head(let head, let framing) = try reader.receive(lines, isLast: isLast) else {
                return "no head"
            }
            let fields = head.fields.map { "\($0.name.rawName)=\($0.value)" }.joined(separator: ",")
            return "\(head.method) \(head.target) \(framing) \(fields)"
        } catch {
            return "!\(error)"
        }
    }

    private static func malformed(_ fault: HTTP2MessageFault) -> String { "!\(HTTPRequestError.http2(fault))" }

    @Test(
        "Pseudo-header fields that are missing, come twice, are unknown or stand behind others make a request malformed"
    )
    func pseudoFields() {
        for (name, fault) in [
            (":method", HTTP2MessageFault.method), (":scheme", .scheme), (":path", .path), (":authority", .authority),
        ] {
            #expect(Self.outcome(.get.without(name)) == Self.malformed(fault), "\(name) is missing")
            #expect(Self.outcome(.get.with(name, "")) == Self.malformed(fault), "\(name) is empty")
            let line = Lines.get.first { $0.name == name }
            #expect(Self.outcome(.get.and(name, line?.value ?? "")) == Self.malformed(.pseudoField), "\(name) twice")
            let behind = Lines.get.without(name).and("a", "b").and(name, line?.value ?? "")
            #expect(Self.outcome(behind) == Self.malformed(.pseudoField), "\(name) behind a field")
        }
        for blank in [" ", "\t"] {
            let line = Lines.get.first { $0.name == ":authority" }?.value ?? ""
            for value in [blank + line, line + blank] {
                #expect(Self.outcome(.get.with(":authority", value)) == Self.malformed(.value), "'\(value)'")
            }
        }
        for name in [":status", ":", ":Method", ":unknown", ":version"] {
            #expect(Self.outcome(.get.and(name, "1")) == Self.malformed(.pseudoField), "\(name)")
        }
    }

    @Test(
        "A value of a pseudo-header field that cannot be read makes a request malformed",
        arguments: [
            (":method", "G T", HTTP2MessageFault.method), (":method", "GET\r\nA: b", .method), (":method", "", .method),
            (":method", String(repeating: "A", count: 33), .method), (":scheme", "ht tp", .scheme),
            (":scheme", "https\r\n", .scheme), (":path", "a", .path), (":path", "*", .path),
            (":path", "https://server.test/", .path), (":path", "/a b", .path), (":path", "/a#b", .path),
            (":path", "/a#\u{301}b", .path),
            (":path", "/\r\nHost: other.test", .path), (":path", "/\u{E4}", .path), (":path", "/\0", .path),
            (":authority", "user@server.test", .authority), (":authority", "user@\u{301}server.test", .authority),
            (":authority", "", .authority),
        ])
    func values(name: String, value: String, fault: HTTP2MessageFault) {
        #expect(Self.outcome(.get.with(name, value)) == Self.malformed(fault))
    }

    @Test("The Host field names the server that the authority names, or takes its place")
    func hosts() {
        for host in ["other.test", "server.test:443", "server.test.", "server.test, other.test", ""] {
            #expect(Self.outcome(.get.and("host", host)) == Self.malformed(.authority), "\(host)")
        }
        let twice = Lines.get.and("host", "server.test").and("host", "server.test")
        #expect(Self.outcome(twice) == Self.malformed(.authority))
        let expected = "GET /a?b none Host=server.test"
        #expect(Self.outcome(.get) == expected)
        #expect(Self.outcome(.get.and("host", "server.test")) == expected)
        #expect(Self.outcome(.get.without(":authority").and("host", "server.test")) == expected)
    }

    @Test(
        "A field that is malformed, or about the connection, makes a request malformed",
        arguments: [
            ("Accept", "a", HTTP2MessageFault.name), ("a b", "c", .name), ("", "a", .name), ("a:", "b", .name),
            ("a\n", "b", .name), ("\u{E4}", "b", .name), ("a", "b\r\nc: d", .value), ("a", "b\nc", .value),
            ("a", "b\0", .value), ("a", "\u{1}", .value), ("a", "\u{7F}", .value), ("a", " b", .value),
            ("a", "b\t", .value), ("connection", "close", .connection), ("keep-alive", "5", .connection),
            ("proxy-connection", "keep-alive", .connection), ("transfer-encoding", "chunked", .connection),
            ("upgrade", "websocket", .connection), ("te", "gzip", .connection), ("te", "trailers, gzip", .connection),
        ])
    func fields(name: String, value: String, fault: HTTP2MessageFault) {
        #expect(Self.outcome(.get.and(name, value)) == Self.malformed(fault))
    }

    @Test("CONNECT and other protocols are refused in words")
    func connect() {
        let connect: Lines = [(":method", "CONNECT"), (":authority", "server.test:443")]
        let other = Lines.get.with(":method", "CONNECT").and(":protocol", "connect-udp")
        for lines in [connect, other, .get.and(":protocol", "websocket"), .get.and(":protocol", "x")] {
            #expect(Self.outcome(lines, isLast: false) == "!\(HTTPRequestError.connect)")
        }
        #expect(HTTPRequestError.connect.status == 501)
    }

    @Test("Rules of HTTP/1.1 that are not about its lines hold too")
    func sharedRules() {
        let framing = "!\(HTTPRequestError.framing)"
        #expect(Self.outcome(.get.and("content_length", "5")) == framing)
        #expect(Self.outcome(.get.and("transfer_encoding", "chunked")) == framing)
        #expect(Self.outcome(.get.and("content-length", "5").and("content-length", "5"), isLast: false) == framing)
        #expect(Self.outcome(.get.with(":method", "TRACE"), isLast: false) == framing)
        for length in ["-1", "+1", "1, 1", "0x1", "1000000000000000000000"] {
            let outcome = Self.outcome(.get.and("content-length", length), isLast: false)
            #expect(outcome == "!\(HTTPRequestError.message(.contentLength))", "\(length)")
        }
        #expect(Self.outcome(.get.and("expect", "x")) == "!\(HTTPRequestError.expectation)")
    }

    @Test("More octets or fields than are taken are refused in words, trailers counted")
    func limits() throws {
        var limits = MessageLimits.ofRequests
        (limits.headSize, limits.fieldCount) = (1_000, 10)
        let large = Lines.get.and("a", String(repeating: "b", count: 1_000))
        let tooLarge = HTTPRequestError.message(.headTooLarge(limit: 1_000))
        #expect(Self.outcome(large, limits: limits) == "!\(tooLarge)" && tooLarge.status == 431)
        let many = Lines.get + Lines(repeating: ("a", ""), count: 11)
        let tooMany = HTTPRequestError.message(.tooManyFields(limit: 10))
        #expect(Self.outcome(many, limits: limits) == "!\(tooMany)" && tooMany.status == 431)
        let cookies = Lines.get + Lines(repeating: ("cookie", "a=b"), count: 60)
        #expect(Self.outcome(cookies, limits: limits).hasPrefix("GET "), "cookies that come one by one are one field")
        var reader = HTTP2RequestReader(limits: limits)
        _ = try reader.receive(Lines.get, isLast: false)
        #expect(throws: tooMany) { _ = try reader.receive(Lines(repeating: ("a", ""), count: 11), isLast: true) }
    }

    @Test("Small fields count as SETTINGS_MAX_HEADER_LIST_SIZE counts them, cookies that come one by one as one field")
    func smallFields() {
        var limits = MessageLimits.ofRequests
        limits.headSize = 1_000
        let tooLarge = HTTPRequestError.message(.headTooLarge(limit: 1_000))
        let few = Lines.get + Lines(repeating: ("a", ""), count: 22)
        #expect(Self.outcome(few, limits: limits).hasPrefix("GET "))
        #expect(Self.outcome(few.and("a", ""), limits: limits) == "!\(tooLarge)")
    }

    @Test("A request becomes one of HTTP/1.1")
    func translated() {
        let post = Lines.get.with(":method", "POST")
        #expect(Self.outcome(post, isLast: false) == "POST /a?b chunked Host=server.test")
        #expect(
            Self.outcome(post.and("content-length", "5"), isLast: false)
                == "POST /a?b length(5) Host=server.test,content-length=5")
        #expect(Self.outcome(post.and("content-length", "0")).contains(" length(0) "))
        #expect(Self.outcome(.get.with(":method", "OPTIONS").with(":path", "*")) == "OPTIONS * none Host=server.test")
        #expect(
            Self.outcome(.get.and("te", "trailers").and("cookie", "a=b")).hasSuffix(
                "te=trailers,cookie=a=b,Connection=TE"))
        #expect(Self.outcome(.get.with(":scheme", "http")) == "GET http://server.test/a?b none Host=server.test")
    }

    /// Pieces of content, each with whether the stream ends with it, behind a head with a length.
    private static let contents: [(length: String?, pieces: [(Int, Bool)], isRight: Bool)] = [
        ("5", [(5, true)], true), ("5", [(2, false), (3, false), (0, true)], true),
        (nil, [(5, false), (1, true)], true),
        (nil, [(0, true)], true), ("5", [(4, true)], false), ("5", [(6, false)], false),
        ("5", [(5, false), (1, false)], false), ("0", [(1, true)], false), ("5", [(5, true), (1, true)], false),
        (nil, [(1, true), (0, true)], false),
    ]

    @Test("Content has the length that the fields say", arguments: Self.contents)
    func content(length: String?, pieces: [(Int, Bool)], isRight: Bool) throws {
        var reader = HTTP2RequestReader()
        let lines = length.map { Lines.get.and("content-length", $0) } ?? .get
        _ = try reader.receive(lines, isLast: false)
        func receive() throws(HTTPRequestError) {
            for (count, isLast) in pieces { try reader.receive(count, isLast: isLast) }
        }
        if isRight {
            try receive()
            #expect(reader.isAtEnd)
        } else {
            #expect(throws: HTTPRequestError.http2(.contentLength)) { try receive() }
        }
    }

    @Test("A request that ends with its head has no content")
    func endsWithHead() {
        #expect(Self.outcome(.get.and("content-length", "5")) == Self.malformed(.contentLength))
        var reader = HTTP2RequestReader()
        _ = try? reader.receive(Lines.get, isLast: true)
        #expect(throws: HTTPRequestError.http2(.contentLength)) { try reader.receive(1, isLast: true) }
        #expect(throws: HTTPRequestError.http2(.unendedTrailers)) { _ = try reader.receive([("a", "b")], isLast: true) }
    }

    @Test("Trailers end the request, and have no pseudo-header fields", arguments: [false, true])
    func trailers(withContent: Bool) throws {
        func reader() throws -> HTTP2RequestReader {
            var reader = HTTP2RequestReader()
            _ = try reader.receive(Lines.get, isLast: false)
            if withContent { try reader.receive(5, isLast: false) }
            return reader
        }
        var first = try reader()
        #expect(throws: HTTPRequestError.http2(.unendedTrailers)) { _ = try first.receive([("a", "b")], isLast: false) }
        for (name, value, fault) in [
            (":path", "/", HTTP2MessageFault.pseudoField), (":status", "200", .pseudoField), ("A", "b", .name),
            ("connection", "close", .connection), ("a", "b\n", .value),
        ] {
            var reader = try reader()
            #expect(throws: HTTPRequestError.http2(fault), "\(name)") {
                _ = try reader.receive([(name, value)], isLast: true)
            }
            // What passes the request on must not take it for whole.
            #expect(!reader.isAtEnd, "\(name)")
        }
        var last = try reader()
        guard case .end(let fields) = try last.receive([("a", "b")], isLast: true) else {
            Issue.record("no end")
            return
        }
        #expect(fields.map { "\($0.name)=\($0.value)" } == ["a=b"] && last.isAtEnd)
    }
}
