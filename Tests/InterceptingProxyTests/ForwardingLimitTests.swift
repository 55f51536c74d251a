//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and requests that may be passed on a number of times", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ForwardingLimitTests {
    @Test(
        "A request that ends at the proxy reaches no server",
        arguments: [("OPTIONS", "HTTP/1.1 200 "), ("TRACE", "HTTP/1.1 501 ")])
    func ended(method: String, expected: String) async throws {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in TestHTTPServer.response() }) {
            server in
            try await ProxyScene.with(server: server.port) { scene in
                let answer = try await scene.answer(
                    inTunnel:
                        "\(method) / HTTP/1.1\r\nHost: server.test\r\nMax-Forwards: 0\r\nAuthorization: Basic YTpi\r\n"
                        + "Connection: close\r\n\r\n")
                #expect(answer.hasPrefix(expected) && !answer.contains("YTpi"), "\(answer)")
                #expect(server.seen.requests.isEmpty)
            }
        }
    }

    @Test(
        "The server is told how many times are left, where that is known, and of no other method",
        arguments: [
            ("OPTIONS", "2", "1"), ("TRACE", "1", "0"), ("GET", "0", "0"), ("OPTIONS", "+1", "+1"),
            ("OPTIONS", "99999999999999999999", "99999999999999999999"), ("OPTIONS", "00", nil),
        ] as [(String, String, String?)])
    func passedOn(method: String, sent: String, expected: String?) async throws {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in TestHTTPServer.response() }) {
            server in
            try await ProxyScene.with(server: server.port) { scene in
                _ = try await scene.answer(
                    inTunnel:
                        "\(method) / HTTP/1.1\r\nHost: server.test\r\nMax-Forwards: \(sent)\r\nConnection: close\r\n\r\n"
                )
                #expect(server.seen.requests.first?.value("max-forwards") == expected)
                #expect(server.seen.requests.count == (expected == nil ? 0 : 1))
            }
        }
    }
}
