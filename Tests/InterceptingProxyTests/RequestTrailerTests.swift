//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOHPACK
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and trailers of requests", .limitedConcurrency, .timeLimit(.minutes(10)))
struct RequestTrailerTests {
    /// Fields behind content; those but the first and the last are no trailers (RFC 9110 §6.5.1).
    private static let trailers = [
        ("grpc-status", "0"), ("host", "other.test"), ("content-length", "3"), ("authorization", "Basic YTpi"),
        ("cookie", "a=b"), ("content-encoding", "gzip"), ("x-forwarded-for", "192.0.2.1"), ("if-match", "a"),
        ("checksum", "c"),
    ]
    /// Those that HTTP/2 does not have at all (RFC 9113 §8.2.2).
    private static let ofConnections = [
        ("Transfer-Encoding", "chunked"), ("Connection", "hidden"), ("hidden", "d"), ("Keep-Alive", "5"),
    ]

    /// Sends a request with content and trailers, and waits for the answer.
    private static func post(to scene: ProxyScene, overHTTP2: Bool, length: Int? = nil) async throws {
        guard overHTTP2 else {
            let lines = (Self.trailers + Self.ofConnections).map { "\($0): \($1)\r\n" }.joined()
            let answer = try await scene.answer(
                inTunnel:
                    "POST / HTTP/1.1\r\nHost: server.test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\nhello\r\n0\r\n\(lines)\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            return
        }
        let client = try await HTTP2FrameClient(scene)
        let fields = length.map { [("content-length", "\($0)")] } ?? []
        try await client.send([
            .headers(HTTP2FrameClient.fields("POST", "/", fields), on: 1), .data("hello", on: 1, ends: false),
            .headers(Self.trailers, on: 1, ends: true),
        ])
        #expect(try await client.response(on: 1).status == "200")
        await client.stream.close()
    }

    @Test("Trailers that can be trailers reach a server of HTTP/1.1, and no others", arguments: [false, true])
    func overHTTP1(overHTTP2: Bool) async throws {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in TestHTTPServer.response() }) {
            server in
            try await ProxyScene.with(server: server.port) { scene in
                try await Self.post(to: scene, overHTTP2: overHTTP2)
                #expect(server.seen.requests.map(\.trailers) == ["grpc-status: 0\r\nchecksum: c"])
            }
        }
    }

    @Test("Behind content with a length, HTTP/1.1 has no trailers")
    func withLength() async throws {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { TestHTTPServer.response($0.content) }) {
            server in
            try await ProxyScene.with(server: server.port) { scene in
                try await Self.post(to: scene, overHTTP2: true, length: 5)
                #expect(server.seen.requests.map(\.content) == ["hello"])
            }
        }
    }

    @Test("Trailers that can be trailers reach a server of HTTP/2, and no others", arguments: [false, true])
    func overHTTP2(overHTTP2: Bool) async throws {
        let script: HTTP2FrameServer.Script = { received in
            received.endsRequest ? .frames(.response(on: received.stream)) : .nothing
        }
        try await HTTP2FrameServer.with(try ProxyScene.chain(), script) { server in
            try await ProxyScene.with(server: server.port) { scene in
                try await Self.post(to: scene, overHTTP2: overHTTP2)
                let heads = server.seen.frames.filter { $0.frame.type == 1 }
                try #require(heads.count == 2)
                var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
                let fields = try heads.map { head in
                    var block = ByteBuffer(bytes: head.frame.payload)
                    return try decoder.decodeHeaders(from: &block).map { "\($0.name): \($0.value)" }
                }
                #expect(fields[1] == ["grpc-status: 0", "checksum: c"] && heads[1].endsRequest, "\(fields)")
            }
        }
    }
}
