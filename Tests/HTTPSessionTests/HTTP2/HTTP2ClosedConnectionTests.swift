//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import HTTPSession

@Suite("A connection of HTTP/2 that ends before requests are sent")
struct HTTP2ClosedConnectionTests {
    private static func connection(room: UInt32) throws -> (EmbeddedChannel, HTTP2ConnectionHandler) {
        let channel = EmbeddedChannel()
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
        let handler = try channel.pipeline.syncOperations.addHTTP2Handlers(limits: Exchange.Limits())
        channel.embeddedEventLoop.run()
        try channel.writeInbound(ByteBuffer(bytes: TestFrame.settings([(UInt16(3), room)]).octets))
        channel.embeddedEventLoop.run()
        return (channel, handler)
    }

    private static func send(_ channel: EmbeddedChannel, _ handler: HTTP2ConnectionHandler) throws -> Outcome {
        let exchange = try #require(handler.openStream())
        let outcome = Outcome(exchange)
        let promise = channel.eventLoop.makePromise(of: ResponseParts.self)
        promise.futureResult.assumeIsolated().whenComplete { result in
            if case .failure(let error) = result { outcome.error = error }
        }
        let head = try #require(RequestHead(.get, target: "/", fields: [.hostName: "server.test"]))
        exchange.send(ExchangeRequest(head, content: .none), promise)
        return outcome
    }

    private final class Outcome {
        let exchange: Exchange
        var error: (any Error)?

        init(_ exchange: Exchange) { self.exchange = exchange }

        var isNotProcessed: Bool {
            if case .notProcessed(nil)? = self.error as? HTTPExchangeError { true } else { false }
        }
    }

    @Test(
        "Requests whose streams are not made yet, or wait for room, go over another connection",
        arguments: [100, 1, 0] as [UInt32])
    func requestsHeldBack(room: UInt32) throws {
        let (channel, handler) = try Self.connection(room: room)
        let early = try Self.send(channel, handler)
        channel.embeddedEventLoop.run()
        let late = try Self.send(channel, handler)
        // The stream of the second is made in the next turn of the loop, when the connection has ended.
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(early.error != nil)
        #expect(room > 0 || early.isNotProcessed, "\(String(describing: early.error))")
        #expect(late.isNotProcessed, "\(String(describing: late.error))")
    }
}
