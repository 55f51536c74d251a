//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

/// Fields that make a request malformed, beside or in place of those of a request.
private let malformedFields: [(name: String, fields: [(String, String)])] = [
    ("no method", [(":scheme", "https"), (":authority", "server.test"), (":path", "/")]),
    ("no scheme", [(":method", "GET"), (":authority", "server.test"), (":path", "/")]),
    ("no path", [(":method", "GET"), (":scheme", "https"), (":authority", "server.test")]),
    ("no authority", [(":method", "GET"), (":scheme", "https"), (":path", "/")]),
    ("an empty path", HTTP2FrameClient.fields("GET", "")),
    ("a path that is a URL", HTTP2FrameClient.fields("GET", "https://a/")),
    ("a path that ends the line", HTTP2FrameClient.fields("GET", "/ HTTP/1.1\r\nHost: a\r\n\r\n")),
    ("an asterisk without OPTIONS", HTTP2FrameClient.fields("GET", "*")),
    ("a method that ends the line", HTTP2FrameClient.fields("GET / HTTP/1.1\r\nA: b\r\n\r\nGET")),
    ("two paths", HTTP2FrameClient.fields("GET", "/", [(":path", "/b")])),
    ("a status", HTTP2FrameClient.fields("GET", "/", [(":status", "200")])),
    ("an unknown pseudo-header field", HTTP2FrameClient.fields("GET", "/", [(":x", "")])),
    ("a pseudo-header field behind a field", [("a", "b")] + HTTP2FrameClient.fields()),
    ("a name in capitals", HTTP2FrameClient.fields("GET", "/", [("Accept", "a")])),
    ("a name with a blank", HTTP2FrameClient.fields("GET", "/", [("a b", "c")])),
    ("a name with a colon", HTTP2FrameClient.fields("GET", "/", [("a:", "c")])),
    ("a value with a line end", HTTP2FrameClient.fields("GET", "/", [("a", "b\r\nc: d")])),
    ("a value with NUL", HTTP2FrameClient.fields("GET", "/", [("a", "b\0")])),
    ("a value with blanks at its ends", HTTP2FrameClient.fields("GET", "/", [("a", " b ")])),
    ("Connection", HTTP2FrameClient.fields("GET", "/", [("connection", "close")])),
    ("Keep-Alive", HTTP2FrameClient.fields("GET", "/", [("keep-alive", "5")])),
    ("Proxy-Connection", HTTP2FrameClient.fields("GET", "/", [("proxy-connection", "close")])),
    ("Transfer-Encoding", HTTP2FrameClient.fields("GET", "/", [("transfer-encoding", "chunked")])),
    ("Upgrade", HTTP2FrameClient.fields("GET", "/", [("upgrade", "websocket")])),
    ("TE", HTTP2FrameClient.fields("GET", "/", [("te", "gzip")])),
    ("a Host field for another server", HTTP2FrameClient.fields("GET", "/", [("host", "other.test")])),
    ("an authority with a user", HTTP2FrameClient.fields().map { $0.0 == ":authority" ? ($0.0, "a@server.test") : $0 }),
    ("a length without content", HTTP2FrameClient.fields("POST", "/", [("content-length", "5")])),
    ("two lengths", HTTP2FrameClient.fields("POST", "/", [("content-length", "0"), ("content-length", "0")])),
    ("a length that is no number", HTTP2FrameClient.fields("POST", "/", [("content-length", "-0")])),
    ("a length in disguise", HTTP2FrameClient.fields("POST", "/", [("content_length", "5")])),
]

@Suite("The proxy and requests of HTTP/2", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2RequestTests {
    private static func scene<R>(
        _ answers: Answers = Answers { TestHTTPServer.response("hello \($0.target)") },
        _ change: (inout InterceptingProxyConfiguration) throws -> Void = { _ in },
        _ body: (ProxyScene, TestHTTPServer) async throws -> R
    ) async throws -> R {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), answers) { server in
            try await ProxyScene.with(server: server.port, change) { scene in try await body(scene, server) }
        }
    }

    @Test("A malformed request ends its stream, reaches no server, and leaves the connection to others")
    func malformed() async throws {
        try await Self.scene { scene, server in
            let client = try await HTTP2FrameClient(scene)
            var stream: UInt32 = 1
            for (name, fields) in malformedFields {
                try await client.send([.headers(fields, on: stream, ends: true)])
                let response = try await client.response(on: stream)
                #expect(response.reset == 1 && response.status.isEmpty, "\(name): \(response)")
                stream += 2
            }
            #expect(server.seen.connections == 0)
            try await client.get("/a", on: stream)
            #expect(try await client.response(on: stream).text == "hello /a")
            #expect(client.goodbye == nil)
            await client.stream.close()
        }
    }

    /// What is refused in words, and how.
    private static let refusals: [(fields: [(String, String)], status: String, code: String)] = [
        ([(":method", "CONNECT"), (":authority", "server.test:443")], "501", "bad-request"),
        (
            [
                (":method", "CONNECT"), (":protocol", "connect-udp"), (":scheme", "https"), (":path", "/"),
                (":authority", "server.test"),
            ], "501", "bad-request"
        ),
        (HTTP2FrameClient.fields().map { $0.0 == ":authority" ? ($0.0, "other.test") : $0 }, "421", "misdirected"),
        (
            HTTP2FrameClient.fields().map { $0.0 == ":authority" ? ($0.0, "server.test:8443") : $0 }, "421",
            "misdirected"
        ),
        (HTTP2FrameClient.fields().map { $0.0 == ":scheme" ? ($0.0, "http") : $0 }, "421", "misdirected"),
        (HTTP2FrameClient.fields("GET", "/", [("expect", "other")]), "417", "bad-request"),
        (HTTP2FrameClient.fields("GET", "/", [("a", String(repeating: "a", count: 66_000))]), "431", "bad-request"),
        (HTTP2FrameClient.fields("GET", "/", (0..<201).map { _ in ("a", "b") }), "431", "bad-request"),
    ]

    @Test("What the proxy does not carry out is refused in words, on its stream alone")
    func refusedInWords() async throws {
        try await Self.scene { scene, server in
            let client = try await HTTP2FrameClient(scene)
            var stream: UInt32 = 1
            for (fields, status, code) in Self.refusals {
                try await client.send(Self.split(.headers(fields, on: stream, ends: true)))
                let response = try await client.response(on: stream)
                #expect(response.status == status && response.text.contains("code: \(code)"), "\(fields): \(response)")
                #expect(response.value("proxy-status")?.hasPrefix("servertrust; error=") == true)
                let noted = try #require(try await scene.log.requests(Int(stream + 1) / 2).last)
                #expect(noted.version == .http2 && noted.status.map(String.init) == status && noted.rule == code)
                #expect(noted.isComplete && noted.server != nil && noted.reason != nil, "\(noted)")
                stream += 2
            }
            // Content that comes behind such a head is dropped, and does not get in the way of the answer.
            for fields in [Self.refusals[0].fields, HTTP2FrameClient.fields("POST", "/", [("expect", "other")])] {
                let content = TestFrame.data("hello", on: stream, ends: false)
                try await client.send([.headers(fields, on: stream), content, content])
                let response = try await client.response(on: stream)
                #expect(response.isComplete && ["417", "501"].contains(response.status), "\(response)")
                stream += 2
            }
            try await client.send([
                .headers(HTTP2FrameClient.fields("HEAD", "/", [("expect", "other")]), on: stream, ends: true)
            ])
            let head = try await client.response(on: stream)
            #expect(head.status == "417" && head.content.readableBytes == 0)
            #expect(server.seen.connections == 0 && client.goodbye == nil)
            await client.stream.close()
        }
    }

    @Test(
        "A first head that is sent before the settings of the proxy are known is taken as any other",
        arguments: [(20_000, "200"), (60_000, "200"), (66_000, "431"), (200_000, "431")])
    func firstHead(size: Int, status: String) async throws {
        try await Self.scene { scene, _ in
            let large = [("a", String(repeating: "a", count: size))]
            // The settings come in the same octets, as those of curl do.
            let stream = try await scene.tunnel(protocols: ["h2"])
            let client = HTTP2FrameClient(stream)
            let head = TestFrame.headers(HTTP2FrameClient.fields("GET", "/", large), on: 1, ends: true)
            let frames = [.settings()] + Self.split(head) + [.headers(HTTP2FrameClient.fields(), on: 3, ends: true)]
            try await client.send(HTTP2FrameClient.preface + frames.octets)
            #expect(try await client.response(on: 3).status == "200")
            #expect(try await client.response(on: 1).status == status && client.goodbye == nil)
            await client.stream.close()
        }
    }

    /// Requests that the proxy ends before their end, by the code of RST_STREAM.
    private static let endedEarly: [(fields: [(String, String)], code: UInt32)] = [
        (HTTP2FrameClient.fields("POST", ""), 1), (HTTP2FrameClient.fields("POST", "/answered"), 0),
        (HTTP2FrameClient.fields("POST", "/cut"), 2), (HTTP2FrameClient.fields("POST", "/", [("expect", "other")]), 0),
    ]

    @Test("What comes late on a stream that the proxy has ended is dropped", arguments: 0..<4)
    func late(index: Int) async throws {
        let (fields, code) = Self.endedEarly[index]
        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
        let answer = "HTTP/1.1 413 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        let answering: @Sendable (String) -> String? = { text in
            guard !text.hasPrefix("GET") else { return "HTTP/1.1 204 No\r\n\r\n" }
            return text.hasPrefix("POST /cut") ? cut : text.hasPrefix("POST") ? answer : nil
        }
        try await RawTLSServer.with(answering: answering) { server in
            try await ProxyScene.with(server: server.port) {
                $0.timeouts.idle = .seconds(1)
            } _: { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.send([.headers(fields, on: 1), .data("a", on: 1, ends: false)])
                try await client.read { $0.responses[1]?.reset != nil }
                #expect(client.responses[1]?.reset == code, "\(client.responses)")
                // A field that goes into the table of fields (RFC 7541 §6.2.1), and is named from there by the next request.
                let kept: [UInt8] = [0x40, 1, 0x61, 1, 0x62]
                try await client.send([
                    .data("b", on: 1, ends: false), TestFrame(type: 1, flags: 5, stream: 1, payload: kept),
                    .headers(HTTP2FrameClient.fields(), on: 3, ends: true),
                    TestFrame(
                        type: 1, flags: 5, stream: 5,
                        payload: TestFrame.headers(HTTP2FrameClient.fields(), on: 5).payload + [0xBE]),
                ])
                #expect(try await client.response(on: 3).status == "204")
                #expect(try await client.response(on: 5).status == "204" && client.goodbye == nil)
                await client.stream.close()
            }
        }
    }

    /// A head in frames of the size that is always taken (RFC 9113 §4.2).
    private static func split(_ frame: TestFrame) -> [TestFrame] {
        guard frame.payload.count > 16_000 else { return [frame] }
        let starts = Array(stride(from: 0, to: frame.payload.count, by: 16_000))
        return starts.map { start in
            let payload = Array(frame.payload[start..<min(start + 16_000, frame.payload.count)])
            let isEnd: UInt8 = start == starts.last ? TestFrame.endHeaders : 0
            return TestFrame(
                type: start == 0 ? 1 : 9, flags: isEnd | (start == 0 ? TestFrame.endStream : 0), stream: frame.stream,
                payload: payload)
        }
    }

    @Test("Ports and addresses that the proxy does not connect to are refused over HTTP/2, too")
    func places() async throws {
        try await Self.scene {
            $0.dangerouslyAllowsLocalAddresses = false
        } _: { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try await client.get(on: 1)
            let response = try await client.response(on: 1)
            #expect(response.status == "403" && response.text.contains("code: local-address"), "\(response)")
            #expect(server.seen.connections == 0)
            await client.stream.close()
        }
    }

    /// Content that has another length than the fields say, or does not end as it must.
    private static let wrongContents: [(fields: [(String, String)], frames: [TestFrame])] = [
        ([("content-length", "5")], [.data("hell", on: 1)]), ([("content-length", "5")], [.data("hello!", on: 1)]),
        ([("content-length", "5")], [.data("hello!", on: 1, ends: false)]),
        ([("content-length", "5")], [.headers([("a", "b")], on: 1, ends: true)]),
        ([], [.data("hello", on: 1, ends: false), .headers([("a", "b")], on: 1)]),
        ([], [.data("hello", on: 1, ends: false), .headers([(":path", "/")], on: 1, ends: true)]),
        ([], [.data("hello", on: 1, ends: false), .headers([("A", "b")], on: 1, ends: true)]),
        ([], [.data("hello", on: 1, ends: false), .headers([("transfer-encoding", "chunked")], on: 1, ends: true)]),
    ]

    @Test("Content or trailers that are malformed cut the request for the server", arguments: 0..<8)
    func malformedContent(index: Int) async throws {
        let (fields, frames) = Self.wrongContents[index]
        try await Self.scene { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try await client.send([.headers(HTTP2FrameClient.fields("POST", "/", fields), on: 1)])
            try await client.send(frames)
            try await client.read { $0.responses[1]?.isOver == true || $0.goodbye != nil }
            #expect(client.responses[1]?.reset == 1 || client.goodbye?.code == 1, "\(frames)")
            #expect(client.responses[1]?.status.isEmpty != false)
            #expect(server.seen.requests.isEmpty, "no whole request reaches the server")
            await client.stream.close()
        }
    }

    @Test(
        "A server that is refused gets no application data, and the client reads why",
        arguments: ["https", "text/html", "application/json"])
    func refusedServer(accept: String) async throws {
        let bad = try ProxyScene.chain { $0.dnsNames = ["wrong.test"] }
        try await TestHTTPServer.with(tls: bad, Answers { _ in TestHTTPServer.response("secret") }) { server in
            try await RecordRelay.with(server.port) { relay in
                try await ProxyScene.with(server: relay.port) { scene in
                    let client = try await HTTP2FrameClient(scene)
                    for stream: UInt32 in [1, 3, 5] { try await client.get("/", [("accept", accept)], on: stream) }
                    for stream: UInt32 in [1, 3, 5] {
                        let response = try await client.response(on: stream)
                        #expect(response.status == "403" && response.text.contains("reason"), "\(response)")
                    }
                    try await client.send([
                        .headers(HTTP2FrameClient.fields("POST", "/"), on: 7), .data("secret", on: 7),
                    ])
                    #expect(try await client.response(on: 7).status == "403")
                    // An alert that is encrypted looks like application data of 19 octets (RFC 8446 §5.2).
                    #expect(relay.fromClients.records.allSatisfy { $0.type != 23 || $0.length <= 19 })
                    #expect(server.seen.requests.isEmpty)
                    let requests = try await scene.log.requests(4)
                    #expect(requests.allSatisfy { $0.verdict == .refused && $0.isComplete && $0.rule != nil })
                    await client.stream.close()
                }
            }
        }
    }

    @Test("A client that does not choose HTTP/2 is spoken to in HTTP/1.1", arguments: [["http/1.1"], [], ["other"]])
    func otherProtocols(protocols: [String]) async throws {
        try await Self.scene { scene, _ in
            let stream = try await scene.tunnel(protocols: protocols)
            try await stream.write(
                ByteBuffer(string: "GET /a HTTP/1.1\r\nHost: server.test\r\nConnection: close\r\n\r\n"))
            let answer = try await ProxyScene.rest { try await stream.read() }
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("hello /a"), "\(answer)")
        }
    }

    @Test("A client that has chosen HTTP/2 and does not speak it is let go")
    func noHTTP2() async throws {
        try await Self.scene { scene, server in
            let stream = try await scene.tunnel(protocols: ["h2"])
            try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
            _ = try? await ProxyScene.rest { try await stream.read() }
            for _ in 0..<3_000 where scene.proxy.connectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(scene.proxy.connectionCount == 0 && server.seen.connections == 0)
            #expect(scene.log.connections.first?.problem?.contains("HTTP/2") == true)
        }
    }

    @Test("A request reaches the server as over HTTP/1.1, without what is for the connection alone")
    func requestFields() async throws {
        try await Self.scene { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try await client.get(
                "/a/../b?c=%20",
                [
                    ("te", "trailers"), ("proxy-authorization", "Basic YTpi"), ("cookie", "a=b"), ("cookie", "c=d"),
                    ("x-other", "e"),
                ], on: 1)
            #expect(try await client.response(on: 1).text == "hello /a/../b?c=%20")
            let request = try #require(server.seen.requests.first)
            #expect(request.line == "GET /a/../b?c=%20 HTTP/1.1")
            let lines = request.head.split(separator: "\r\n").dropFirst().sorted().map { $0.lowercased() }
            #expect(
                lines == ["connection: te", "cookie: a=b; c=d", "host: server.test", "te: trailers", "x-other: e"])
            await client.stream.close()
        }
    }
}
