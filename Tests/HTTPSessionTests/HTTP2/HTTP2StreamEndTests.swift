//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite("Streams of HTTP/2 that end early", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2StreamEndTests {
    private static func post(_ size: Int, isStreamed: Bool) throws -> HTTPSessionRequest {
        var request = try HTTPSessionRequest("https://server.test/")
        request.method = .post
        let octets = ByteBuffer(repeating: 7, count: size)
        request.body =
            isStreamed
            ? .stream(length: size, isReplayable: true) {
                AsyncThrowingStream { continuation in
                    continuation.yield(octets)
                    continuation.finish()
                }
            } : .octets(octets)
        return request
    }

    private static func resets(_ server: HTTP2FrameServer) -> Int { server.seen.frames.count { $0.frame.type == 3 } }

    @Test(
        "Content that the server has not taken at the end of its response is dropped with the stream",
        arguments: [false, true])
    func untakenContent(isStreamed: Bool) async throws {
        // No window is ever opened: of each request 64 KiB come at most.
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames([.window(1 << 20)] + .response(on: $0.stream)) : .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            let request = try Self.post(200_000, isStreamed: isStreamed)
            for _ in 0..<5 { #expect(try await session.text(request) == "hello") }
            let end = ContinuousClock.now + .seconds(30)
            while Self.resets(server) < 5, .now < end { try await Task.sleep(for: .milliseconds(5)) }
            #expect(Self.resets(server) == 5 && server.seen.connections == 1)
        }
    }

    @Test("A stream whose request was taken whole ends without a reset", arguments: [false, true])
    func takenContent(isStreamed: Bool) async throws {
        try await HTTP2FrameServer.with {
            $0.endsRequest ? .frames([.window(1 << 20)] + .response(on: $0.stream)) : .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            let request = try Self.post(20_000, isStreamed: isStreamed)
            for _ in 0..<5 { #expect(try await session.text(request) == "hello") }
            #expect(Self.resets(server) == 0 && server.seen.connections == 1)
        }
    }

    @Test("A request that was given up before the server had room for it is never sent")
    func givenUpBeforeSent() async throws {
        try await HTTP2FrameServer.with { frame in
            // Room comes with the first PING, long after the second request is over.
            if frame.frame.type == 6 { return .frames([.settings([(3, 10)])]) }
            guard frame.isRequest else { return .nothing }
            return .frames((frame.requests == 0 ? [.settings([(3, 0)])] : []) + .response(on: frame.stream))
        } _: { server in
            let session = try HTTP2SessionTests.session(server) { $0.timeouts.silence = .seconds(3) }
            #expect(try await session.text("https://server.test/") == "hello")
            var request = try Self.post(100, isStreamed: false)
            request.timeout = .milliseconds(800)
            let late = request
            await #expect(throws: HTTPSessionError.self) { try await session.data(for: late) }
            let end = ContinuousClock.now + .seconds(30)
            while !server.seen.has(6), .now < end { try await Task.sleep(for: .milliseconds(5)) }
            for _ in 0..<2 { #expect(try await session.text("https://server.test/") == "hello") }
            #expect(server.seen.requests == 3 && server.seen.connections == 1)
        }
    }

    @Test(
        "A request that waits for room goes over another connection after a goodbye",
        arguments: [1, 0x7FFF_FFFF] as [UInt32])
    func goodbyeBeforeSent(last: UInt32) async throws {
        try await HTTP2FrameServer.with { frame in
            if frame.frame.type == 6, frame.connection == 0 { return .frames([.goAway(last: last)]) }
            guard frame.endsRequest else { return .nothing }
            let room = frame.connection == 0 ? [TestFrame.settings([(3, 0)])] : []
            return .frames(room + .response(on: frame.stream))
        } _: { server in
            let session = try HTTP2SessionTests.session(server) { $0.timeouts.silence = .seconds(1) }
            #expect(try await session.text("https://server.test/") == "hello")
            // Nothing of it was sent: it may go again, whatever it is.
            #expect(try await session.text(Self.post(100, isStreamed: false)) == "hello")
            #expect(server.seen.requests == 2 && server.seen.connections == 2)
            let end = ContinuousClock.now + .seconds(30)
            while server.seen.openConnections > 1, .now < end { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.seen.openConnections == 1)
        }
    }
}
