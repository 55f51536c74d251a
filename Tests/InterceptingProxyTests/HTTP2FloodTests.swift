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

/// What a client sends again and again beside a request.
private let floods: [(name: String, frame: TestFrame)] = [
    ("PING", .ping), ("SETTINGS", .settings()), ("SETTINGS that answer nothing", .settingsAck),
    ("PRIORITY", .priority(on: 1)), ("WINDOW_UPDATE of the connection", .window(1)),
    ("WINDOW_UPDATE of the stream", .window(1, on: 1)), ("empty DATA", .data("", on: 1, ends: false)),
    ("GOAWAY", .goAway(last: 1)), ("frames of an unknown type", .init(type: 0xEE, stream: 1, payload: [1])),
    ("resets of other streams", .reset(8, on: 3)), ("RST_STREAM of no stream", .reset(8, on: 0)),
    ("SETTINGS that change windows", .settings([(4, 1), (4, 1 << 20)])),
]

/// Heads that are too large, in octets or in what they are decoded to, or never end.
private enum Bomb: String, CaseIterable, Sendable {
    case largeValue, namedAgain, manyPieces, endless

    var octets: [UInt8] {
        let head = TestFrame(type: 1, stream: 1, payload: [0x82, 0x87, 0x84])
        switch self {
        case .largeValue:
            // A literal of 400,000 octets (RFC 7541 §6.2.2), in frames that continue each other.
            let size: [UInt8] = [0, 1, 0x61, 127, 0x80 | 0x01, 0x80 | 0x34, 0x18]
            let pieces = (0..<25).map { _ in Self.continuation([UInt8](repeating: 0x61, count: 16_000)) }
            return [head, Self.continuation(size)].octets + pieces.octets
        case .namedAgain:
            // A value that is kept in the table (§6.2.1) and named 10,000 times by one octet each.
            let kept: [UInt8] = [0x40, 1, 0x61, 127, 0x80 | 0x3D, 0x1D] + [UInt8](repeating: 0x61, count: 3_900)
            let payload = head.payload + kept + [UInt8](repeating: 0xBE, count: 10_000)
            return TestFrame(type: 1, flags: 5, stream: 1, payload: payload).octets
        case .manyPieces:
            return head.octets + [[TestFrame]](repeating: [Self.continuation([])], count: 2_000).flatMap(\.octets)
        case .endless:
            let piece = Self.continuation([UInt8](repeating: 0x82, count: 16_000)).octets
            return head.octets + [[UInt8]](repeating: piece, count: 600).flatMap(\.self)
        }
    }

    private static func continuation(_ payload: [UInt8]) -> TestFrame {
        TestFrame(type: 9, stream: 1, payload: payload)
    }
}

/// Frames that are errors of HTTP/2 itself.
private let errors: [(name: String, frames: [TestFrame])] = [
    ("a stream of the server", [.headers(HTTP2FrameClient.fields(), on: 2, ends: true)]),
    (
        "a stream again",
        [.headers(HTTP2FrameClient.fields(), on: 3, ends: true), .headers(HTTP2FrameClient.fields(), on: 1)]
    ),
    ("content without a head", [.data("x", on: 5)]),
    ("content behind the end", [.headers(HTTP2FrameClient.fields(), on: 1, ends: true), .data("x", on: 1)]),
    ("a promise", [.push(on: 1)]), ("a window that does not grow", [.window(0)]),
    ("a window that is too large", [.window(0x7FFF_FFFF), .window(0x7FFF_FFFF)]),
    (
        "a stream's window that is too large",
        [
            .headers(HTTP2FrameClient.fields("POST"), on: 1), .window(0x7FFF_FFFF, on: 1), .window(0x7FFF_FFFF, on: 1),
        ]
    ),
    ("a stream that depends on itself", [.init(type: 2, stream: 1, payload: TestFrame.octets(1) + [16])]),
    ("settings of five octets", [.init(type: 4, payload: [0, 3, 0, 0, 1])]),
    ("a window of the settings that is too large", [.settings([(4, 0xFFFF_FFFF)])]),
    ("a frame that is too large", [.init(type: 0, stream: 1, payload: [UInt8](repeating: 0, count: 16_385))]),
    ("a head that is interrupted", [.init(type: 1, stream: 1, payload: [0x82]), .ping]),
    ("a field of a table that is not there", [.init(type: 1, flags: 5, stream: 1, payload: [0xFF, 0x80, 0x10])]),
    ("a continuation of nothing", [.init(type: 9, flags: 4, stream: 1, payload: [0x82])]),
]

@Suite("The proxy and clients of HTTP/2 that send too much", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2FloodTests {
    /// Runs a server that never answers, and a proxy.
    private static func silence<R>(
        _ change: (inout InterceptingProxyConfiguration) throws -> Void = { _ in },
        _ body: (ProxyScene, RawTLSServer) async throws -> R
    ) async throws -> R {
        try await RawTLSServer.with { server in
            try await ProxyScene.with(server: server.port, change) { scene in try await body(scene, server) }
        }
    }

    /// Waits until the proxy has let all clients and servers go.
    private static func isOver(_ scene: ProxyScene, _ server: RawTLSServer) async throws -> Bool {
        for _ in 0..<3_000 where scene.proxy.connectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
        return try await server.hasNoConnection() && scene.proxy.connectionCount == 0
    }

    @Test("A flood of any kind ends the connection and the request to the server", arguments: floods)
    func flood(name: String, frame: TestFrame) async throws {
        try await Self.silence { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try await client.send([.headers(HTTP2FrameClient.fields("POST"), on: 1)])
            try await server.waitForConnection()
            let octets = [[UInt8]](repeating: frame.octets, count: 20_000).flatMap(\.self)
            try? await client.send(octets)
            await client.readToEnd()
            #expect(try await Self.isOver(scene, server), "\(name)")
            let problem = scene.log.connections.first?.problem
            #expect(problem?.contains("HTTP/2") == true || name == "GOAWAY", "\(name): \(problem ?? "no problem")")
        }
    }

    @Test(
        "One read full of frames that break a rule is answered with one GOAWAY",
        arguments: [
            TestFrame.reset(8, on: 0), .reset(8, on: 9), .window(0), .push(on: 1), .data("x", on: 5), .ping,
            .settings(),
        ])
    func oneGoodbye(frame: TestFrame) async throws {
        try await Self.silence { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try await client.read { !$0.settings.isEmpty }
            try? await client.send([[UInt8]](repeating: frame.octets, count: 1_200).flatMap(\.self))
            await client.readToEnd()
            #expect(client.failures == 1)
            #expect(try await Self.isOver(scene, server))
        }
    }

    @Test("A head that is too large ends the connection before it is read whole", arguments: Bomb.allCases)
    private func bomb(_ bomb: Bomb) async throws {
        try await Self.silence { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try? await client.send(bomb.octets)
            await client.readToEnd()
            #expect(try await Self.isOver(scene, server), "\(bomb)")
            #expect(scene.log.requests.isEmpty)
        }
    }

    @Test("Frames that break the rules of HTTP/2 end the connection", arguments: errors)
    func errorsOfFrames(name: String, frames: [TestFrame]) async throws {
        try await Self.silence { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try? await client.send(frames)
            await client.readToEnd()
            #expect(client.goodbye != nil, "\(name)")
            #expect(try await Self.isOver(scene, server), "\(name)")
        }
    }

    @Test("Requests that are begun and given up at once end the connection, and few of them reach the server")
    func rapidReset() async throws {
        let answer = TestHTTPServer.response("x")
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in answer }) { server in
            try await ProxyScene.with(server: server.port) { scene in
                let client = try await HTTP2FrameClient(scene)
                for start in stride(from: 0, to: 20_000, by: 1_000) {
                    let frames = (start..<start + 1_000).flatMap { number -> [TestFrame] in
                        let stream = UInt32(2 * number + 1)
                        return [.headers(HTTP2FrameClient.fields(), on: stream, ends: true), .reset(8, on: stream)]
                    }
                    do { try await client.send(frames) } catch { break }
                }
                await client.readToEnd()
                for _ in 0..<3_000 where scene.proxy.connectionCount > 0 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(scene.proxy.connectionCount == 0)
                // A client that goes on sending may lose the GOAWAY frame that says so.
                #expect(scene.log.connections.first?.problem?.contains("too many requests") == true)
                #expect(scene.log.requests.count <= 2_000, "\(scene.log.requests.count)")
                #expect(server.seen.connections < 1_000, "\(server.seen.connections)")
            }
        }
    }

    @Test("Requests beyond those that run at once are refused, and end the connection when they are many")
    func refused() async throws {
        try await Self.silence { scene, server in
            let client = try await HTTP2FrameClient(scene)
            for start in stride(from: 0, to: 5_000, by: 50) where client.goodbye == nil {
                let streams = (start..<start + 50).map { UInt32(2 * $0 + 1) }
                do { for stream in streams { try await client.get(on: stream) } } catch { break }
                guard start >= 100 else { continue }
                try? await client.read { client in
                    client.goodbye != nil || streams.allSatisfy { client.responses[$0]?.reset == 7 }
                }
                if start < 1_000 { #expect(client.goodbye == nil) }
            }
            await client.readToEnd()
            #expect(try await Self.isOver(scene, server))
            let problem = scene.log.connections.first?.problem
            #expect(problem?.contains("too many requests beyond the 100") == true, "\(problem ?? "none")")
        }
    }

    @Test("Malformed requests, for which the proxy ends the streams, end the connection when they are many")
    func madeToReset() async throws {
        try await Self.silence { scene, server in
            let client = try await HTTP2FrameClient(scene)
            for start in stride(from: 0, to: 5_000, by: 50) where client.goodbye == nil {
                let streams = (start..<start + 50).map { UInt32(2 * $0 + 1) }
                let frames = streams.map { TestFrame.headers(HTTP2FrameClient.fields("GET", ""), on: $0, ends: true) }
                do { try await client.send(frames) } catch { break }
                try? await client.read { client in
                    client.goodbye != nil || streams.allSatisfy { client.responses[$0]?.reset != nil }
                }
            }
            await client.readToEnd()
            #expect(try await Self.isOver(scene, server))
            #expect(client.goodbye?.code == 11 && client.responses.count > 900, "\(client.responses.count)")
        }
    }

    @Test(
        "More requests at once than are taken are not begun, and can be sent again", arguments: [false, true])
    func tooMany(hasAgreed: Bool) async throws {
        try await Self.silence {
            $0.limits.requestsPerConnection = 10
        } _: { scene, server in
            let client = try await HTTP2FrameClient(scene)
            if hasAgreed { try await client.read { !$0.settings.isEmpty } }
            let frames = (0..<60).map {
                TestFrame.headers(HTTP2FrameClient.fields(), on: UInt32(2 * $0 + 1), ends: true)
            }
            try await client.send(frames)
            try await client.read { client in
                client.responses.values.count { $0.reset == 7 } >= 50 || client.goodbye != nil
            }
            #expect(client.settings[3] == 10 && client.goodbye == nil)
            #expect(client.responses.values.allSatisfy { $0.reset == 7 } && client.responses.count == 50)
            await client.stream.close()
            #expect(try await Self.isOver(scene, server))
        }
    }

    @Test("A connection without a request, or without a word, is let go")
    func idle() async throws {
        try await Self.silence { configuration in
            (configuration.limits.headTime, configuration.limits.idleTime) = (.seconds(8), .seconds(8))
        } _: { scene, server in
            let client = try await HTTP2FrameClient(scene)
            await client.readToEnd()
            #expect(client.goodbye?.code == 0)
            let silent = try await scene.tunnel(protocols: ["h2"])
            _ = try? await ProxyScene.rest { try await silent.read() }
            let half = try await scene.tunnel(protocols: ["h2"])
            let head = TestFrame(type: 1, stream: 1, payload: [0x82])
            try await half.write(
                ByteBuffer(bytes: HTTP2FrameClient.preface + TestFrame.settings().octets + head.octets))
            _ = try? await ProxyScene.rest { try await half.read() }
            #expect(try await Self.isOver(scene, server))
        }
    }

    @Test("Content that a client announces and does not send ends the request")
    func stalledUpload() async throws {
        try await Self.silence {
            $0.limits.idleTime = .seconds(2)
        } _: { scene, server in
            let client = try await HTTP2FrameClient(scene)
            try await client.send([.headers(HTTP2FrameClient.fields("POST"), on: 1)])
            let response = try await client.response(on: 1)
            #expect(response.reset != nil && response.status.isEmpty, "\(response)")
            #expect(try await server.hasNoConnection())
            await client.stream.close()
        }
    }
}
