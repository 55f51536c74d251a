//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import HTTPSession

/// Relays to a port of 127.0.0.1, and cuts what the server sends after so many octets.
private enum CuttingRelay {
    final class Log: Sendable {
        /// The octets that the server sent, and those of them that were passed on.
        let sent = Mutex(0)
        let passed = Mutex(0)
        let hasEnded = Mutex(false)

        /// Whether all was passed on, once the server has ended.
        func isWhole() async throws -> Bool {
            for _ in 0..<3_000 where !self.hasEnded.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
            return self.sent.withLock { $0 } == self.passed.withLock { $0 }
        }
    }

    static func with<R>(
        _ target: Int, after limit: Int, _ body: (Int, Log) async throws -> R
    ) async throws -> R {
        let log = Log()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { server in
                        let toServer = End(to: server, limit: .max, log: nil)
                        try client.pipeline.syncOperations.addHandler(toServer)
                        try server.pipeline.syncOperations.addHandler(End(to: client, limit: limit, log: log))
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<R, any Error>
        do {
            outcome = .success(try await body(try #require(listener.localAddress?.port), log))
        } catch {
            outcome = .failure(error)
        }
        try await listener.close()
        return try outcome.get()
    }

    private final class End: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private var left: Int
        private let log: Log?

        init(to other: any Channel, limit: Int, log: Log?) { (self.other, self.left, self.log) = (other, limit, log) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var octets = self.unwrapInboundIn(data)
            let count = min(self.left, octets.readableBytes)
            self.left -= count
            self.log?.sent.withLock { $0 += octets.readableBytes }
            self.log?.passed.withLock { $0 += count }
            if count > 0, let piece = octets.readSlice(length: count) { self.other.writeAndFlush(piece, promise: nil) }
            if self.left == 0 { self.other.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.log?.hasEnded.withLock { $0 = true }
            self.other.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

@Suite("Sessions and faults of networks and servers", .limitedConcurrency, .timeLimit(.minutes(10)))
struct SessionFaultTests {
    private static func session(_ port: Int) throws -> HTTPSession {
        HTTPSession(try SessionFixture.configuration(port) { $0.timeouts.connect = .seconds(60) })
    }

    @Test(
        "A connection of TLS that is cut at any octet has the whole content or an error, and never less",
        arguments: [
            "Content-Length: 11\r\n\r\nhello world", "\r\nhello world",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
        ])
    func cuts(rest: String) async throws {
        let answer = TestHTTPServer.Answer.sendAndClose("HTTP/1.1 200 OK\r\n\(rest)")
        try await TestHTTPServer.with(tls: try SessionFixture.chain.get(), Answers { _ in answer }) { server in
            let total = try await CuttingRelay.with(server.port, after: .max) { port, log in
                _ = try await Self.session(port).text("https://server.test/")
                return log.passed.withLock { $0 }
            }
            // Within the handshake some, and each one behind it: as many as the response and the alert before the end have.
            let limits = Array(stride(from: 0, to: total - 300, by: 41)) + (total - 300..<total)
            for limit in limits {
                try await CuttingRelay.with(server.port, after: limit) { port, log in
                    let text = try? await Self.session(port).text("https://server.test/")
                    #expect(text == nil || text == "hello world", "after \(limit) of \(total) octets")
                    // What ends with the connection alone needs the alert that says so.
                    // A connection may be shorter by some octets, as signatures of ECDSA are.
                    guard text != nil, rest.hasPrefix("\r\n"), limit <= total - 8 else { return }
                    let isWhole = try await log.isWhole()
                    #expect(isWhole, "after \(limit) of \(total) octets")
                }
            }
        }
    }

    @Test(
        "A server that sends octet by octet gets the time for a head, and not more",
        arguments: [
            "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "a", count: 10_000))\r\n\r\n",
            "HTTP/1.1 \(String(repeating: "2", count: 10_000))",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;\(String(repeating: "a", count: 4_000))",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: \(String(repeating: "a", count: 4_000))",
        ])
    func slow(text: String) async throws {
        try await RawServer.with(.slow(Array(text.utf8), every: .milliseconds(5))) { server in
            let session = SessionFixture.plain {
                $0.timeouts.head = .milliseconds(600)
                $0.timeouts.idle = .milliseconds(600)
            }
            let error = await #expect(throws: HTTPSessionError.self) {
                try await session.text("http://127.0.0.1:\(server.port)/")
            }
            #expect(error?.code == .timedOut || error?.code == .badServerResponse)
            // Most of the answer was still to come.
            let isIdle = try await server.isIdle()
            #expect(isIdle)
        }
    }

    @Test("A thousand requests that are cancelled at random leave no connection, no task and no pool behind")
    func cancelled() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                switch request.number % 3 {
                case 0: TestHTTPServer.response(String(repeating: "a", count: 3_000))
                case 1: .send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhel")
                default: .silence
                }
            }
        ) { server in
            weak var pool: HTTPConnectionPool?
            do {
                let session = SessionFixture.plain()
                pool = session.configuration.pool
                var generator = SystemRandomNumberGenerator()
                let delays = (0..<1_000).map { _ in Int.random(in: 0...400, using: &generator) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, delay) in delays.enumerated() {
                        group.addTask {
                            try await Self.cancelled(session, server.port, index: index, after: .milliseconds(delay))
                        }
                        // As many as programs have at once.
                        if index >= 64 { try await group.next() }
                    }
                    try await group.waitForAll()
                }
                #expect(server.seen.connections > 8)
                session.configuration.pool.closeIdleConnections()
            }
            for _ in 0..<6_000 where server.seen.open > 0 || pool != nil {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(server.seen.open == 0)
            #expect(pool == nil, "something still refers to the pool")
        }
    }

    private static func cancelled(
        _ session: HTTPSession, _ port: Int, index: Int, after delay: Duration
    ) async throws {
        var request = try HTTPSessionRequest("http://127.0.0.1:\(port)/\(index)", method: index % 4 == 0 ? .put : .get)
        if index % 4 == 0 {
            request.body = .stream(length: nil, isReplayable: true) {
                HTTPRequestBody.Octets { continuation in
                    for _ in 0..<20 { continuation.yield(ByteBuffer(repeating: 0x61, count: 5_000)) }
                    continuation.finish()
                }
            }
        }
        let sent = request
        let task = Task { try await session.data(for: sent) }
        try await Task.sleep(for: delay)
        task.cancel()
        do {
            _ = try await task.value
        } catch let error as HTTPSessionError {
            #expect([.cancelled, .networkConnectionLost].contains(error.code), "\(error)")
        }
    }

    private final class Outcomes: Sendable {
        let counts = Mutex((whole: 0, failed: 0))

        func note(isWhole: Bool) {
            self.counts.withLock { counts in
                if isWhole { counts.whole += 1 } else { counts.failed += 1 }
            }
        }
    }

    @Test("Requests on their way when a server is started again have the whole answer or an error, and end")
    func restartUnderLoad() async throws {
        let session = SessionFixture.plain { $0.timeouts.connect = .seconds(60) }
        let content = String(repeating: "a", count: 20_000)
        let outcomes = Outcomes()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let first = try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response(content) }) { server in
                for _ in 0..<20 {
                    group.addTask {
                        for _ in 0..<60 {
                            let text = try? await session.text("http://127.0.0.1:\(server.port)/")
                            #expect(text == nil || text == content)
                            outcomes.note(isWhole: text != nil)
                            try await Task.sleep(for: .milliseconds(5))
                        }
                    }
                }
                while server.seen.requests.count < 100 { try await Task.sleep(for: .milliseconds(5)) }
                return server.port
            }
            try await TestHTTPServer.with(port: first, Answers { _ in TestHTTPServer.response(content) }) { _ in
                try await group.waitForAll()
            }
        }
        let counts = outcomes.counts.withLock { $0 }
        #expect(counts.whole + counts.failed == 1_200 && counts.whole > 0)
    }

    @Test("A server that is started again in the middle is asked again, where a request may come twice")
    func restart() async throws {
        let session = SessionFixture.plain { $0.timeouts.connect = .seconds(60) }
        let port = try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("before") }) { server in
            for _ in 0..<5 {
                let text = try await session.text("http://127.0.0.1:\(server.port)/")
                #expect(text == "before")
            }
            #expect(server.seen.connections == 1)
            return server.port
        }
        let error = await #expect(throws: HTTPSessionError.self) { try await session.text("http://127.0.0.1:\(port)/") }
        #expect(error?.code == .cannotConnectToHost || error?.code == .networkConnectionLost)
        try await TestHTTPServer.with(port: port, Answers { _ in TestHTTPServer.response("after") }) { _ in
            let text = try await session.text("http://127.0.0.1:\(port)/")
            #expect(text == "after")
        }
    }
}
