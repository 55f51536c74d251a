//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and what passes over HTTP/2", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2DeliveryTests {
    private static func scene<R>(
        _ answers: Answers = Answers { TestHTTPServer.response($0.content) },
        _ change: (inout InterceptingProxyConfiguration) throws -> Void = { _ in },
        _ body: (ProxyScene, TestHTTPServer) async throws -> R
    ) async throws -> R {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), answers) { server in
            try await ProxyScene.with(server: server.port, change) { scene in try await body(scene, server) }
        }
    }

    @Test("A response that is cut is cut for the client, whatever its framing", arguments: [true, false])
    func cut(hasLength: Bool) async throws {
        let text =
            hasLength
            ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
            : "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        try await Self.scene(Answers { _ in .sendAndClose(text) }) { scene, _ in
            let client = try await HTTP2FrameClient(scene)
            try await client.get(on: 1)
            let response = try await client.response(on: 1)
            #expect(response.reset == 2 && !response.isComplete && response.status == "200", "\(response)")
            let noted = try #require(try await scene.log.requests(1).first)
            #expect(!noted.isComplete && noted.verdict == .trusted && noted.status == 200)
            #expect(noted.reason?.contains("response") == true && noted.appleCode == -1005, "\(noted)")
            #expect(client.goodbye == nil)
            await client.stream.close()
        }
    }

    @Test(
        "A client that gives a request up, or goes away, takes the request to the server along",
        arguments: [true, false])
    func cancelled(byReset: Bool) async throws {
        try await RawTLSServer.with { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.send([
                    .headers(HTTP2FrameClient.fields("POST"), on: 1), .data("a", on: 1, ends: false),
                ])
                try await server.waitForConnection()
                if byReset { try await client.send([.reset(8, on: 1)]) } else { await client.stream.close() }
                #expect(try await server.hasNoConnection())
                #expect(try await scene.log.requests(1).first?.isComplete == false)
                if byReset { #expect(scene.proxy.connectionCount == 1) }
                await client.stream.close()
                for _ in 0..<3_000 where scene.proxy.connectionCount > 0 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                let problem = scene.log.connections.first?.problem
                #expect(byReset ? problem == nil : problem?.contains("went away") == true, "\(problem ?? "no problem")")
            }
        }
    }

    @Test("A thousand requests, of which clients give up many at any time, leave nothing behind")
    func randomCancellation() async throws {
        try await Self.scene(Answers { _ in TestHTTPServer.response(String(repeating: "a", count: 10_000)) }) {
            scene, server in
            let client = try await HTTP2FrameClient(scene)
            var generator = SystemRandomNumberGenerator()
            var cancelled = Set<UInt32>()
            for start in stride(from: 0, to: 1_000, by: 50) {
                let streams = (start..<start + 50).map { UInt32(2 * $0 + 1) }
                for stream in streams { try await client.get("/\(stream)", on: stream) }
                for stream in streams where Bool.random(using: &generator) {
                    let limit = Int.random(in: 0..<12_000, using: &generator)
                    try await client.read { client in
                        client.responses[stream]?.isOver == true
                            || (client.responses[stream]?.content.readableBytes ?? 0) >= limit || limit < 3_000
                    }
                    if client.responses[stream]?.isOver == true { continue }
                    cancelled.insert(stream)
                    try await client.send([.reset(8, on: stream)])
                }
                for stream in streams where !cancelled.contains(stream) {
                    let response = try await client.response(on: stream)
                    #expect(response.content.readableBytes == 10_000 && response.status == "200")
                }
            }
            #expect(!cancelled.isEmpty && client.goodbye == nil)
            let requests = try await scene.log.requests(1_000)
            #expect(requests.count == 1_000 && requests.allSatisfy { $0.version == .http2 })
            await client.stream.close()
            for _ in 0..<3_000 where scene.proxy.connectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(scene.proxy.connectionCount == 0 && scene.log.connections.first?.requestCount == 1_000)
        }
    }

    @Test("A client that reads nothing of a stream stops its server, and neither memory nor other streams")
    func slowReader() async throws {
        let size = 64 << 20
        let large =
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8) + [UInt8](repeating: 0, count: size)
        let answers = Answers { $0.target == "/large" ? .sendOctets(large) : TestHTTPServer.response("small") }
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), answers) { server in
            try await RecordRelay.with(server.port) { relay in
                try await ProxyScene.with(server: relay.port) { scene in
                    let client = try await HTTP2FrameClient(scene)
                    // The connection's window is large enough for others.
                    try await client.send([.window(1 << 20)])
                    client.opensWindows = false
                    try await client.get("/large", on: 1)
                    try await client.read { ($0.responses[1]?.content.readableBytes ?? 0) >= 65_535 }
                    // For longer than all of it would take.
                    for stream: UInt32 in (1...400).map({ 2 * $0 + 1 }) {
                        try await client.get("/small", on: stream)
                        #expect(try await client.response(on: stream).text == "small")
                    }
                    let passed = relay.fromServer.records.reduce(0) { $0 + $1.length }
                    #expect(passed < size / 2, "\(passed)")
                    #expect(client.responses[1]?.content.readableBytes == 65_535)
                    await client.stream.close()
                }
            }
        }
    }

    @Test("A client that takes nothing of a response for too long is given up")
    func stalledReader() async throws {
        let large = "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + String(repeating: "a", count: 200_000)
        try await Self.scene(Answers { _ in .send(large) }) {
            $0.limits.idleTime = .seconds(3)
        } _: { scene, _ in
            let client = try await HTTP2FrameClient(scene, settings: [(4, 0)])
            client.opensWindows = false
            try await client.get(on: 1)
            let response = try await client.response(on: 1)
            #expect(response.reset != nil && !response.isComplete)
            #expect(try await scene.log.requests(1).first?.isComplete == false)
            await client.stream.close()
        }
    }

    @Test("A server that reads nothing stops the client's upload, and no other stream")
    func slowServer() async throws {
        // It reads as its channel does, but has no window: the proxy is a client of HTTP/2 there.
        let script: HTTP2FrameServer.Script = { received in
            guard received.isRequest, received.requests > 0 else { return .nothing }
            return .frames(.response(on: received.stream))
        }
        try await HTTP2FrameServer.with(try ProxyScene.chain(), script) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.send([.headers(HTTP2FrameClient.fields("POST"), on: 1)])
                let piece = TestFrame(type: 0, stream: 1, payload: [UInt8](repeating: 1, count: 16_000))
                // The first request is the one that is not answered.
                while server.seen.requests == 0 { try await Task.sleep(for: .milliseconds(10)) }
                var pieces = 0
                for stream: UInt32 in (1...50).map({ 2 * $0 + 1 }) {
                    // As much as the proxy lets a client send (RFC 9113 §6.9.2).
                    while min(client.windows[0] ?? 0, client.windows[1] ?? 0) + 65_535 >= (pieces + 1) * 16_000 {
                        try await client.send([piece])
                        pieces += 1
                    }
                    try await client.get(on: stream)
                    #expect(try await client.response(on: stream).text == "hello")
                }
                let sent = server.seen.frames.filter { $0.frame.type == 0 }.reduce(0) { $0 + $1.frame.payload.count }
                #expect(pieces >= 4 && pieces < 64 && sent > 0 && sent <= 65_535, "\(pieces), \(sent)")
                await client.stream.close()
            }
        }
    }

    @Test("Large content passes in both directions, as fast as it is taken")
    func large() async throws {
        let size = 8 << 20
        try await Self.scene(Answers { TestHTTPServer.response("\($0.content.utf8.count)") }) { scene, _ in
            var request = try HTTPSessionRequest("https://server.test/", method: .put)
            request.body = .octets(ByteBuffer(repeating: 0x61, count: size))
            let (response, content) = try await scene.session().data(for: request)
            #expect(response.connection.gated.applicationProtocol == "h2" && String(buffer: content) == "\(size)")
            #expect(try await scene.log.requests(1).first?.requestSize == size)
        }
        let octets = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: size)
        let text = String(decoding: octets, as: UTF8.self)
        try await Self.scene(Answers { _ in .sendAndClose(text) }) { scene, _ in
            let (_, content) = try await scene.session().data(from: "https://server.test/")
            #expect(content.readableBytes == size)
        }
    }

    @Test("Content without a length reaches the server in chunks, and with one as it is")
    func content() async throws {
        try await Self.scene { scene, server in
            let client = try await HTTP2FrameClient(scene)
            let length = [("content-length", "5")]
            try await client.send([
                .headers(HTTP2FrameClient.fields("POST", "/", length), on: 1), .data("he", on: 1, ends: false),
                .data("llo", on: 1),
            ])
            #expect(try await client.response(on: 1).text == "hello")
            try await client.send([
                .headers(HTTP2FrameClient.fields("POST"), on: 3), .data("wor", on: 3, ends: false),
                .data("ld", on: 3, ends: false), .headers([("a", "b")], on: 3, ends: true),
            ])
            #expect(try await client.response(on: 3).text.contains("wor"))
            #expect(server.seen.requests.map { $0.value("Content-Length") } == ["5", nil])
            #expect(server.seen.requests.map { $0.value("Transfer-Encoding") } == [nil, "chunked"])
            #expect(server.seen.requests.map(\.trailers) == ["", "a: b"])
            await client.stream.close()
        }
    }

    @Test("A response before the end of the content reaches the client, which need not send the rest")
    func early() async throws {
        let answer = "HTTP/1.1 413 X\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        try await RawTLSServer.with(
            answering: { $0.hasPrefix("POST") ? answer : nil },
            { server in
                try await ProxyScene.with(server: server.port) { scene in
                    let client = try await HTTP2FrameClient(scene)
                    let length = [("content-length", "\(8 << 20)")]
                    try await client.send([
                        .headers(HTTP2FrameClient.fields("POST", "/", length), on: 1), .data("a", on: 1, ends: false),
                    ])
                    let response = try await client.response(on: 1)
                    #expect(response.status == "413" && response.text == "no" && response.isComplete)
                    try await client.read { $0.responses[1]?.reset != nil || $0.goodbye != nil }
                    #expect(client.responses[1]?.reset == 0, "NO_ERROR: the rest is not needed (RFC 9113 §8.1)")
                    #expect(try await server.hasNoConnection())
                    await client.stream.close()
                }
            })
    }

    @Test("Statuses before the response pass, and consent comes once the server is trusted")
    func informational() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        try await Self.scene(Answers { $0.line.hasPrefix("PUT") ? TestHTTPServer.response($0.content) : .send(hints) })
        {
            scene, _ in
            let client = try await HTTP2FrameClient(scene)
            try await client.get(on: 1)
            let response = try await client.response(on: 1)
            #expect(response.early == ["103"] && response.text == "a" && response.status == "200")
            let fields = [("expect", "100-continue"), ("content-length", "5")]
            try await client.send([.headers(HTTP2FrameClient.fields("PUT", "/", fields), on: 3)])
            try await client.read { $0.responses[3]?.early == ["100"] || $0.goodbye != nil }
            try await client.send([.data("hello", on: 3)])
            #expect(try await client.response(on: 3).text == "hello")
            await client.stream.close()
        }
    }

    /// What a server sends, and the fields that the client gets.
    private static let responses: [(method: String, sent: String, fields: String, content: String)] = [
        ("GET", "200 OK\r\nContent-Length: 5\r\n\r\nhello", "content-length: 5", "hello"),
        ("GET", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "", "hello"),
        ("HEAD", "200 OK\r\nContent-Length: 5\r\n\r\n", "content-length: 5", ""),
        ("GET", "204 No Content\r\nA: b\r\n\r\n", "a: b", ""),
        ("GET", "304 Not Modified\r\nContent-Length: 5\r\n\r\n", "content-length: 5", ""),
        (
            "GET", "200 OK\r\nConnection: X, keep-alive\r\nX: a\r\nKeep-Alive: 5\r\nContent-Length: 0\r\n\r\n",
            "content-length: 0", ""
        ),
        (
            "GET", "200 OK\r\nAlt-Svc: h3=\":443\"\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 0\r\n\r\n",
            "set-cookie: a=b,set-cookie: c=d,content-length: 0", ""
        ),
        (
            "GET", "302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
            "location: http://127.0.0.1/,content-length: 0", ""
        ),
    ]

    @Test("A response of HTTP/1.1 becomes one of HTTP/2", arguments: Self.responses)
    func translated(method: String, sent: String, fields: String, content: String) async throws {
        try await Self.scene(Answers { _ in .send("HTTP/1.1 " + sent) }) { scene, _ in
            let client = try await HTTP2FrameClient(scene)
            try await client.send([.headers(HTTP2FrameClient.fields(method), on: 1, ends: true)])
            let response = try await client.response(on: 1)
            #expect(response.isComplete && response.status == String(sent.prefix(3)) && response.text == content)
            #expect(response.fields.map { "\($0.name): \($0.value)" }.joined(separator: ",") == fields)
            await client.stream.close()
        }
    }

    @Test("Trailers of a server of HTTP/2 reach the client, as gRPC needs them", arguments: [true, false])
    func trailers(withContent: Bool) async throws {
        let script: HTTP2FrameServer.Script = { received in
            guard received.endsRequest else { return .nothing }
            let head = TestFrame.headers(
                [(":status", "200"), ("content-type", "application/grpc")], on: received.stream)
            let trailers = TestFrame.headers(
                [("grpc-status", "5"), ("grpc-message", "no")], on: received.stream, ends: true)
            let content = TestFrame.data("\0\0\0\0\u{1}a", on: received.stream, ends: false)
            return .frames(withContent ? [head, content, trailers] : [head, trailers])
        }
        try await HTTP2FrameServer.with(try ProxyScene.chain(), script) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                let fields = [("te", "trailers"), ("content-type", "application/grpc")]
                try await client.send([
                    .headers(HTTP2FrameClient.fields("POST", "/a.B/C", fields), on: 1), .data("\0\0\0\0\0", on: 1),
                ])
                let response = try await client.response(on: 1)
                #expect(response.isComplete && response.status == "200")
                #expect(response.content.readableBytes == (withContent ? 6 : 0))
                #expect(response.trailers.map { "\($0.name)=\($0.value)" } == ["grpc-status=5", "grpc-message=no"])
                let head = try #require(server.seen.frames.first { $0.isRequest })
                #expect(!head.frame.payload.isEmpty)
                await client.stream.close()
            }
        }
    }

    @Test("A response that ends with its head ends with it for the client, as that of gRPC to a failed call must")
    func endsWithHead() async throws {
        let script: HTTP2FrameServer.Script = { received in
            guard received.endsRequest else { return .nothing }
            let fields = [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "5")]
            return .frames([.headers(fields, on: received.stream, ends: true)])
        }
        try await HTTP2FrameServer.with(try ProxyScene.chain(), script) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.send([.headers(HTTP2FrameClient.fields("POST"), on: 1), .data("a", on: 1)])
                let response = try await client.response(on: 1)
                #expect(response.isComplete && response.contentFrames == 0 && response.value("grpc-status") == "5")
                await client.stream.close()
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
                let answer = try await stream.read().map { String(buffer: $0) } ?? ""
                #expect(answer.contains("Transfer-Encoding: chunked\r\n"), "\(answer)")
                await stream.close()
            }
        }
    }

    @Test("Messages pass both ways while a stream is open, as with gRPC")
    func bothWays() async throws {
        let script: HTTP2FrameServer.Script = { received in
            guard received.frame.type <= 1 else { return .nothing }
            if received.isRequest { return .frames([.headers([(":status", "200")], on: received.stream)]) }
            var echo = received.frame
            echo.flags &= TestFrame.endStream
            return .frames([echo])
        }
        try await HTTP2FrameServer.with(try ProxyScene.chain(), script) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.send([.headers(HTTP2FrameClient.fields("POST"), on: 1)])
                for number in 1...20 {
                    try await client.send([.data("hello", on: 1, ends: number == 20)])
                    try await client.read { ($0.responses[1]?.content.readableBytes ?? 0) >= 5 * number }
                }
                #expect(try await client.response(on: 1).isComplete)
                await client.stream.close()
            }
        }
    }

    @Test("A client that sends nothing while it takes a response keeps its stream")
    func quietClient() async throws {
        let script: HTTP2FrameServer.Script = { received in
            guard received.frame.type <= 1 else { return .nothing }
            if received.endsRequest, received.isRequest { return .frames(.response(on: received.stream)) }
            guard received.isRequest else { return .frames([.data("late", on: received.stream)]) }
            return .frames([.headers([(":status", "200")], on: received.stream)])
        }
        try await HTTP2FrameServer.with(try ProxyScene.chain(), script) { server in
            try await ProxyScene.with(server: server.port) {
                $0.limits.idleTime = .seconds(3)
            } _: { scene in
                let client = try await HTTP2FrameClient(scene)
                // The connection to the server is there before the time of the stream begins.
                try await client.get(on: 1)
                _ = try await client.response(on: 1)
                try await client.send([.headers(HTTP2FrameClient.fields("POST"), on: 3)])
                try await client.read { $0.responses[3]?.status == "200" || $0.goodbye != nil }
                try await Task.sleep(for: .seconds(6))
                try await client.send([.data("a", on: 3)])
                #expect(try await client.response(on: 3).text == "late")
                await client.stream.close()
            }
        }
    }

    @Test("A proxy that stops says goodbye, lets requests under way end, and begins no more")
    func stopping() async throws {
        let script: HTTP2FrameServer.Script = { $0.endsRequest ? .frames(.response(on: $0.stream)) : .nothing }
        try await HTTP2FrameServer.with(try ProxyScene.chain(), script) { server in
            try await ProxyScene.with(server: server.port) {
                $0.limits.stopTime = .seconds(1_800)
            } _: { scene in
                let idle = try await HTTP2FrameClient(scene)
                try await idle.get(on: 1)
                _ = try await idle.response(on: 1)
                let client = try await HTTP2FrameClient(scene)
                try await client.send([.headers(HTTP2FrameClient.fields("POST"), on: 1)])
                for _ in 0..<3_000 where server.seen.requests < 2 { try await Task.sleep(for: .milliseconds(10)) }
                async let stopped: Void = scene.proxy.stop()
                try await client.read { $0.goodbye != nil }
                #expect(client.goodbye?.last == 1 && client.goodbye?.code == 0)
                try await client.get("/late", on: 3)
                try await client.send([.data("hello", on: 1)])
                #expect(try await client.response(on: 1).text == "hello")
                await client.readToEnd()
                await idle.readToEnd()
                await stopped
                #expect(idle.goodbye?.code == 0)
                #expect(client.responses[3] == nil && server.seen.requests == 2)
            }
        }
    }

    @Test("A proxy that stops waits for requests no longer than it is told to")
    func stoppingInTime() async throws {
        try await RawTLSServer.with { server in
            try await ProxyScene.with(server: server.port) {
                $0.limits.stopTime = .milliseconds(500)
            } _: { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.get(on: 1)
                try await server.waitForConnection()
                // The server never answers.
                await scene.proxy.stop()
                await client.readToEnd()
                #expect(client.responses[1]?.isComplete != true)
            }
        }
    }

    @Test("A hundred requests at once on one connection are answered")
    func manyAtOnce() async throws {
        try await Self.scene(Answers { TestHTTPServer.response($0.target) }) { scene, _ in
            let session = try scene.session()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let (_, content) = try await session.data(from: "https://server.test/\(number)")
                        return String(buffer: content) == "/\(number)"
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }
}
