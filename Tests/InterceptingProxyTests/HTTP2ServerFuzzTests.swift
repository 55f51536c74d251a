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

@testable import InterceptingProxy

/// Frames of a client, right and wrong, mixed and cut anywhere. A trap anywhere on the way ends the process of the tests.
///
/// `HTTP2_FUZZ_SECONDS` has it go on for so long, from a seed that it prints.
@Suite("What a client of HTTP/2 may send, mixed and cut anywhere", .timeLimit(.minutes(60)))
struct HTTP2ServerFuzzTests {
    private static let seconds = ProcessInfo.processInfo.environment["HTTP2_FUZZ_SECONDS"].flatMap { Int($0) }

    @Test("Every request that is taken is one that can be read, and ends with its connection")
    func mixed() async throws {
        let seed = Self.seconds == nil ? 1 : UInt64.random(in: 1...(.max))
        var generator = SeededGenerator(state: seed)
        let end = ContinuousClock.now + .seconds(Self.seconds ?? 0)
        var (rounds, taken) = (0, 0)
        while rounds < 400 || .now < end {
            let state = generator.state
            for await request in try Self.round(&generator) {
                guard case .success(let (head, _)) = request.head else { continue }
                taken += 1
                #expect(!head.target.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }, "round \(rounds) from \(state)")
                #expect(head.method != .connect && head.fields.count { $0.name.canonicalName == "host" } == 1)
            }
            rounds += 1
        }
        #expect(taken > 0)
        if Self.seconds != nil { print("\(rounds) rounds from seed \(seed), with \(taken) requests") }
    }

    /// One connection.
    ///
    /// - Returns: The requests that were taken from it. They have ended with the connection: to wait for them would take forever
    ///   otherwise.
    private static func round(_ generator: inout SeededGenerator) throws -> AsyncStream<HTTP2ClientRequest> {
        let channel = EmbeddedChannel()
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
        var limits = HTTP2ServerLimits()
        (limits.message.headSize, limits.requests) = (4_096, 4)
        let connection = try channel.pipeline.syncOperations.addHTTP2ServerHandlers(limits: limits)
        var octets = HTTP2FrameClient.preface + TestFrame.settings().octets + Self.octets(&generator)
        while !octets.isEmpty, channel.isActive {
            let piece = octets.prefix(Int.random(in: 1...max(1, octets.count), using: &generator))
            octets.removeFirst(piece.count)
            _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
            channel.pipeline.fireChannelReadComplete()
            channel.embeddedEventLoop.run()
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        _ = try? channel.finish(acceptAlreadyClosed: true).isClean
        channel.embeddedEventLoop.run()
        return connection.requests
    }

    // MARK: Frames

    private static func octets(_ generator: inout SeededGenerator) -> [UInt8] {
        var octets: [UInt8] = []
        for _ in 0..<Int.random(in: 1...24, using: &generator) {
            var frame = self.frame(&generator).octets
            if generator.chance(6), let index = frame.indices.randomElement(using: &generator) {
                frame[index] = UInt8.random(in: 0...255, using: &generator)
            }
            if generator.chance(20) { frame.removeLast(min(frame.count, 3)) }
            octets += frame
        }
        return octets
    }

    private static let oddFields: [(String, String)] = [
        ("content-length", "5"), ("content-length", "0"), ("host", "server.test"), ("host", "other.test"),
        ("te", "trailers"), ("connection", "close"), ("A", "b"), ("a", "b\r\nc: d"), ("cookie", "a=b"), (":path", "/b"),
        (":protocol", "websocket"), ("expect", "100-continue"), ("a", String(repeating: "a", count: 3_000)), ("", ""),
    ]

    private static func frame(_ generator: inout SeededGenerator) -> TestFrame {
        let stream = UInt32.random(in: 0...9, using: &generator)
        let ends = generator.chance(2)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...3:
            let methods = ["GET", "HEAD", "POST", "OPTIONS", "CONNECT", "G T"]
            var fields = HTTP2FrameClient.fields(methods.randomElement(using: &generator) ?? "GET")
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                fields.append(Self.oddFields.randomElement(using: &generator) ?? ("a", "b"))
            }
            if generator.chance(6) { fields.shuffle(using: &generator) }
            return .headers(fields, on: stream | 1, ends: ends)
        case 4, 5: return .data(String(repeating: "a", count: generator.chance(3) ? 5 : 0), on: stream, ends: ends)
        case 6: return .reset(8, on: stream)
        case 7: return .window(UInt32.random(in: 0...(1 << 20), using: &generator), on: stream)
        case 8:
            return .settings([
                (UInt16.random(in: 0...9, using: &generator), UInt32.random(in: 0...1, using: &generator))
            ])
        case 9: return .headers([("a", "b")], on: stream, ends: true)
        case 10: return generator.chance(4) ? .goAway(last: 0) : .ping
        default:
            return TestFrame(type: UInt8.random(in: 0...255, using: &generator), stream: stream, payload: [1, 2, 3, 4])
        }
    }
}
