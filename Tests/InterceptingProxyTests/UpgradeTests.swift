//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and other protocols", .limitedConcurrency, .timeLimit(.minutes(10)))
struct UpgradeTests {
    private static let head =
        "GET /chat HTTP/1.1\r\nHost: server.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    private static let agreement =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

    /// Agrees to WebSocket, speaks first, and then says everything twice.
    @Sendable private static func echo(_ text: String) -> String? {
        if text.hasPrefix("GET /chat") { return Self.agreement + "first" }
        return text == "end" ? "" : text + text
    }

    /// Says the same to everything.
    private static func always(_ text: String) -> @Sendable (String) -> String? { { _ in text } }

    private static func text(_ stream: SecureStream, until size: Int) async throws -> String {
        var text = ""
        while text.utf8.count < size, let octets = try await stream.read() { text += String(buffer: octets) }
        return text
    }

    @Test("Octets pass both ways once the server agrees, those that come with its answer too")
    func bothWays() async throws {
        try await RawTLSServer.with(answering: Self.echo) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: Self.head))
                let answer = Self.agreement + "first"
                #expect(try await Self.text(stream, until: answer.utf8.count) == answer)
                for text in ["hello", "\u{0}\u{1}GET / HTTP/1.1\r\n\r\n"] {
                    try await stream.write(ByteBuffer(string: text))
                    #expect(try await Self.text(stream, until: 2 * text.utf8.count) == text + text)
                }
                try await stream.write(ByteBuffer(string: "end"))
                #expect(try await stream.read() == nil)
                let request = try await scene.log.requests(1).first
                #expect(request?.status == 101 && request?.isComplete == true && request?.verdict == .trusted)
            }
        }
    }

    @Test("A client that goes away ends the connection to the server")
    func vanishing() async throws {
        try await RawTLSServer.with(answering: Self.echo) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: Self.head))
                _ = try await Self.text(stream, until: Self.agreement.utf8.count + 5)
                await stream.close()
                #expect(try await server.hasNoConnection())
            }
        }
    }

    @Test("A server that does not agree answers as to any request, and gets no octet of the other protocol")
    func declined() async throws {
        let answer = TestHTTPServer.response("no")
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in answer }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: Self.head))
                let first = try await Self.text(stream, until: 40)
                #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n") && first.hasSuffix("no"), "\(first)")
                try await stream.write(ByteBuffer(string: Self.head.replacing("/chat", with: "/second")))
                #expect(try await Self.text(stream, until: 40).hasSuffix("no"))
                #expect(server.seen.requests.map(\.target) == ["/chat", "/second"])
                #expect(server.seen.requests[0].value("Upgrade") == "websocket")
                await stream.close()
            }
        }
    }

    @Test(
        "A server that agrees to what was not asked for is at fault",
        arguments: ["", "Upgrade: other\r\n", "Upgrade: websocket, other\r\n"])
    func otherProtocol(fields: String) async throws {
        let answer = "HTTP/1.1 101 X\r\n\(fields)\r\n"
        try await RawTLSServer.with(answering: Self.always(answer)) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let text = try await scene.answer(inTunnel: Self.head)
                #expect(text.hasPrefix("HTTP/1.1 502 "), "\(text)")
            }
        }
    }

    @Test(
        "HTTP in another version and TLS are not asked for",
        arguments: ["h2c", "HTTP/2.0", "TLS/1.2", "websocket, h2c"])
    func notForwarded(name: String) async throws {
        let answer = TestHTTPServer.response("no")
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in answer }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: Self.head.replacing("websocket", with: name)))
                _ = try await Self.text(stream, until: 40)
                #expect(server.seen.requests.first?.value("Upgrade") == nil)
                #expect(server.seen.requests.first?.value("Connection") == nil)
                await stream.close()
            }
        }
    }

    @Test("A server that is refused is not asked for another protocol")
    func refused() async throws {
        let bad = try ProxyScene.chain { $0.dnsNames = ["wrong.test"] }
        try await TestHTTPServer.with(tls: bad, Answers { _ in .send(Self.agreement) }) { server in
            try await RecordRelay.with(server.port) { relay in
                try await ProxyScene.with(server: relay.port) { scene in
                    let stream = try await scene.tunnel()
                    try await stream.write(ByteBuffer(string: Self.head))
                    #expect(try await Self.text(stream, until: 20).hasPrefix("HTTP/1.1 403 "))
                    await stream.close()
                    #expect(relay.fromClients.hasOnlyHelloAndAlerts && server.seen.requests.isEmpty)
                }
            }
        }
    }

    @Test("Each event of a stream without an end reaches the client when the server sends it")
    func events() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        try await RawTLSServer.with(answering: Self.always(head + "data: a\n\n")) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
                var text = ""
                while !text.contains("data: a"), let octets = try await stream.read() { text += String(buffer: octets) }
                #expect(text.hasSuffix("9\r\ndata: a\n\n\r\n"), "\(text)")
                await stream.close()
                #expect(try await server.hasNoConnection())
            }
        }
    }

    @Test("A head reaches the client while its content is late", arguments: ["Content-Length: 5\r\n", ""])
    func lateContent(length: String) async throws {
        try await RawTLSServer.with(answering: Self.always("HTTP/1.1 200 OK\r\n\(length)\r\n")) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
                var text = ""
                while !text.contains("\r\n\r\n"), let octets = try await stream.read() {
                    text += String(buffer: octets)
                }
                #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n"), "\(text)")
                await stream.close()
                #expect(try await server.hasNoConnection())
            }
        }
    }
}
