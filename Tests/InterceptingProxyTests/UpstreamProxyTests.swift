//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy behind another proxy", .limitedConcurrency, .timeLimit(.minutes(10)))
struct UpstreamProxyTests {
    /// Opens tunnels, whose server it is itself, for those who show `ada:x`.
    private static let upstream = Answers { request in
        guard request.line.hasPrefix("CONNECT ") else { return TestHTTPServer.response("hello \(request.target)") }
        guard request.value("Proxy-Authorization") == "Basic YWRhOng=" else {
            return .send("HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
        }
        return .beginTLS("HTTP/1.1 200 Opened\r\n\r\n")
    }

    private static func with<R>(
        _ chain: [TestCertificate], scheme: Proxy.Scheme = .http, password: String? = "x", allowsLocal: Bool = true,
        answers: Answers = UpstreamProxyTests.upstream,
        _ change: (inout InterceptingProxyConfiguration) throws -> Void = { _ in },
        _ body: (ProxyScene, TestHTTPServer) async throws -> R
    ) async throws -> R {
        try await TestHTTPServer.with(tls: scheme == .https ? chain : [], tunnel: chain, answers) { server in
            try await ProxyScene.with(server: server.port) { configuration in
                let place = (password.map { "ada:\($0)@" } ?? "") + "127.0.0.1:\(server.port)"
                configuration.proxies = try ProxyPolicy("\(scheme.rawValue)://\(place)")
                configuration.proxies.sendsBasicUnasked = true
                configuration.routes = ConnectionRoutes()
                configuration.dangerouslyAllowsLocalAddresses = allowsLocal
                configuration.dangerouslyAllowsPlainHTTP = true
                try change(&configuration)
            } _: { scene in
                try await body(scene, server)
            }
        }
    }

    /// What keeps a request from its server, and how the client learns of it.
    struct Obstacle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var scheme = Proxy.Scheme.http
        var password: String? = "x"
        var allowsLocal = true
        var isExpired = false
        var url = "https://server.test/"
        let status: Int
        let code: String
        let verdict: ProxiedRequest.Verdict
        /// What the upstream proxy gets, and no more.
        var lines = ["CONNECT server.test:443 HTTP/1.1"]
    }

    private static let obstacles = [
        Obstacle(testDescription: "a bad server", isExpired: true, status: 403, code: "expired", verdict: .refused),
        Obstacle(
            testDescription: "a bad proxy", scheme: .https, isExpired: true, status: 502, code: "expired",
            verdict: .failed, lines: []),
        Obstacle(
            testDescription: "a bad proxy without TLS behind it", scheme: .https, isExpired: true,
            url: "http://server.test/", status: 502, code: "expired", verdict: .failed, lines: []),
        Obstacle(
            testDescription: "no password", password: nil, status: 502, code: "upstream-credential", verdict: .failed),
        Obstacle(
            testDescription: "a local proxy", allowsLocal: false, status: 403, code: "local-address", verdict: .failed,
            lines: []),
    ]

    @Test("A server that is not reached or refused gets no request, and the client reads why", arguments: obstacles)
    func refused(obstacle: Obstacle) async throws {
        let chain = try ProxyScene.chain { description in
            description.ipAddresses.append("127.0.0.1")
            guard obstacle.isExpired else { return }
            description.setValidity(from: .seconds(-400 * 86_400), lasting: .seconds(86_400))
        }
        try await Self.with(
            chain, scheme: obstacle.scheme, password: obstacle.password, allowsLocal: obstacle.allowsLocal
        ) { scene, server in
            let (response, content) = try await scene.session().data(from: obstacle.url)
            let text = String(buffer: content)
            #expect(response.status == obstacle.status && text.contains("code: \(obstacle.code)\n"), "\(text)")
            #expect(text.contains("upstream proxy 127.0.0.1") == (obstacle.scheme == .https), "\(text)")
            #expect(server.seen.lines == obstacle.lines)
            #expect(try await scene.log.requests(1).map(\.verdict) == [obstacle.verdict])
        }
    }

    @Test(
        "A server behind a proxy is judged and reached, and the credential stays with the proxy",
        arguments: [false, true])
    func reached(isSecure: Bool) async throws {
        let chain = try ProxyScene.chain { $0.ipAddresses.append("127.0.0.1") }
        try await Self.with(chain, scheme: isSecure ? .https : .http) { scene, server in
            let (response, content) = try await scene.session().data(from: "https://server.test/a")
            #expect(response.status == 200 && String(buffer: content) == "hello /a")
            #expect(server.seen.lines == ["CONNECT server.test:443 HTTP/1.1", "GET /a HTTP/1.1"])
            #expect(server.seen.requests.last?.value("Proxy-Authorization") == nil)
            #expect(try await scene.log.requests(1).first?.verdict == .trusted)
        }
    }

    @Test("A host of the exceptions is connected to without the proxy")
    func exceptions() async throws {
        let answer = Answers { _ in TestHTTPServer.response("direct") }
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), answer) { direct in
            try await Self.with([]) { configuration in
                configuration.proxies.exceptions = ProxyExceptions("server.test")
                configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: direct.port))
            } _: { scene, upstream in
                let (_, content) = try await scene.session().data(from: "https://server.test/")
                #expect(String(buffer: content) == "direct" && upstream.seen.connections == 0)
            }
        }
    }

    @Test("What a proxy asks for is not asked of the client")
    func challenge() async throws {
        let answer = TestHTTPServer.response("", "407 X", fields: ["Proxy-Authenticate: Basic realm=\"r\""])
        try await Self.with([], password: nil, answers: Answers { _ in answer }) { scene, server in
            let (response, content) = try await scene.session().data(from: "http://server.test/")
            #expect(response.status == 502 && response.fields[.proxyAuthenticate] == nil)
            #expect(String(buffer: content).contains("code: upstream-credential\n"))
            #expect(server.seen.lines == ["GET http://server.test/ HTTP/1.1"])
            #expect(try await scene.log.requests(1).first?.verdict == .failed)
        }
    }
}
