//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import TestSupport
import Testing

/// What a hostile server sends where a response is expected, and what the error says.
private let malformedResponses: [(name: String, frames: [TestFrame], words: String)] = [
    ("no status", [.headers([("a", "b")], on: 1), .data("x", on: 1)], ":status"),
    ("two statuses", [.headers([(":status", "200"), (":status", "200")], on: 1, ends: true)], ":status"),
    ("a status behind a field", [.headers([("a", "b"), (":status", "200")], on: 1, ends: true)], ":status"),
    ("a status of two digits", [.headers([(":status", "20")], on: 1, ends: true)], ":status"),
    ("a status with a sign", [.headers([(":status", "+20")], on: 1, ends: true)], ":status"),
    ("a status below 100", [.headers([(":status", "099")], on: 1, ends: true)], ":status"),
    ("a field of requests", [.headers([(":status", "200"), (":path", "/")], on: 1, ends: true)], "pseudo-header"),
    ("a field of requests in place of the status", [.headers([(":path", "/")], on: 1, ends: true)], "pseudo-header"),
    (
        "an unknown pseudo-header field", [.headers([(":status", "200"), (":x", "")], on: 1, ends: true)],
        "pseudo-header"
    ),
    ("a name in capitals", [.headers([(":status", "200"), ("Abc", "d")], on: 1, ends: true)], "field name"),
    ("a name with a blank", [.headers([(":status", "200"), ("a b", "d")], on: 1, ends: true)], "field name"),
    ("an empty name", [.headers([(":status", "200"), ("", "d")], on: 1, ends: true)], "cannot be read"),
    ("a value with NUL", [.headers([(":status", "200"), ("a", "b\0")], on: 1, ends: true)], "field value"),
    (
        "a value with a line end", [.headers([(":status", "200"), ("a", "b\r\nc: d")], on: 1, ends: true)],
        "field value"
    ),
    (
        "a value with a blank before it", [.headers([(":status", "200"), ("a", " b")], on: 1, ends: true)],
        "field value"
    ),
    ("Connection", [.headers([(":status", "200"), ("connection", "close")], on: 1, ends: true)], "8.2.2"),
    (
        "Transfer-Encoding", [.headers([(":status", "200"), ("transfer-encoding", "chunked")], on: 1, ends: true)],
        "8.2.2"
    ),
    ("TE", [.headers([(":status", "200"), ("te", "gzip")], on: 1, ends: true)], "8.2.2"),
    ("101", [.headers([(":status", "101")], on: 1, ends: true)], "101"),
    ("an informational response that ends", [.headers([(":status", "103")], on: 1, ends: true)], "informational"),
    (
        "trailers that do not end",
        [.headers([(":status", "200")], on: 1), .data("x", on: 1, ends: false), .headers([("a", "b")], on: 1)],
        "did not end the message"
    ),
    (
        "a status in trailers",
        [
            .headers([(":status", "200")], on: 1), .data("x", on: 1, ends: false),
            .headers([(":status", "200")], on: 1, ends: true),
        ], "pseudo-header"
    ),
    ("content before the head", [.data("x", on: 1)], ""),
    (
        "less content than Content-Length", .response("abc", fields: [("content-length", "4")], on: 1),
        "Content-Length"
    ),
    (
        "more content than Content-Length", .response("abc", fields: [("content-length", "2")], on: 1),
        "Content-Length"
    ),
    (
        "two lengths",
        .response("abc", fields: [("content-length", "3"), ("content-length", "4")], on: 1), "Content-Length"
    ),
    ("a length that is no number", .response("abc", fields: [("content-length", "+3")], on: 1), "Content-Length"),
    (
        "a length with trailers",
        [
            .headers([(":status", "200"), ("content-length", "4")], on: 1), .data("abc", on: 1, ends: false),
            .headers([("a", "b")], on: 1, ends: true),
        ], "Content-Length"
    ),
    ("content with 204", [.headers([(":status", "204")], on: 1), .data("x", on: 1)], "content"),
    ("content with 304", [.headers([(":status", "304")], on: 1), .data("x", on: 1)], "content"),
    ("an end at once", [.reset(2, on: 1)], "INTERNAL_ERROR"),
    (
        "an end within the content",
        [
            .headers([(":status", "200")], on: 1), .data("x", on: 1, ends: false), .reset(8, on: 1),
        ], "CANCEL"
    ),
    (
        "an end without an error within the content",
        [
            .headers([(":status", "200"), ("content-length", "5")], on: 1), .data("x", on: 1, ends: false),
            .reset(0, on: 1),
        ], "NO_ERROR"
    ),
    ("a push", [.push(on: 1)], "it pushed a response"),
    ("a window of nothing", [.window(0, on: 0)], ""),
    ("a window that overflows", [.window(0x7FFF_FFFF), .window(0x7FFF_FFFF)], ""),
    ("a stream that nothing opened", [.headers([(":status", "200")], on: 2, ends: true)], ""),
    ("HPACK that points to nothing", [.init(type: 1, flags: 5, stream: 1, payload: [0xFF, 0xFF, 0x03])], ""),
    (
        "a table that is larger than allowed",
        [.init(type: 1, flags: 5, stream: 1, payload: [0x3F, 0xFF, 0xFF, 0x7F, 0x88])], ""
    ),
    (
        "a frame that is too large",
        [.init(type: 0, flags: 0, stream: 1, payload: [UInt8](repeating: 0, count: 16_385))], ""
    ),
    ("a PING of the wrong size", [.init(type: 6, payload: [1, 2, 3])], ""),
    ("SETTINGS of the wrong size", [.init(type: 4, payload: [1, 2, 3])], ""),
    ("SETTINGS with a value that is not allowed", [.settings([(2, 7)])], ""),
    ("SETTINGS with a window that is too large", [.settings([(4, 0x8000_0000)])], ""),
    ("a CONTINUATION of nothing", [.init(type: 9, flags: 4, stream: 1)], ""),
    ("a frame within fields", [.init(type: 1, flags: 0, stream: 1, payload: [0x88]), .data("x", on: 1)], ""),
]

@Suite("Sessions over HTTP/2", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2SessionTests {
    static func session(
        _ server: HTTP2FrameServer, _ change: (inout HTTPSessionConfiguration) throws -> Void = { _ in }
    ) throws -> HTTPSession {
        HTTPSession(
            try SessionFixture.configuration(server.port) { configuration in
                configuration.timeouts.head = .seconds(60)
                try change(&configuration)
            })
    }

    @Test("What a server sends that is no response is an error, and never a response", arguments: malformedResponses)
    func malformed(name: String, frames: [TestFrame], words: String) async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames(frames) : .nothing
        } _: { server in
            let session = try Self.session(server)
            do {
                let (response, content) = try await session.data(from: "https://server.test/")
                Issue.record("\(response.status) \(String(buffer: content))")
            } catch let error as HTTPSessionError {
                #expect(error.reason.contains(words), "\(name): \(error)")
                #expect(error.code != .timedOut, "\(name): \(error)")
            }
        }
    }

    @Test("The reason of a goodbye is said")
    func goodbyeWithError() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .framesAndClose([.goAway(last: 1, 11)]) : .nothing
        } _: { server in
            let session = try Self.session(server)
            do {
                _ = try await session.data(from: "https://server.test/")
                Issue.record("there is no response")
            } catch let error as HTTPSessionError {
                #expect(error.reason.contains("ENHANCE_YOUR_CALM"), "\(error)")
            }
        }
    }

    @Test("A malformed response ends its stream, and the connection goes on")
    func oneStream() async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return .frames(
                frame.requests == 0
                    ? [.headers([(":status", "200"), ("A", "b")], on: frame.stream)] : .response(on: frame.stream))
        } _: { server in
            let session = try Self.session(server)
            await #expect(throws: HTTPSessionError.self) { try await session.data(from: "https://server.test/") }
            #expect(try await session.text("https://server.test/") == "hello")
            #expect(server.seen.connections == 1 && server.seen.has(3))
        }
    }

    @Test("A response comes with its fields, informational responses and trailers")
    func response() async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return .frames([
                .headers([(":status", "103"), ("link", "</a>")], on: frame.stream),
                .headers([(":status", "200"), ("set-cookie", "a=b"), ("set-cookie", "c=d")], on: frame.stream),
                .data("hel", on: frame.stream, ends: false), .data("lo", on: frame.stream, ends: false),
                .headers([("digest", "x")], on: frame.stream, ends: true),
            ])
        } _: { server in
            let (response, content) = try await Self.session(server).bytes(
                for: HTTPSessionRequest("https://server.test/"))
            var text = ""
            while let octets = try await content.next() { text += String(buffer: octets) }
            #expect(text == "hello" && response.status == 200)
            #expect(response.fields[values: .setCookie] == ["a=b", "c=d"])
            #expect(response.connection.gated.applicationProtocol == "h2")
            #expect(String(decoding: response.head, as: UTF8.self).hasPrefix("HTTP/2 200 \r\n"))
            let digest = try #require(HTTPField.Name("digest"))
            #expect(content.trailers?[digest] == "x")
        }
    }

    @Test("A head without content is no content for HEAD, whatever its length says")
    func head() async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return .frames([.headers([(":status", "200"), ("content-length", "9")], on: frame.stream, ends: true)])
        } _: { server in
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .head
            #expect(try await Self.session(server).text(request).isEmpty)
        }
    }

    @Test("Many requests share one connection")
    func multiplexed() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames(.response(on: $0.stream)) : .nothing
        } _: { server in
            let session = try Self.session(server)
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<100 {
                    group.addTask { try await session.text("https://server.test/\(number)") }
                }
                for try await text in group { #expect(text == "hello") }
            }
            #expect(server.seen.connections == 1 && server.seen.requests == 100)
        }
    }

    @Test("Names are never served over a connection that was judged for another")
    func otherName() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames(.response(on: $0.stream)) : .nothing
        } _: { server in
            let session = try Self.session(server)
            for host in ["server.test", "other.test", "server.test"] {
                #expect(try await session.text("https://\(host)/") == "hello")
            }
            #expect(server.seen.connections == 2)
            await #expect(throws: HTTPSessionError.self) { try await session.data(from: "https://third.test/") }
            #expect(server.seen.requests == 3)
        }
    }

    @Test("What the server did not process is sent again, whatever it is", arguments: [HTTPRequest.Method.get, .post])
    func refused(method: HTTPRequest.Method) async throws {
        let refusals: [@Sendable (UInt32) -> HTTP2FrameServer.Reaction] = [
            { .frames([.reset(7, on: $0)]) }, { _ in .framesAndClose([.goAway(last: 0)]) },
            { _ in .frames([.goAway(last: 0)]) },
        ]
        for refusal in refusals {
            try await HTTP2FrameServer.with { frame in
                guard frame.isRequest else { return .nothing }
                let isFirst = frame.connection == 0 && frame.requests == 0
                return isFirst ? refusal(frame.stream) : .frames(.response(on: frame.stream))
            } _: { server in
                var request = try HTTPSessionRequest("https://server.test/")
                request.method = method
                if method == .post { request.body = .octets(ByteBuffer(string: "content")) }
                #expect(try await Self.session(server).text(request) == "hello")
                #expect(server.seen.requests == 2)
            }
        }
    }

    @Test("What the server may have processed is not sent again where that matters", arguments: [0, 1])
    func processed(requestsBefore: Int) async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return frame.requests < requestsBefore
                ? .frames(.response(on: frame.stream)) : .framesAndClose([.goAway(last: frame.stream)])
        } _: { server in
            let session = try Self.session(server)
            for _ in 0..<requestsBefore { _ = try await session.data(from: "https://server.test/") }
            var request = try HTTPSessionRequest("https://server.test/")
            request.method = .post
            request.body = .octets(ByteBuffer(string: "content"))
            let sent = request
            await #expect(throws: HTTPSessionError.self) { try await session.data(for: sent) }
            #expect(server.seen.requests == requestsBefore + 1)
        }
    }

    @Test("After a goodbye requests that run end, and others go over a new connection")
    func goodbye() async throws {
        try await HTTP2FrameServer.with { frame in
            guard frame.isRequest else { return .nothing }
            return .frames(
                frame.connection == 0
                    ? [.goAway(last: frame.stream)] + .response(on: frame.stream) : .response(on: frame.stream))
        } _: { server in
            let session = try Self.session(server)
            for _ in 0..<2 { #expect(try await session.text("https://server.test/") == "hello") }
            #expect(server.seen.connections == 2)
            let end = ContinuousClock.now + .seconds(60)
            while server.seen.openConnections > 1, .now < end { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.seen.openConnections == 1)
        }
    }

    @Test("A server that wants HTTP/1.1 gets it, and is remembered")
    func http11Required() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames([.reset(13, on: $0.stream)]) : .nothing
        } _: { server in
            let session = try Self.session(server)
            // The server of this test speaks no HTTP/1.1: what counts is that it is not asked again over HTTP/2.
            for _ in 0..<2 {
                await #expect(throws: HTTPSessionError.self) { try await session.data(from: "https://server.test/") }
            }
            #expect(server.seen.requests == 1 && server.seen.connections >= 2)
        }
    }
}
