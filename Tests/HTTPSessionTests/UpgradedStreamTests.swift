//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Crypto
import Foundation
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@Suite("Streams of other protocols", .limitedConcurrency, .timeLimit(.minutes(10)))
struct UpgradedStreamTests {
    private static func proof(_ request: TestHTTPServer.Request) -> String {
        let key = request.value("Sec-WebSocket-Key") ?? ""
        let hash = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(hash).base64EncodedString()
    }

    private static func agreement(_ fields: [String]) -> TestHTTPServer.Answer {
        .send("HTTP/1.1 101 Switching Protocols\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\nfirst")
    }

    private static func text(_ stream: HTTPUpgradedStream, _ count: Int) async throws -> String {
        var text = ""
        while text.utf8.count < count, let octets = try await stream.received.next() { text += String(buffer: octets) }
        return text
    }

    // MARK: HTTP/1.1

    @Test(
        "A server that does not agree, does not prove that it knows WebSocket, or chooses what was not asked for, is refused",
        arguments: [
            "no key", "another key", "two proofs", "no upgrade", "another protocol", "no connection", "subprotocol",
            "200",
            "404",
        ])
    func disagreement(name: String) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                let proof = "Sec-WebSocket-Accept: \(Self.proof(request))"
                let (upgrade, connection) = ("Upgrade: websocket", "Connection: Upgrade")
                return switch name {
                case "no key": Self.agreement([upgrade, connection])
                case "another key": Self.agreement([upgrade, connection, "Sec-WebSocket-Accept: AAAA"])
                case "two proofs": Self.agreement([upgrade, connection, proof, "Sec-WebSocket-Accept: AAAA"])
                case "no upgrade": Self.agreement([connection, proof])
                case "another protocol": Self.agreement(["Upgrade: h2c", connection, proof])
                case "no connection": Self.agreement([upgrade, proof])
                case "subprotocol": Self.agreement([upgrade, connection, proof, "Sec-WebSocket-Protocol: chat"])
                default: TestHTTPServer.response("x", name == "200" ? "200 OK" : "404 Not Found")
                }
            }
        ) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/chat")
            let session = SessionFixture.plain()
            let error = await #expect(throws: HTTPSessionError.self) {
                try await session.stream(of: "websocket", for: request)
            }
            #expect(error?.code == .badServerResponse)
            let end = ContinuousClock.now + .seconds(60)
            while server.seen.open > 0, .now < end { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.seen.open == 0)
        }
    }

    @Test("What comes with the agreement is read, and silence is no error")
    func silence() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                let fields = ["upgrade: WebSocket", "connection: keep-alive, upgrade", "Sec-WebSocket-Protocol: b"]
                return Self.agreement(fields + ["Sec-WebSocket-Accept: \(Self.proof(request))"])
            }
        ) { server in
            let session = SessionFixture.plain { $0.timeouts.idle = .seconds(2) }
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/chat")
            request.fields[.secWebSocketProtocol] = "a, b"
            let stream = try await session.stream(of: "websocket", for: request)
            #expect(try await Self.text(stream, 5) == "first")
            let more = Task { try await stream.received.next() }
            try await Task.sleep(for: .seconds(5))
            #expect(server.seen.open == 1)
            await stream.close()
            let result = await more.result
            #expect(throws: HTTPSessionError.self) { try result.get() }
            let asked = try #require(server.seen.requests.first)
            #expect(asked.value("Upgrade") == "websocket" && asked.value("Connection") == "Upgrade")
            #expect(asked.value("Sec-WebSocket-Version") == "13")
            #expect(Data(base64Encoded: asked.value("Sec-WebSocket-Key") ?? "")?.count == 16)
        }
    }

    @Test(
        "Protocols that the gate would not see through, and requests with content, are refused before there is a connection",
        arguments: ["h2c", "HTTP/2.0", "TLS/1.0", "a b", "", "a, b"])
    func refusedNames(name: String) async throws {
        let request = try HTTPSessionRequest("http://127.0.0.1:1/")
        let error = await #expect(throws: HTTPSessionError.self) {
            try await SessionFixture.plain().stream(of: name, for: request)
        }
        #expect(error?.kind.isRequestBody == true)
        var post = request
        post.method = .post
        let content = post
        await #expect(throws: HTTPSessionError.self) {
            try await SessionFixture.plain().stream(of: "websocket", for: content)
        }
    }

    @Test("A server that is not trusted is not asked")
    func untrusted() async throws {
        try await TestHTTPServer.with(tls: try SessionFixture.chain.get(), Answers { _ in .silence }) { server in
            let session = HTTPSession(try SessionFixture.configuration(server.port, anchors: TrustAnchors.none))
            let request = try HTTPSessionRequest("https://server.test/chat")
            let error = await #expect(throws: HTTPSessionError.self) {
                try await session.stream(of: "websocket", for: request)
            }
            guard case .refused? = error?.kind else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.seen.requests.isEmpty)
        }
    }

    // MARK: HTTP/2

    private static let echo: HTTP2FrameServer.Script = { frame in
        switch frame.frame.type {
        case 1 where frame.requests == 1 || frame.endsRequest: .frames(.response(on: frame.stream))
        case 1:
            .frames([.headers([(":status", "200")], on: frame.stream), .data("first", on: frame.stream, ends: false)])
        case 0 where frame.frame.flags & TestFrame.endStream != 0: .frames([.data("", on: frame.stream)])
        case 0:
            .frames([
                TestFrame(type: 0, stream: frame.stream, payload: frame.frame.payload),
                .window(UInt32(max(1, frame.frame.payload.count))),
                .window(UInt32(max(1, frame.frame.payload.count)), on: frame.stream),
            ])
        default: .nothing
        }
    }

    @Test("Over HTTP/2 octets pass both ways on a stream beside others")
    func overHTTP2() async throws {
        try await HTTP2FrameServer.with(settings: [.settings([(8, 1)])], Self.echo) { server in
            let session = try HTTP2SessionTests.session(server)
            let stream = try await session.stream(of: "websocket", for: HTTPSessionRequest("https://server.test/chat"))
            #expect(stream.response.status == 200)
            #expect(try await Self.text(stream, 5) == "first")
            #expect(try await session.text("https://server.test/") == "hello")
            let sent = String(repeating: "0123456789", count: 20_000)
            let sender = Task {
                for start in stride(from: 0, to: sent.utf8.count, by: 10_000) {
                    try await stream.write(ByteBuffer(string: String(sent.dropFirst(start).prefix(10_000))))
                }
            }
            #expect(try await Self.text(stream, sent.utf8.count) == sent)
            try await sender.value
            await stream.close()
            await #expect(throws: HTTPSessionError.self) { try await stream.write(ByteBuffer(string: "x")) }
            #expect(try await session.text("https://server.test/") == "hello")
            #expect(server.seen.connections == 1)
        }
    }

    @Test("A server of HTTP/2 that refuses a stream says why, and the connection goes on")
    func refusedOverHTTP2() async throws {
        try await HTTP2FrameServer.with(settings: [.settings([(8, 1)])]) {
            $0.isRequest ? .frames(.response(status: $0.requests == 0 ? "403" : "200", on: $0.stream)) : .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            let request = try HTTPSessionRequest("https://server.test/chat")
            let error = await #expect(throws: HTTPSessionError.self) {
                try await session.stream(of: "websocket", for: request)
            }
            #expect(error?.reason.contains("403") == true)
            #expect(try await session.text("https://server.test/") == "hello")
            #expect(server.seen.connections == 1)
        }
    }

    @Test(
        "A server of HTTP/2 that does not offer other protocols is not asked for one over HTTP/2",
        arguments: [nil, 0] as [UInt32?])
    func notOffered(setting: UInt32?) async throws {
        let settings = TestFrame.settings(setting.map { [(UInt16(8), $0)] } ?? [])
        try await HTTP2FrameServer.with(settings: [settings], Self.echo) { server in
            let session = try HTTP2SessionTests.session(server)
            let request = try HTTPSessionRequest("https://server.test/chat")
            // The second connection offers HTTP/1.1 alone, which this server does not speak.
            await #expect(throws: HTTPSessionError.self) { try await session.stream(of: "websocket", for: request) }
            #expect(server.seen.frames.allSatisfy { !$0.isRequest || $0.connection > 0 })
            #expect(server.seen.connections == 2)
        }
    }
}

extension HTTPSessionError.Kind {
    fileprivate var isRequestBody: Bool { if case .requestBody = self { true } else { false } }
}
