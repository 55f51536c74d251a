//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import ServerTrustNIO
import Synchronization
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("WebSocket on a stream of HTTP/2", .limitedConcurrency, .timeLimit(.minutes(10)))
struct WebSocketStreamTests {
    private static let ask: [(String, String)] = [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/chat"),
        (":authority", "server.test"), ("sec-websocket-version", "13"), ("origin", "https://server.test"),
    ]

    /// Agrees as RFC 6455 has it, and then says everything twice.
    private static func echo(_ heads: Heads, accept: @escaping @Sendable (String) -> String)
        -> @Sendable (String) -> String?
    {
        { text in
            guard text.hasPrefix("GET /chat HTTP/1.1\r\n") else { return text == "end" ? "" : text + text }
            heads.add(text)
            let key = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key: ") }?
                .dropFirst(19)
            let proof = accept(key.map(String.init) ?? "")
            return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: \(proof)\r\nSec-WebSocket-Protocol: x\r\n\r\nfirst"
        }
    }

    private final class Heads: Sendable {
        private let texts = Mutex<[String]>([])
        func add(_ text: String) { self.texts.withLock { $0.append(text) } }
        var all: [String] { self.texts.withLock { $0 } }
    }

    @Test(
        "A server that does not prove the key, or refuses, gets no octet and the client no success",
        arguments: [true, false])
    func refused(isWrong: Bool) async throws {
        let heads = Heads()
        let wrong = Self.echo(heads) { _ in WebSocketKey("other").proof }
        let refusal = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
        let answer: @Sendable (String) -> String? = { isWrong ? wrong($0) : refusal }
        try await RawTLSServer.with(answering: answer) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.send([.headers(Self.ask, on: 1), .data("early", on: 1, ends: false)])
                let response = try await client.response(on: 1)
                #expect(response.status == (isWrong ? "502" : "404"))
                #expect(isWrong ? response.text.hasPrefix("The proxy: ") : response.text == "no")
                let request = try await scene.log.requests(1).first
                #expect(request?.status == (isWrong ? 502 : 404))
                #expect(client.goodbye == nil)
                await client.stream.close()
                #expect(try await server.hasNoConnection())
            }
        }
    }

    @Test("Octets pass both ways once the server agrees, beside other requests, until one side ends")
    func bothWays() async throws {
        let heads = Heads()
        let echo = Self.echo(heads) { WebSocketKey($0).proof }
        try await RawTLSServer.with(answering: echo) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                // A key of the client means nothing here, and is not the one that the server proves.
                let ask = Self.ask + [("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA==")]
                try await client.send([.headers(ask, on: 1)])
                try await client.read { $0.responses[1]?.text == "first" }
                #expect(client.settings[8] == 1)
                let response = try #require(client.responses[1])
                #expect(response.status == "200" && response.value("sec-websocket-protocol") == "x")
                for name in ["connection", "upgrade", "sec-websocket-accept"] { #expect(response.value(name) == nil) }
                try await client.send([.data("hello", on: 1, ends: false)])
                try await client.read { $0.responses[1]?.text == "firsthellohello" }
                try await client.send([.data("end", on: 1, ends: false)])
                #expect(try await client.response(on: 1).isComplete)
                let head = try #require(heads.all.first)
                #expect(heads.all.count == 1 && !head.contains("AAAAAAAAAAAAAAAAAAAAAA=="))
                #expect(head.contains("Upgrade: websocket\r\n") && !head.contains(":protocol"))
                let request = try await scene.log.requests(1).first
                #expect(request?.status == 200 && request?.isComplete == true && request?.requestSize == 8)
                await client.stream.close()
                #expect(try await server.hasNoConnection())
            }
        }
    }

    @Test("A client that ends or resets its stream ends the connection to the server", arguments: [true, false])
    func ended(byReset: Bool) async throws {
        let echo = Self.echo(Heads()) { WebSocketKey($0).proof }
        try await RawTLSServer.with(answering: echo) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                try await client.send([.headers(Self.ask, on: 1)])
                try await client.read { $0.responses[1]?.text == "first" }
                try await client.send([byReset ? .reset(8, on: 1) : .data("", on: 1, ends: true)])
                #expect(try await server.hasNoConnection())
                if !byReset { #expect(try await client.response(on: 1).isComplete) }
                await client.stream.close()
            }
        }
    }
}
