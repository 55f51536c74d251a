//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Connections of HTTP/2 over time", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2ConnectionTests {
    /// Answers the first of three requests, begins to answer the second, and is silent about the third.
    private static let moody: HTTP2FrameServer.Script = { frame in
        guard frame.isRequest else { return .nothing }
        switch frame.requests % 3 {
        case 0: return .frames(.response(on: frame.stream))
        case 1:
            return .frames([
                .headers([(":status", "200")], on: frame.stream), .data("a", on: frame.stream, ends: false),
            ])
        default: return .nothing
        }
    }

    @Test("A thousand requests that are cancelled at any time leave no stream behind, and the connection goes on")
    func cancelled() async throws {
        try await HTTP2FrameServer.with(Self.moody) { server in
            weak var pool: HTTPConnectionPool?
            do {
                let session = try HTTP2SessionTests.session(server) { $0.pool = HTTPConnectionPool(limits: .one) }
                pool = session.configuration.pool
                try await Self.cancelThousand(session, server)
                session.configuration.pool.closeIdleConnections()
            }
            for _ in 0..<6_000 where server.seen.openConnections > 0 || pool != nil {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(server.seen.openConnections == 0)
            #expect(pool == nil, "something still refers to the pool")
        }
    }

    private static func cancelThousand(_ session: HTTPSession, _ server: HTTP2FrameServer) async throws {
        _ = try await session.text("https://server.test/")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                if number >= 50 { try await group.next() }
                group.addTask {
                    let request = Task { try await session.text("https://server.test/\(number)") }
                    try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000)))
                    // Some are not given up before they, or others like them, have been sent.
                    while number % 4 == 0, server.seen.requests <= number / 8 {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    request.cancel()
                    _ = await request.result
                }
            }
            try await group.waitForAll()
        }
        // One after the other: leases that were left behind would have all of them wait, and not be sent.
        #expect(server.seen.connections == 1)
        for _ in 0..<120 {
            let seen = server.seen.requests
            let request = Task { try await session.bytes(for: HTTPSessionRequest("https://server.test/")).0.status }
            while server.seen.requests == seen { try await Task.sleep(for: .milliseconds(1)) }
            request.cancel()
            if case .success(let status) = await request.result { #expect(status == 200) }
        }
        let ends = server.seen.frames.filter { $0.frame.type == 3 }.count
        #expect(ends > 0 && server.seen.connections == 1)
    }

    @Test("A thousand streams that are cancelled at any point leave nothing behind on the connection")
    func cancelledStreams() throws {
        let channel = EmbeddedChannel()
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
        let handler = try channel.pipeline.syncOperations.addHTTP2Handlers(limits: Exchange.Limits())
        try channel.writeInbound(ByteBuffer(bytes: TestFrame.settings().octets))
        var (exchanges, sent) = ([Weak](), 0)
        for number in 0..<1_000 {
            let exchange = try #require(handler.openStream())
            exchanges.append(Weak(exchange))
            let head = try #require(RequestHead(.get, target: "/", fields: [.hostName: "server.test"]))
            exchange.send(ExchangeRequest(head, content: .none), channel.eventLoop.makePromise(of: ResponseParts.self))
            // One in five is given up before it is sent, and takes no identifier of a stream.
            if number % 5 != 0 {
                channel.embeddedEventLoop.run()
                let frames = Array(Self.response(on: UInt32(2 * sent + 1)).prefix(Int.random(in: 0...3)))
                try channel.writeInbound(ByteBuffer(bytes: frames.octets))
                sent += 1
            }
            exchange.transport?.abandon()
            channel.embeddedEventLoop.run()
            while try channel.readOutbound(as: ByteBuffer.self) != nil {}
        }
        #expect(channel.isActive && handler.failure == nil)
        #expect(handler.openStreams.isEmpty && exchanges.allSatisfy { $0.exchange == nil })
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    private static func response(on stream: UInt32) -> [TestFrame] {
        [
            .headers([(":status", "200")], on: stream), .data("abc", on: stream, ends: false),
            .data("d", on: stream, ends: true),
        ]
    }

    private struct Weak {
        weak var exchange: Exchange?

        init(_ exchange: Exchange) { self.exchange = exchange }
    }

    /// Content of streams that is sent as far as the client's windows let it.
    private final class WindowedContent: Sendable {
        static let size = 4 << 20
        private let sizes = Mutex<[UInt32: Int]>([:])

        func sent(on stream: UInt32) -> Int { self.sizes.withLock { $0[stream] ?? 0 } }

        func frames(window: Int, on stream: UInt32) -> [TestFrame] {
            self.sizes.withLock { sizes in
                var sent = sizes[stream] ?? 0
                var (left, frames) = (min(window, Self.size - sent), [TestFrame]())
                while left > 0 {
                    let count = min(left, 16_384)
                    (left, sent) = (left - count, sent + count)
                    frames.append(TestFrame(type: 0, stream: stream, payload: [UInt8](repeating: 1, count: count)))
                }
                if sent == Self.size, !frames.isEmpty { frames[frames.count - 1].flags = TestFrame.endStream }
                sizes[stream] = sent
                return frames
            }
        }
    }

    @Test("What is not read opens no window: the server waits")
    func backPressure() async throws {
        let content = WindowedContent()
        try await HTTP2FrameServer.with { frame in
            if frame.isRequest {
                let head = TestFrame.headers([(":status", "200")], on: frame.stream)
                return .frames([head] + content.frames(window: 512 << 10, on: frame.stream))
            }
            guard frame.frame.type == 8, frame.stream != 0 else { return .nothing }
            let window = frame.frame.payload.reduce(0) { $0 << 8 | Int($1) }
            return .frames(content.frames(window: window, on: frame.stream))
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            let (_, octets) = try await session.bytes(for: HTTPSessionRequest("https://server.test/"))
            // Another stream of the connection comes whole meanwhile.
            let (_, others) = try await session.bytes(for: HTTPSessionRequest("https://server.test/"))
            #expect(try await others.reduce(into: 0) { $0 += $1.readableBytes } == WindowedContent.size)
            #expect(content.sent(on: 3) == WindowedContent.size && server.seen.connections == 1)
            // A window, what is kept here, and what was handed over with the head: half of the content at most.
            #expect(content.sent(on: 1) >= 512 << 10 && content.sent(on: 1) <= 2 << 20)
            let size = try await octets.reduce(into: 0) { $0 += $1.readableBytes }
            #expect(size == WindowedContent.size)
        }
    }

    @Test("Content goes up as far as the server's window lets it, and to its end")
    func uploadWindow() async throws {
        let size = 300_000
        try await HTTP2FrameServer.with { frame in
            guard frame.frame.type == 0 else { return .nothing }
            if frame.endsRequest { return .frames(.response(on: frame.stream)) }
            let count = UInt32(frame.frame.payload.count)
            return count == 0 ? .nothing : .frames([.window(count), .window(count, on: frame.stream)])
        } _: { server in
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .octets(ByteBuffer(repeating: 7, count: size))
            #expect(try await HTTP2SessionTests.session(server).text(request) == "hello")
            let got = server.seen.frames.filter { $0.frame.type == 0 }.reduce(0) { $0 + $1.frame.payload.count }
            #expect(got == size)
        }
    }

    @Test("Large content is not held back for a consent, which the server can refuse without it")
    func noExpectation() async throws {
        try await HTTP2FrameServer.with { frame in
            if frame.endsRequest { return .frames(.response(on: frame.stream)) }
            let count = UInt32(frame.frame.payload.count)
            guard frame.frame.type == 0, count > 0 else { return .nothing }
            return .frames([.window(count), .window(count, on: frame.stream)])
        } _: { server in
            let session = try HTTP2SessionTests.session(server) { $0.timeouts.expectation = .seconds(600) }
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .octets(ByteBuffer(repeating: 7, count: 2 << 20))
            #expect(try await session.text(request) == "hello")
        }
    }

    @Test("Content goes both ways at once")
    func bothWays() async throws {
        try await HTTP2FrameServer.with { frame in
            if frame.isRequest { return .frames([.headers([(":status", "200")], on: frame.stream)]) }
            guard frame.frame.type == 0 else { return .nothing }
            let text = String(decoding: frame.frame.payload, as: UTF8.self)
            return .frames([.data(text.uppercased(), on: frame.stream, ends: frame.endsRequest)])
        } _: { server in
            let (stream, words) = AsyncThrowingStream.makeStream(of: ByteBuffer.self, throwing: (any Error).self)
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .stream(length: nil, isReplayable: false) { stream }
            let (_, content) = try await HTTP2SessionTests.session(server).bytes(for: request)
            for word in ["one", "two"] {
                words.yield(ByteBuffer(string: word))
                #expect(try await content.next().map { String(buffer: $0) } == word.uppercased())
            }
            words.finish()
            #expect(try await content.next() == nil)
        }
    }

    @Test("A server that answers no PING is given up, and one that does is not", arguments: [true, false])
    func silence(answers: Bool) async throws {
        try await HTTP2FrameServer.with(answersPings: answers) { _ in
            .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server) {
                $0.timeouts.head = .seconds(answers ? 10 : 60)
                $0.timeouts.silence = .milliseconds(answers ? 4_000 : 500)
            }
            do {
                _ = try await session.data(from: "https://server.test/")
                Issue.record("there is no response")
            } catch let error as HTTPSessionError {
                #expect(error.reason.contains("PING") != answers, "\(error)")
            }
            #expect(server.seen.has(6))
        }
    }
}

extension HTTPConnectionPool.Limits {
    /// One connection for each server.
    fileprivate static var one: Self {
        var limits = Self()
        limits.perHost = 1
        return limits
    }
}
