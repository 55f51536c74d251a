//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("Tunnels and peers that vanish, or are slow", .limitedConcurrency, .timeLimit(.minutes(10)))
struct VanishingPeerTests {
    private static let hello13 = ScriptedServer.record(
        ScriptedServer.hello13(CipherSuite(rawValue: 0x1301), .x25519))

    /// Waits until the proxy has no connection of a client.
    private static func hasNoClient(_ scene: ProxyScene) async throws -> Bool {
        for _ in 0..<3_000 where scene.proxy.connectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
        return scene.proxy.connectionCount == 0
    }

    /// Where a client goes away.
    enum Point: String, CaseIterable {
        case withinConnect, afterConnect, afterOpening, withinHello, afterHello, afterAnswer, withinData

        /// Goes on to here.
        func reach(_ scene: ProxyScene) async throws -> PlainStream {
            guard self != .withinConnect, self != .afterConnect else {
                let plain = try await scene.connect()
                let head = "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n"
                try await plain.write(ByteBuffer(string: head + (self == .afterConnect ? "\r\n" : "")))
                return plain
            }
            let plain = try await PassedTunnelTests.open(scene)
            guard self != .afterOpening else { return plain }
            let hello = PassedTunnelTests.hello()
            try await plain.write(ByteBuffer(bytes: self == .withinHello ? Array(hello.prefix(9)) : hello))
            guard self == .afterAnswer || self == .withinData else { return plain }
            _ = try await plain.read()
            if self == .withinData { try await plain.write(ByteBuffer(bytes: [23, 3, 3, 0x40, 0, 1])) }
            return plain
        }
    }

    @Test("A client that vanishes leaves no connection on either side", arguments: Point.allCases)
    func clients(point: Point) async throws {
        let answers = point == .afterAnswer || point == .withinData
        try await SecondConnectionServer.with(answers ? .send(Self.hello13) : .silence) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                await (try point.reach(scene)).close()
                #expect(try await Self.hasNoClient(scene))
                #expect(try await server.hasNoConnection())
            }
        }
    }

    @Test("A client that vanishes while the server is judged ends the attempt")
    func judging() async throws {
        try await RawServer.with(.silent) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await Point.afterConnect.reach(scene)
                #expect(try await server.isConnected())
                await plain.close()
                #expect(try await Self.hasNoClient(scene))
                #expect(try await server.isIdle())
            }
        }
    }

    static let endings: [SecondConnectionServer.Behavior] = [
        .closeAtOnce, .reset, .sendAndClose(Array(Self.hello13.prefix(9))), .sendAndClose(Self.hello13),
    ]

    @Test("A server that vanishes ends the tunnel", arguments: Self.endings)
    func servers(behavior: SecondConnectionServer.Behavior) async throws {
        try await SecondConnectionServer.with(behavior) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await PassedTunnelTests.greet(scene)
                let isWhole = if case .sendAndClose(Self.hello13) = behavior { true } else { false }
                #expect(await PassedTunnelTests.rest(plain) == (isWhole ? Self.hello13 : []))
                await plain.close()
                #expect(try await Self.hasNoClient(scene))
                let request = try #require(try await scene.log.requests(1).first)
                #expect((request.verdict == .trusted) == isWhole)
                #expect(isWhole || request.reason != nil)
            }
        }
    }

    @Test("A client that does not read stops the server, and is closed in the end")
    func slowClient() async throws {
        try await SecondConnectionServer.with(.endless(Self.hello13)) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
                $0.limits.idleTime = .seconds(5)
            } _: { scene in
                let plain = try await PassedTunnelTests.greet(scene)
                #expect(try await Self.hasNoClient(scene))
                #expect(try await server.hasNoConnection())
                // What the operating system holds for four sockets.
                #expect(server.sent < 64 << 20)
                withExtendedLifetime(plain) {}
            }
        }
    }

    @Test("A server that does not read stops the client, and is closed in the end")
    func slowServer() async throws {
        try await SecondConnectionServer.with(.stop(Self.hello13)) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
                $0.limits.idleTime = .seconds(5)
            } _: { scene in
                let plain = try await PassedTunnelTests.greet(scene)
                _ = try await plain.read()
                var sent = 0
                let piece = ByteBuffer(repeating: 23, count: 1 << 20)
                while sent < 256 << 20, (try? await plain.write(piece)) != nil { sent += piece.readableBytes }
                #expect(sent < 256 << 20)
                #expect(try await Self.hasNoClient(scene))
            }
        }
    }

    @Test("A tunnel through which nothing passes ends, and one that the proxy stops")
    func silence() async throws {
        for time in [Duration.seconds(4), .seconds(3_600)] {
            try await SecondConnectionServer.with(.send(Self.hello13)) { server in
                try await ProxyScene.with(server: server.port) {
                    $0.tunnels = .passed
                    $0.limits.upgradedIdleTime = time
                    $0.limits.stopTime = .milliseconds(100)
                } _: { scene in
                    let plain = try await PassedTunnelTests.greet(scene)
                    _ = try await plain.read()
                    if time > .seconds(60) { await scene.proxy.stop() }
                    #expect(await PassedTunnelTests.rest(plain).isEmpty)
                    #expect(try await Self.hasNoClient(scene))
                }
                #expect(try await server.hasNoConnection())
            }
        }
    }

    @Test("A tunnel that the client ends is complete")
    func clientEnd() async throws {
        try await SecondConnectionServer.with(.send(Self.hello13)) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
                $0.limits.idleTime = .seconds(20)
            } _: { scene in
                let plain = try await PassedTunnelTests.greet(scene)
                _ = try await plain.read()
                await plain.close()
                #expect(try await Self.hasNoClient(scene))
                #expect(try await scene.log.requests(1).first?.isComplete == true)
            }
        }
    }

    @Test("Clients of a server that says nothing wait for a time that is bounded, as many as the limit says")
    func silentServer() async throws {
        try await RawServer.with(.silent) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
                $0.timeouts.connect = .milliseconds(500)
                $0.limits.connections = 20
            } _: { scene in
                let statuses = try await withThrowingTaskGroup(of: String.self) { group in
                    // Fewer than the system keeps for a busy listener: it drops what comes beyond, which is tried again in seconds.
                    for _ in 0..<200 {
                        group.addTask {
                            let head = "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n\r\n"
                            return String(try await scene.answer(to: head).prefix(12))
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(statuses == ["HTTP/1.1 503", "HTTP/1.1 504"])
                #expect(try await Self.hasNoClient(scene))
                #expect(try await server.isIdle())
            }
        }
    }

    @Test("Ten thousand tunnels to a server that is not there leave nothing behind")
    func deadServer() async throws {
        let port = try await TestHTTPServer.with(Answers { _ in .reset }) { $0.port }
        try await ProxyScene.with(server: port) {
            $0.tunnels = .passed
        } _: { scene in
            let statuses = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        var statuses: [String] = []
                        for _ in 0..<100 {
                            let head = "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n\r\n"
                            statuses.append(String(try await scene.answer(to: head).prefix(12)))
                        }
                        return statuses
                    }
                }
                return try await group.reduce(into: [:] as [String: Int]) { counts, statuses in
                    for status in statuses { counts[status, default: 0] += 1 }
                }
            }
            #expect(statuses == ["HTTP/1.1 502": 10_000])
            #expect(try await Self.hasNoClient(scene))
        }
    }
}
