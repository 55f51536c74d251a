//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPExchange

@Suite("The program's end of a connection of HTTP/1.1")
struct HTTP1HandlerTests {
    /// A connection on which a request was sent, and the head of its response was read.
    private static func answered(
        _ response: String, idleTimeout: TimeAmount = .seconds(60)
    ) throws -> (EmbeddedChannel, HTTP1Handler) {
        var limits = Exchange.Limits()
        limits.idleTimeout = idleTimeout
        let handler = HTTP1Handler(limits: limits)
        let channel = EmbeddedChannel(handler: handler)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        let promise = channel.eventLoop.makePromise(of: ResponseParts.self)
        let head = try #require(RequestHead(.get, target: "/", fields: [:]))
        handler.exchange.send(ExchangeRequest(head), promise)
        try channel.writeInbound(ByteBuffer(string: response))
        channel.pipeline.fireChannelReadComplete()
        _ = try promise.futureResult.wait()
        return (channel, handler)
    }

    @Test("Small pieces of content are joined, so that none keeps a buffer alive that it does not need")
    func joined() throws {
        let (channel, handler) = try Self.answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<1_000 { try channel.writeInbound(ByteBuffer(string: "1;abc\r\na\r\n")) }
        let more = channel.eventLoop.makePromise(of: ResponseParts.self)
        handler.exchange.wait(more)
        let parts = try more.futureResult.wait().parts
        guard case .content(let octets)? = parts.first, parts.count == 1 else {
            Issue.record("\(parts.count) parts")
            return
        }
        #expect(octets.readableBytes == 1_000 && octets.storageCapacity < 8_192)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test(
        "Large content goes to a program that waits without a copy, and small content is copied",
        arguments: [(100_000, true, true), (100_000, false, false), (1_000, true, false)])
    func shared(size: Int, isAwaited: Bool, isShared: Bool) throws {
        let (channel, handler) = try Self.answered("HTTP/1.1 200 OK\r\n\r\n")
        handler.exchange.waitsSince = { isAwaited ? .now() : nil }
        let more = channel.eventLoop.makePromise(of: ResponseParts.self)
        handler.exchange.wait(more)
        let octets = ByteBuffer(repeating: 1, count: size)
        try channel.writeInbound(octets)
        channel.pipeline.fireChannelReadComplete()
        guard case .content(let content)? = try more.futureResult.wait().parts.first else {
            Issue.record("no content came")
            return
        }
        func start(_ buffer: ByteBuffer) -> UnsafeRawPointer? {
            buffer.withUnsafeReadableBytes { $0.baseAddress.map { .init($0) } }
        }
        #expect(content == octets && (start(content) == start(octets)) == isShared)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test("What is closed on this side is no end of a response that reaches until the end of the connection")
    func closedHere() throws {
        let (channel, handler) = try Self.answered("HTTP/1.1 200 OK\r\n\r\nhel")
        let more = channel.eventLoop.makePromise(of: ResponseParts.self)
        handler.exchange.wait(more)
        channel.close(promise: nil)
        #expect(throws: HTTPExchangeError.self) { try more.futureResult.wait() }
    }

    @Test("Reading stops while enough is there that was not asked for")
    func backPressure() throws {
        let (channel, handler) = try Self.answered("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        let reads = ReadCounter()
        try channel.pipeline.syncOperations.addHandler(reads, position: .first)
        channel.pipeline.read()
        #expect(reads.count == 1)
        try channel.writeInbound(ByteBuffer(repeating: 97, count: 300_000))
        channel.pipeline.read()
        #expect(reads.count == 1)
        handler.exchange.wait(channel.eventLoop.makePromise(of: ResponseParts.self))
        #expect(reads.count == 2)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test("A server has all of its time from when its content is asked for, whatever timer is left from before")
    func idleTime() throws {
        let (channel, handler) = try Self.answered(
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", idleTimeout: .milliseconds(200))
        let first = channel.eventLoop.makePromise(of: ResponseParts.self)
        handler.exchange.wait(first)
        try channel.writeInbound(ByteBuffer(string: "a"))
        channel.pipeline.fireChannelReadComplete()
        _ = try first.futureResult.wait()
        // The program is busy while most of the time of the timer passes.
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(199))
        let outcome = Outcome()
        let second = channel.eventLoop.makePromise(of: ResponseParts.self)
        second.futureResult.assumeIsolated().whenComplete { outcome.result = $0 }
        handler.exchange.wait(second)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(199))
        #expect(outcome.result == nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(throws: HTTPExchangeError.self) { try outcome.result?.get() }
        #expect(outcome.result != nil)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    private final class Outcome {
        var result: Result<ResponseParts, any Error>?
    }

    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var count = 0

        func read(context: ChannelHandlerContext) { self.count += 1 }
    }
}
