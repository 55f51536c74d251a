//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import HTTPTypes
import NIOCore
import TestSupport
import Testing

/// Answers with the content `hello` that are right, though few servers send them.
private let unusual: [(name: String, frames: [TestFrame])] = [
    (
        "padding",
        [
            TestFrame(type: 1, flags: 0x4 | 0x8, stream: 1, payload: [3, 0x88, 0, 0, 0]),
            TestFrame(type: 0, flags: 0x1 | 0x8, stream: 1, payload: [2] + Array("hello".utf8) + [0, 0]),
        ]
    ),
    (
        "padding alone in a frame of content",
        [
            .headers([(":status", "200")], on: 1), TestFrame(type: 0, flags: 0x8, stream: 1, payload: [2, 0, 0]),
            .data("hello", on: 1),
        ]
    ),
    (
        "a priority with the fields",
        [
            TestFrame(type: 1, flags: 0x4 | 0x20, stream: 1, payload: [0, 0, 0, 0, 16, 0x88]), .data("hello", on: 1),
        ]
    ),
    (
        "fields in three frames",
        [
            TestFrame(type: 1, stream: 1, payload: [0x88, 0, 1]), TestFrame(type: 9, stream: 1, payload: [0x61, 1]),
            TestFrame(type: 9, flags: 0x4, stream: 1, payload: [0x62]), .data("hello", on: 1),
        ]
    ),
    (
        "other frames between",
        [
            .ping, .settings([(3, 50)]), .headers([(":status", "200")], on: 1), .window(100),
            .data("hel", on: 1, ends: false),
            .priority(on: 1), TestFrame(type: 0xFA, stream: 1, payload: [1, 2]), .window(9, on: 1), .ping,
            .data("lo", on: 1),
        ]
    ),
    (
        "an empty frame at the end",
        [
            .headers([(":status", "200"), ("content-length", "5")], on: 1), .data("hello", on: 1, ends: false),
            .data("", on: 1),
        ]
    ),
    ("an end without an error behind the response", .response(on: 1) + [.reset(0, on: 1)]),
    ("a goodbye that names no stream yet", [.goAway(last: 0x7FFF_FFFF)] + .response(on: 1) + [.goAway(last: 1)]),
    ("a smaller table of fields", [.settings([(1, 0)])] + .response(on: 1)),
    ("a larger frame size", [.settings([(5, 1 << 20)])] + .response(on: 1)),
    ("settings that are not known", [.settings([(0x4D44, 1), (0xFFFF, 7)])] + .response(on: 1)),
    ("equal lengths", .response(fields: [("content-length", "5"), ("content-length", "5")], on: 1)),
    (
        "several informational responses",
        [
            .headers([(":status", "100")], on: 1), .headers([(":status", "103"), ("link", "</a>")], on: 1),
        ] + .response(on: 1)
    ),
    ("an upper status", .response(status: "599", on: 1)),
    ("an empty value", .response(fields: [("a", "")], on: 1)),
]

@Suite("Sessions over HTTP/2 with unusual servers", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2UnusualTests {
    @Test("What is right is read, however unusual", arguments: unusual)
    func right(name: String, frames: [TestFrame]) async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames(frames) : .nothing
        } _: { server in
            let text = try await HTTP2SessionTests.session(server).text("https://server.test/")
            #expect(text == "hello", "\(name)")
        }
    }

    @Test(
        "What a server says first has to be SETTINGS",
        arguments: [
            [.ping], [.headers([(":status", "200")], on: 1), .data("hello", on: 1)],
        ] as [[TestFrame]])
    func preface(first: [TestFrame]) async throws {
        try await HTTP2FrameServer.with(settings: first) {
            $0.isRequest ? .frames(.response(on: 1)) : .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            await #expect(throws: HTTPSessionError.self) { try await session.data(from: "https://server.test/") }
            #expect(server.seen.connections == 1)
        }
    }

    @Test("A server that agrees on HTTP/2 and speaks HTTP/1.1 is at fault")
    func otherVersion() async throws {
        let text = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        try await HTTP2FrameServer.with(settings: []) { _ in
            .octets(text)
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            await #expect(throws: HTTPSessionError.self) { try await session.data(from: "https://server.test/") }
        }
    }

    @Test("More content than the window allows is an error")
    func beyondWindow() async throws {
        let piece = TestFrame(type: 0, stream: 1, payload: [UInt8](repeating: 1, count: 16_384))
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return .frames([.headers([(":status", "200")], on: 1)] + [TestFrame](repeating: piece, count: 600))
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            await #expect(throws: HTTPSessionError.self) { try await session.data(from: "https://server.test/") }
        }
    }

    @Test("A connection that ends within the content is an error, with and without a length", arguments: [true, false])
    func cut(hasLength: Bool) async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            let fields = [(":status", "200")] + (hasLength ? [("content-length", "9")] : [])
            return .framesAndClose([.headers(fields, on: 1), .data("hello", on: 1, ends: false)])
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            await #expect(throws: HTTPSessionError.self) { try await session.data(from: "https://server.test/") }
        }
    }

    @Test("A response that comes before all of the request does is read, and the rest is not sent")
    func early() async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return .frames(.response("too much", status: "413", on: frame.stream) + [.reset(0, on: frame.stream)])
        } _: { server in
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .octets(ByteBuffer(repeating: 1, count: 4 << 20))
            let (response, content) = try await HTTP2SessionTests.session(server).data(for: request)
            #expect(response.status == 413 && String(buffer: content) == "too much")
            let sent = server.seen.frames.filter { $0.frame.type == 0 }.reduce(0) { $0 + $1.frame.payload.count }
            #expect(sent < 4 << 20)
        }
    }

    @Test("A server that takes no streams for a while, or gives no window, is waited for")
    func later() async throws {
        let settings = TestFrame.settings([(3, 0), (4, 0)])
        try await HTTP2FrameServer.with(settings: [settings]) { frame in
            // Its answer to the first SETTINGS is followed by room for a stream and its content.
            if frame.frame.type == 4, frame.frame.flags & TestFrame.ack != 0 {
                return .frames([.settings([(3, 10), (4, 1_000)])])
            }
            return frame.endsRequest ? .frames(.response(on: frame.stream)) : .nothing
        } _: { server in
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .octets(ByteBuffer(repeating: 1, count: 500))
            let text = try await HTTP2SessionTests.session(server).text(request)
            #expect(text == "hello")
        }
    }

    @Test("A server may open its windows again for each piece of content that it takes")
    func manyWindows() async throws {
        try await HTTP2FrameServer.with { frame in
            if frame.endsRequest { return .frames(.response(on: frame.stream)) }
            let count = frame.frame.payload.count
            guard frame.frame.type == 0, count > 0 else { return .nothing }
            // Two frames for each kilobyte are more than servers send.
            let pieces = (0..<(count + 1_023) / 1_024).map { min(1_024, count - $0 * 1_024) }
            return .frames(pieces.flatMap { [.window(UInt32($0)), .window(UInt32($0), on: frame.stream)] })
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            for _ in 0..<2 {
                var request = try HTTPSessionRequest("https://server.test/")
                request.method = .post
                request.body = .octets(ByteBuffer(repeating: 1, count: 4 << 20))
                let text = try await session.text(request)
                #expect(text == "hello")
            }
            #expect(server.seen.connections == 1)
        }
    }

    @Test("A request whose content is on its way goes again where the server did nothing with it", arguments: [0, 1])
    func refusedUpload(kind: Int) async throws {
        try await HTTP2FrameServer.with { frame in
            if frame.isRequest, frame.connection == 0, frame.requests == 0 {
                return kind == 0 ? .frames([.reset(7, on: frame.stream)]) : .frames([.goAway(last: 0)])
            }
            guard frame.frame.type == 0 else { return .nothing }
            let count = UInt32(frame.frame.payload.count)
            let isRefused = frame.connection == 0 && frame.stream == 1
            let windows: [TestFrame] =
                count == 0 ? [] : [.window(count)] + (isRefused ? [] : [.window(count, on: frame.stream)])
            return .frames(windows + (frame.endsRequest && !isRefused ? .response(on: frame.stream) : []))
        } _: { server in
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .octets(ByteBuffer(repeating: 1, count: 3 << 20))
            let text = try await HTTP2SessionTests.session(server).text(request)
            #expect(text == "hello")
        }
    }

    @Test("A server that ends a request while its content is sent is said to have ended it")
    func endedUpload() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames([.reset(8, on: $0.stream)]) : .nothing
        } _: { server in
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .octets(ByteBuffer(repeating: 1, count: 3 << 20))
            do {
                _ = try await HTTP2SessionTests.session(server).data(for: request)
                Issue.record("there is no response")
            } catch let error as HTTPSessionError {
                #expect(error.reason.contains("CANCEL") && error.code == .badServerResponse, "\(error)")
            }
        }
    }

    @Test("A connection that breaks is no frame that breaks the rules")
    func broken() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .reset : .nothing
        } _: { server in
            do {
                _ = try await HTTP2SessionTests.session(server).data(from: "https://server.test/")
                Issue.record("there is no response")
            } catch let error as HTTPSessionError {
                #expect(error.code == .networkConnectionLost && !error.reason.contains("frames"), "\(error)")
            }
        }
    }

    @Test("What has begun to answer a request has processed it, whatever it says")
    func lateRefusal() async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return .frames([
                .headers([(":status", "200")], on: frame.stream), .data("hel", on: frame.stream, ends: false),
                .reset(7, on: frame.stream),
            ])
        } _: { server in
            do {
                _ = try await HTTP2SessionTests.session(server).data(from: "https://server.test/")
                Issue.record("there is no response")
            } catch let error as HTTPSessionError {
                #expect(error.reason.contains("REFUSED_STREAM"), "\(error)")
            }
            #expect(server.seen.requests == 1)
        }
    }

    @Test("A request without a Host field has the host of its URL")
    func withoutHost() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames(.response(on: $0.stream)) : .nothing
        } _: { server in
            var request = try HTTPSessionRequest("https://server.test/")
            if let host = HTTPField.Name("Host") { request.omittedFields.insert(host) }
            let text = try await HTTP2SessionTests.session(server).text(request)
            #expect(text == "hello")
        }
    }
}
