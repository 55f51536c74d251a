//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOCore
import TestSupport
import Testing

/// What a server sends again and again behind the beginning of a response, and what the error says.
private let floods: [(name: String, frame: TestFrame, count: Int, words: String)] = [
    ("PING", .ping, 20_000, "too many"),
    ("SETTINGS", .settings(), 20_000, "too many"),
    // The first one breaks a rule, and so does their number: which is seen first depends on how many are read at once.
    ("SETTINGS that answer nothing", .settingsAck, 20_000, "section 6.5|section 10.5"),
    ("PRIORITY", .priority(on: 1), 20_000, "too many"),
    ("WINDOW_UPDATE of the connection", .window(1), 20_000, "WINDOW_UPDATE"),
    ("WINDOW_UPDATE of the stream", .window(1, on: 1), 20_000, "WINDOW_UPDATE"),
    ("empty DATA", .data("", on: 1, ends: false), 20_000, "DATA"),
    ("GOAWAY", .goAway(last: 1), 20_000, "GOAWAY"),
    ("frames of an unknown type", .init(type: 0xEE, stream: 1, payload: [1]), 20_000, "unknown"),
    ("resets of other streams", .reset(8, on: 3), 20_000, "section 5.1.1|section 10.5"),
    ("informational responses", .headers([(":status", "103"), ("a", "b")], on: 1), 50_000, "head"),
    ("informational responses without fields", .headers([(":status", "103")], on: 1), 50_000, "head"),
]

/// Heads that are too large, in octets or in what they are decoded to.
private enum Bomb: String, CaseIterable, Sendable {
    case largeValue, namedAgain, manyPieces, manyFields, endless

    private static let status = TestFrame(type: 1, stream: 1, payload: [0x88])

    var octets: [UInt8] {
        switch self {
        case .largeValue:
            // A literal of 400,000 octets (RFC 7541 §6.2.2), in frames that continue each other.
            let size: [UInt8] = [0, 1, 0x61, 127, 0x80 | 0x01, 0x80 | 0x34, 0x18]
            let pieces = (0..<25).map { _ in Self.continuation([UInt8](repeating: 0x61, count: 16_000)) }
            return [Self.status].octets + [Self.continuation(size)].octets + pieces.octets
        case .namedAgain:
            // A value that is kept in the table (§6.2.1) and named 10,000 times by one octet each.
            let value = [UInt8](repeating: 0x61, count: 3_900)
            let kept: [UInt8] = [0x40, 1, 0x61, 127, 0x80 | 0x3D, 0x1D] + value
            let payload = [0x88] + kept + [UInt8](repeating: 0xBE, count: 10_000)
            return TestFrame(type: 1, flags: 5, stream: 1, payload: payload).octets
        case .manyPieces:
            return [Self.status].octets
                + [[TestFrame]](repeating: [Self.continuation([])], count: 2_000).flatMap(\.octets)
        case .manyFields:
            return TestFrame.headers([(":status", "200")] + (0..<2_000).map { ("a\($0 % 7)", "") }, on: 1).octets
                + (0..<10).flatMap { _ in TestFrame.headers((0..<2_000).map { ("a\($0 % 7)", "") }, on: 1).octets }
        case .endless:
            let piece = Self.continuation([UInt8](repeating: 0x88, count: 16_000)).octets
            return [Self.status].octets + [[UInt8]](repeating: piece, count: 600).flatMap(\.self)
        }
    }

    private static func continuation(_ payload: [UInt8]) -> TestFrame {
        TestFrame(type: 9, stream: 1, payload: payload)
    }
}

@Suite("Sessions over HTTP/2 with servers that send too much", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2FloodTests {
    @Test("A flood of any kind ends the connection, and the error names it", arguments: floods)
    func flood(name: String, frame: TestFrame, count: Int, words: String) async throws {
        let head = frame.type == 1 ? [] : TestFrame.headers([(":status", "200")], on: 1).octets
        let octets = head + [[UInt8]](repeating: frame.octets, count: count).flatMap(\.self)
        try await Self.isRefused(octets, saying: words, name)
    }

    @Test("A head that is too large ends the request before it is read whole", arguments: Bomb.allCases)
    private func bomb(_ bomb: Bomb) async throws {
        try await Self.isRefused(bomb.octets, saying: "", bomb.rawValue)
    }

    /// Answers a request with octets: an error comes of it in little time, and the connection ends.
    private static func isRefused(_ octets: [UInt8], saying words: String, _ name: String) async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .octets(octets) : .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            let start = ContinuousClock.now
            do {
                let (response, _) = try await session.data(from: "https://server.test/")
                Issue.record("\(name): \(response.status)")
            } catch let error as HTTPSessionError {
                let isNamed = words.isEmpty || words.split(separator: "|").contains { error.reason.contains($0) }
                #expect(isNamed && error.code != .timedOut, "\(name): \(error)")
            }
            #expect(ContinuousClock.now - start < .seconds(60))
        }
    }

    @Test("Frames that carry nothing are allowed beside those that do")
    func allowed() async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            let pieces = (0..<1_000).flatMap { _ in
                [TestFrame.data("abc", on: frame.stream, ends: false), .window(1), .window(1, on: frame.stream)]
            }
            return .frames([.headers([(":status", "200")], on: frame.stream)] + pieces + [.data("", on: frame.stream)])
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            for _ in 0..<5 { #expect(try await session.text("https://server.test/").utf8.count == 3_000) }
        }
    }
}
