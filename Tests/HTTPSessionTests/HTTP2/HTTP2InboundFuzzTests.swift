//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPExchange
import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import HTTPSession

/// Frames of a server, right and wrong, mixed and cut anywhere. A trap anywhere on the way ends the process of the tests.
///
/// `HTTP2_FUZZ_SECONDS` has it go on for so long, from a seed that it prints.
@Suite("What a server of HTTP/2 may send, mixed and cut anywhere", .timeLimit(.minutes(60)))
struct HTTP2InboundFuzzTests {
    private static let seconds = ProcessInfo.processInfo.environment["HTTP2_FUZZ_SECONDS"].flatMap { Int($0) }

    @Test("Every request ends, in a response or an error, and no content is more than came")
    func mixed() throws {
        let seed = Self.seconds == nil ? 1 : UInt64.random(in: 1...(.max))
        var generator = SeededGenerator(state: seed)
        let end = ContinuousClock.now + .seconds(Self.seconds ?? 0)
        var rounds = 0
        while rounds < 400 || .now < end {
            let state = generator.state
            let ended = try Self.round(&generator)
            #expect(ended, "round \(rounds) from the state \(state)")
            rounds += 1
        }
        if Self.seconds != nil { print("\(rounds) rounds from seed \(seed)") }
    }

    /// One connection with three requests.
    ///
    /// - Returns: Whether all of them ended.
    private static func round(_ generator: inout SeededGenerator) throws -> Bool {
        let channel = EmbeddedChannel()
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
        var limits = Exchange.Limits()
        limits.reader.headSize = 4_096
        let handler = try channel.pipeline.syncOperations.addHTTP2Handlers(limits: limits)
        var requests: [Request] = []
        for method in [HTTPRequest.Method.get, .head, .post] {
            let request = Request(channel, handler, method)
            requests.append(request)
        }
        channel.embeddedEventLoop.run()
        var octets = Self.octets(&generator)
        var received = 0
        while !octets.isEmpty, channel.isActive {
            let piece = octets.prefix(Int.random(in: 1...max(1, octets.count), using: &generator))
            octets = octets.dropFirst(piece.count)
            received += piece.count
            _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
            channel.pipeline.fireChannelReadComplete()
            channel.embeddedEventLoop.run()
            if generator.chance(8), let request = requests.randomElement(using: &generator) {
                request.exchange?.transport?.abandon()
            }
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        _ = try? channel.finish(acceptAlreadyClosed: true)
        channel.embeddedEventLoop.run()
        return requests.allSatisfy { $0.hasEnded && $0.size <= received }
    }

    /// A request whose response is read as it comes.
    private final class Request {
        let exchange: Exchange?
        private(set) var hasEnded = false
        private(set) var size = 0

        init(_ channel: EmbeddedChannel, _ handler: HTTP2ConnectionHandler, _ method: HTTPRequest.Method) {
            self.exchange = handler.openStream()
            guard let exchange, let head = RequestHead(method, target: "/", fields: [.hostName: "server.test"]) else {
                self.hasEnded = true
                return
            }
            let promise = channel.eventLoop.makePromise(of: ResponseParts.self)
            self.listen(to: promise, on: channel)
            exchange.send(
                ExchangeRequest(head, content: method == .post ? .octets(ByteBuffer(string: "abc")) : .none), promise)
        }

        private func listen(to promise: EventLoopPromise<ResponseParts>, on channel: EmbeddedChannel) {
            promise.futureResult.assumeIsolated().whenComplete { result in
                guard case .success(let parts) = result else {
                    self.hasEnded = true
                    return
                }
                for part in parts.parts {
                    if case .content(let octets) = part { self.size += octets.readableBytes }
                    if case .end = part { self.hasEnded = true }
                }
                guard !self.hasEnded else { return }
                let next = channel.eventLoop.makePromise(of: ResponseParts.self)
                self.listen(to: next, on: channel)
                self.exchange?.wait(next)
            }
        }
    }

    // MARK: Frames

    private static func octets(_ generator: inout SeededGenerator) -> ArraySlice<UInt8> {
        var octets = TestFrame.settings().octets
        for _ in 0..<Int.random(in: 1...24, using: &generator) {
            var frame = self.frame(&generator).octets
            if generator.chance(6), let index = frame.indices.randomElement(using: &generator) {
                frame[index] = UInt8.random(in: 0...255, using: &generator)
            }
            if generator.chance(20) { frame.removeLast(min(frame.count, 3)) }
            octets += frame
        }
        return octets[...]
    }

    private static func frame(_ generator: inout SeededGenerator) -> TestFrame {
        let stream: UInt32 = [0, 1, 1, 1, 3, 3, 5, 5, 2, 7, 0x7FFF_FFFF].randomElement(using: &generator) ?? 1
        let ends = generator.chance(4)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0...3:
            return .headers(
                [(":status", ["200", "103", "204", "404", "2x"].randomElement(using: &generator) ?? "")]
                    + self.fields(&generator), on: stream, ends: ends)
        case 4: return .headers(self.fields(&generator), on: stream, ends: true)
        case 5...7:
            return .data(
                String(repeating: "a", count: Int.random(in: 0...300, using: &generator)), on: stream, ends: ends)
        case 8: return .reset(UInt32.random(in: 0...14, using: &generator), on: stream)
        case 9:
            return .settings([
                (UInt16.random(in: 0...9, using: &generator), UInt32.random(in: 0...(.max), using: &generator))
            ])
        case 10: return .ping
        case 11: return .goAway(last: stream, UInt32.random(in: 0...13, using: &generator))
        case 12: return .window(UInt32.random(in: 0...(.max), using: &generator), on: stream)
        case 13: return .push(on: stream)
        case 14: return .priority(on: stream)
        default:
            let payload = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            return TestFrame(
                type: UInt8.random(in: 0...12, using: &generator), flags: UInt8.random(in: 0...255, using: &generator),
                stream: stream, payload: payload)
        }
    }

    private static func fields(_ generator: inout SeededGenerator) -> [(String, String)] {
        let all = [
            ("content-length", "3"), ("a", "b"), ("connection", "close"), ("A", "b"), ("a", "b\r\n"), (":x", "y"),
            ("", ""),
            ("te", "trailers"), ("long", String(repeating: "x", count: 700)),
        ]
        return (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in all.randomElement(using: &generator) }
    }
}
