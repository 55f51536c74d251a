//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import ServerTrustNIO
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("Tunnels and peers that vanish, or are slow", .limitedConcurrency, .timeLimit(.minutes(10)))
struct VanishingPeerTests {
    /// Waits until the proxy has no connection of a client.
    private static func hasNoClient(_ scene: ProxyScene) async throws -> Bool {
        for _ in 0..<3_000 where scene.proxy.connectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
        return scene.proxy.connectionCount == 0
    }

    /// What a client sends before it goes away.
    private static let beginnings: [(text: String, hello: [UInt8])] = [
        ("CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n", []),
        ("CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n\r\n", []),
        ("CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n\r\n", [22, 3, 1, 1, 0, 1, 0, 0, 0xFC]),
    ]

    @Test("A client that vanishes before its TLS is there leaves no connection", arguments: beginnings)
    func clients(text: String, hello: [UInt8]) async throws {
        try await ProxyScene.with(server: 1) { scene in
            let plain = try await scene.connect()
            try await plain.write(ByteBuffer(string: text))
            if text.hasSuffix("\r\n\r\n") {
                #expect(try await plain.readLine() == "HTTP/1.1 200 Connection established\r\n")
                #expect(try await plain.readLine() == "\r\n")
            }
            if !hello.isEmpty { try await plain.write(ByteBuffer(bytes: hello)) }
            for _ in 0..<3_000 where scene.proxy.connectionCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(scene.proxy.connectionCount == 1)
            await plain.close()
            #expect(try await Self.hasNoClient(scene))
        }
    }

    @Test("A client that vanishes while the server is judged ends the attempt")
    func judging() async throws {
        try await RawServer.with(.silent) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
                #expect(try await server.isConnected())
                await stream.close()
                #expect(try await Self.hasNoClient(scene))
                #expect(try await server.isIdle())
            }
        }
    }

    @Test("Clients of a server that says nothing wait for a time that is bounded, as many as the limit says")
    func silentServer() async throws {
        try await RawServer.with(.silent) { server in
            try await ProxyScene.with(server: server.port) {
                $0.dangerouslyAllowsPlainHTTP = true
                $0.timeouts.head = .milliseconds(500)
                $0.limits.connections = 20
            } _: { scene in
                let head = "GET http://server.test/ HTTP/1.1\r\nHost: server.test\r\nConnection: close\r\n\r\n"
                let statuses = try await withThrowingTaskGroup(of: String.self) { group in
                    // Fewer than the system keeps for a busy listener: it drops what comes beyond, which is tried again in seconds.
                    for _ in 0..<200 {
                        group.addTask { String(try await scene.answer(to: head).prefix(12)) }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(statuses == ["HTTP/1.1 503", "HTTP/1.1 504"])
                #expect(try await Self.hasNoClient(scene))
                #expect(try await server.isIdle())
            }
        }
    }
}
