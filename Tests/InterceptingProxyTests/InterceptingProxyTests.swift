//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and servers that are trusted", .limitedConcurrency, .timeLimit(.minutes(10)))
struct InterceptingProxyTests {
    private static func server<R>(_ answers: Answers, _ body: (TestHTTPServer) async throws -> R) async throws -> R {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), answers, body)
    }

    @Test("Requests reach the server as they were sent, on kept connections, and are noted without their paths")
    func requests() async throws {
        try await Self.server(Answers { request in TestHTTPServer.response("hello \(request.target)") }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let session = try scene.session()
                for path in ["/a/../b?c=%20", "//d"] {
                    let request = HTTPSessionRequest(
                        HTTPURL(.init(scheme: .https, host: try Host("server.test"), port: 443), target: path))
                    let (response, content) = try await session.data(for: request)
                    #expect(response.status == 200 && String(buffer: content) == "hello \(path)")
                }
                #expect(server.seen.connections == 1 && server.seen.lines.first == "GET /a/../b?c=%20 HTTP/1.1")
                #expect(server.seen.requests[0].value("Host") == "server.test")
                let requests = try await scene.log.requests(2)
                #expect(requests.map(\.verdict) == [.trusted, .trusted])
                #expect(
                    requests.allSatisfy { $0.isComplete && $0.server?.host.text == "server.test" && $0.status == 200 })
                #expect(requests.map(\.responseSize) == [19, 9])
            }
        }
    }

    @Test(
        "A connection that one client authenticates serves no other client",
        arguments: ["NTLM TlRMTVNTUAAB", "Negotiate YII="])
    func authenticatedConnections(credential: String) async throws {
        try await Self.server(Answers { TestHTTPServer.response("\($0.connection)") }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let (own, other) = (try await scene.tunnel(), try await scene.tunnel())
                let plain = "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"
                let authenticated = "GET / HTTP/1.1\r\nHost: server.test\r\nAuthorization: \(credential)\r\n\r\n"
                // What the first connection carries before is everybody's; from the credential on the client has one for itself.
                #expect(try await Self.connection(own, plain) == "0")
                #expect(try await Self.connection(own, authenticated) == "1")
                #expect(try await Self.connection(own, authenticated) == "1")
                #expect(try await Self.connection(own, plain) == "1")
                #expect(try await Self.connection(other, plain) == "0")
                #expect(try await Self.connection(other, authenticated) == "2")
                #expect(try await Self.connection(own, plain) == "1")
            }
        }
    }

    @Test("Streams of HTTP/2 share the connections that their client authenticates with no other client")
    func authenticatedStreams() async throws {
        try await Self.server(Answers { TestHTTPServer.response("\($0.connection)") }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let (own, other) = (try scene.session(), try scene.session())
                var request = try HTTPSessionRequest("https://server.test/")
                func connection(_ session: HTTPSession) async throws -> String {
                    String(buffer: try await session.data(for: request).1)
                }
                #expect(try await connection(own) == "0")
                #expect(try await connection(other) == "0")
                request.fields[.authorization] = "Negotiate YII="
                let first = try await connection(own)
                #expect(first == "1")
                request.fields[.authorization] = nil
                #expect(try await connection(other) == "0")
            }
        }
    }

    /// The connection to the server that a request goes over.
    private static func connection(_ stream: SecureStream, _ request: String) async throws -> String {
        try await stream.write(ByteBuffer(string: request))
        var text = ""
        while !text.contains("\r\n\r\n") || text.hasSuffix("\r\n\r\n"), let octets = try await stream.read() {
            text += String(buffer: octets)
        }
        return String(text.suffix(1))
    }

    @Test("The proxy adds no field to a request and takes away those of its connection alone")
    func requestFields() async throws {
        try await Self.server(Answers { _ in TestHTTPServer.response() }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                _ = try await scene.answer(
                    inTunnel:
                        "GET / HTTP/1.1\r\nHost: server.test\r\nConnection: close, X-Own\r\nX-Own: a\r\nX-Other: b\r\n"
                        + "Proxy-Authorization: Basic YTpi\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\n"
                        + "Upgrade: websocket\r\nKeep-Alive: 5\r\nCookie: c=d\r\nAuthorization: Basic ZTpm\r\n\r\n")
                let lines = try #require(server.seen.requests.first).head.split(separator: "\r\n").dropFirst()
                #expect(
                    lines.sorted() == ["Authorization: Basic ZTpm", "Cookie: c=d", "Host: server.test", "X-Other: b"])
            }
        }
    }

    @Test("Content reaches the server with its length, or in chunks where it has none")
    func content() async throws {
        try await Self.server(Answers { TestHTTPServer.response($0.content) }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                let post = "POST / HTTP/1.1\r\nHost: server.test\r\n"
                let text =
                    post + "Content-Length: 5\r\n\r\nhello" + post
                    + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nwo\r\n3\r\nrld\r\n0\r\nA: b\r\n\r\n"
                try await stream.write(ByteBuffer(string: text))
                let answers = try await ProxyScene.rest { try await stream.read() }
                #expect(answers.contains("\r\n\r\nhelloHTTP/1.1 200 OK"))
                #expect(server.seen.requests.map { $0.value("Content-Length") } == ["5", nil])
                #expect(server.seen.requests.map { $0.value("Transfer-Encoding") } == [nil, "chunked"])
                #expect(server.seen.requests.last?.content.contains("wo") == true)
                let sizes = try await scene.log.requests(2).map(\.requestSize)
                #expect(sizes == [5, 5])
            }
        }
    }

    @Test("A client that waits for consent is told to go on once the server is trusted")
    func consent() async throws {
        try await Self.server(Answers { TestHTTPServer.response($0.content) }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                let head = "PUT / HTTP/1.1\r\nHost: server.test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
                try await stream.write(ByteBuffer(string: head))
                let consent = try await stream.read()
                #expect(consent.map { String(buffer: $0) } == "HTTP/1.1 100 Continue\r\n\r\n")
                try await stream.write(ByteBuffer(string: "hello"))
                let answer = try await stream.read()
                #expect(answer.map { String(buffer: $0) }?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
                await stream.close()
            }
        }
    }

    /// What a server sends, and what the client of the proxy gets.
    private static let responses: [(method: String, sent: String, received: String)] = [
        ("GET", "200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        (
            "GET",
            "200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\nHost: c\r\n"
                // Another way to the server, and the proxy's own word.
                + "Alt-Svc: h3=\":1\"\r\nProxy-Status: servertrust; error=x\r\n\r\n",
            "200 OK\r\nTrailer: A\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n"
        ),
        (
            "GET", "200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        ("HEAD", "200 OK\r\nContent-Length: 5\r\n\r\n", "200 OK\r\nContent-Length: 5\r\n\r\n"),
        ("GET", "204 No Content\r\nA: b\r\n\r\n", "204 No Content\r\nA: b\r\n\r\n"),
        (
            "GET", "304 Not Modified\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\n",
            "304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\n"
        ),
        (
            "GET", "302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
            "302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"
        ),
        (
            "GET",
            "401 X\r\nWWW-Authenticate: Basic\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 0\r\n\r\n",
            "401 X\r\nWWW-Authenticate: Basic\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 0\r\n\r\n"
        ),
        (
            "GET",
            "204 X\r\nAlt-Svc: h3=\":443\"\r\nProxy-Status: servertrust; error=x\r\nProxy-Status: cache; hit\r\n\r\n",
            "204 X\r\nProxy-Status: cache; hit\r\n\r\n"
        ),
        (
            "GET", "200 OK\r\nContent-Encoding: gzip\r\nConnection: X\r\nX: a\r\nContent-Length: 3\r\n\r\nabc",
            "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"
        ),
        (
            "GET", "103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            "103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        ),
    ]

    @Test("A response passes unchanged but for its framing", arguments: Self.responses)
    func response(method: String, sent: String, received: String) async throws {
        try await Self.server(Answers { _ in .send("HTTP/1.1 " + sent) }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let request = "\(method) / HTTP/1.1\r\nHost: server.test\r\nConnection: close\r\n\r\n"
                let answer = try await scene.answer(inTunnel: request)
                let expected = received.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
                // The close is said in the last head.
                let isEarly = received.hasPrefix("103")
                let closed =
                    isEarly
                    ? received.replacing("1\r\n\r\na", with: "1\r\nConnection: close\r\n\r\na")
                    : "\(expected[0])\r\nConnection: close\r\n\r\n\(expected[1])"
                #expect(answer == "HTTP/1.1 " + closed)
                #expect(server.seen.requests.count == 1, "no redirect is followed, and no challenge answered")
            }
        }
    }

    @Test("Plain requests pass where the rules allow them, and only there")
    func plain() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("plain") }) { server in
            let request = "GET http://server.test/a HTTP/1.1\r\nHost: server.test\r\nConnection: close\r\n\r\n"
            try await ProxyScene.with(server: server.port) { scene in
                let answer = try await scene.answer(to: request)
                #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains("code: insecure-load"), "\(answer)")
                let request = try await scene.log.requests(1).first
                #expect(answer.contains("(-1022)") && request?.verdict == .refused)
            }
            #expect(server.seen.connections == 0)
            var dictionary = ATSDictionary()
            dictionary.allowsArbitraryLoads = true
            let policy = TransportSecurity.appTransportSecurity(ATSPolicy(dictionary))
            try await ProxyScene.with(server: server.port) {
                $0.trust.transportSecurity = policy
            } _: { scene in
                let answer = try await scene.answer(to: request)
                #expect(answer.hasSuffix("\r\n\r\nplain"))
                #expect(server.seen.lines == ["GET /a HTTP/1.1"])
            }
        }
    }

    @Test("A large response passes in bounded memory, as fast as the client reads")
    func large() async throws {
        let size = 32 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        let octets = Array(head.utf8) + [UInt8](repeating: 0x61, count: size)
        try await Self.server(Answers { _ in .sendOctets(octets) }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let (_, content) = try await scene.session().bytes(for: HTTPSessionRequest("https://server.test/"))
                var count = 0
                while let octets = try await content.next() { count += octets.readableBytes }
                #expect(count == size)
            }
        }
    }

    @Test("Large content is sent as the server takes it")
    func largeUpload() async throws {
        let size = 3 << 20
        try await Self.server(Answers { TestHTTPServer.response("\($0.content.utf8.count)") }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                var request = try HTTPSessionRequest("https://server.test/", method: .put)
                request.body = .octets(ByteBuffer(repeating: 0x61, count: size))
                let (_, content) = try await scene.session().data(for: request)
                #expect(String(buffer: content) == "\(size)")
            }
        }
    }

    @Test(
        "An answer before the end of the content reaches a client that is still sending", arguments: [1_000, 3 << 20])
    func early(sentBefore: Int) async throws {
        let answer = "HTTP/1.1 413 X\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        try await RawTLSServer.with(
            answering: { $0.hasPrefix("POST") ? answer : nil },
            { server in
                try await ProxyScene.with(server: server.port) { scene in
                    let stream = try await scene.tunnel()
                    let size = 8 << 20
                    try await stream.write(
                        ByteBuffer(string: "POST / HTTP/1.1\r\nHost: server.test\r\nContent-Length: \(size)\r\n\r\n"))
                    async let rest = ProxyScene.rest { try await stream.read() }
                    try await stream.write(ByteBuffer(repeating: 0x61, count: sentBefore))
                    let text = try await rest
                    #expect(text.hasPrefix("HTTP/1.1 413 X\r\n") && text.hasSuffix("\r\n\r\nno"), "\(text)")
                    #expect(text.contains("Connection: close\r\n"))
                    await stream.close()
                }
            })
    }
}
