//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import TLSWire
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Sessions behind proxies", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTPSessionProxyTests {
    private static func session(
        _ port: Int, tunnels: Bool = false, schemes: HTTPAuthenticationSchemes? = nil,
        _ change: (inout HTTPSessionConfiguration) -> Void = { _ in }
    ) throws -> HTTPSession {
        let credential = try schemes.map {
            HTTPRequestCredential(try HTTPCredential(user: "proxy", password: "secret"), schemes: $0)
        }
        let proxy = Proxy(.http, host: try Host("127.0.0.1"), port: port)
        return SessionFixture.plain { configuration in
            configuration.proxies = ProxyPolicy(proxy)
            configuration.proxies.credential = credential
            configuration.proxies.tunnelsPlainHTTP = tunnels
            change(&configuration)
        }
    }

    private static let digest = #"Digest realm="p", nonce="n1", qop="auth", algorithm=SHA-256"#

    @Test("A proxy gets whole URLs and its own credential. The server's field is not its own")
    func absoluteForm() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("hello") }) { proxy in
            var request = try HTTPSessionRequest("http://user:pass@server.test:81/a?b")
            request.fields[.proxyAuthorization] = "Basic bWluZQ=="
            #expect(try await Self.session(proxy.port).text(request) == "hello")
            let seen = try #require(proxy.seen.requests.first)
            #expect(seen.line == "GET http://server.test:81/a?b HTTP/1.1")
            #expect(seen.value("Host") == "server.test:81")
            #expect(seen.value("Proxy-Authorization") == "Basic bWluZQ==")
        }
    }

    @Test("A tunnel carries requests without TLS, and the server gets nothing of the proxy's")
    func tunnel() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.line.hasPrefix("CONNECT") ? .send("HTTP/1.1 200 OK\r\n\r\n") : TestHTTPServer.response("hello")
            }
        ) { proxy in
            var request = try HTTPSessionRequest("http://server.test/a")
            request.fields[.proxyAuthorization] = "Basic bWluZQ=="
            #expect(try await Self.session(proxy.port, tunnels: true).text(request) == "hello")
            #expect(proxy.seen.lines == ["CONNECT server.test:80 HTTP/1.1", "GET /a HTTP/1.1"])
            #expect(proxy.seen.requests.last?.value("Proxy-Authorization") == nil)
            #expect(proxy.seen.requests.first?.value("Cookie") == nil)
        }
    }

    @Test("A proxy that asks is answered with a nonce that is counted from one", arguments: [true, false])
    func tunnelChallenge(keepsConnection: Bool) async throws {
        let challenge =
            "HTTP/1.1 407 X\r\nContent-Length: 0\r\nProxy-Authenticate: \(Self.digest)\r\n"
            + (keepsConnection ? "" : "Connection: close\r\n") + "\r\n"
        try await TestHTTPServer.with(
            Answers { request in
                guard request.line.hasPrefix("CONNECT") else { return TestHTTPServer.response("hello") }
                guard request.value("Proxy-Authorization") != nil else {
                    return keepsConnection ? .send(challenge) : .sendAndClose(challenge)
                }
                return .send("HTTP/1.1 200 OK\r\n\r\n")
            }
        ) { proxy in
            let session = try Self.session(proxy.port, tunnels: true, schemes: [.basic, .digest])
            #expect(try await session.text("http://server.test/a") == "hello")
            let answers = proxy.seen.requests.compactMap { $0.value("Proxy-Authorization") }
            #expect(answers.count == 1 && answers[0].contains("nc=00000001"), "\(answers)")
            #expect(proxy.seen.connections == (keepsConnection ? 1 : 2))
        }
    }

    @Test("A proxy that refuses for good ends the request, and never without an end")
    func refusals() async throws {
        let challenge = "HTTP/1.1 407 X\r\nContent-Length: 0\r\nProxy-Authenticate: \(Self.digest), stale=true\r\n\r\n"
        try await TestHTTPServer.with(
            Answers { request in
                request.line.hasPrefix("CONNECT server")
                    ? .send(challenge) : .send("HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n")
            }
        ) { proxy in
            let session = try Self.session(proxy.port, tunnels: true, schemes: [.basic, .digest])
            let asked = await #expect(throws: HTTPSessionError.self) { try await session.text("http://server.test/") }
            #expect(asked?.code == .userAuthenticationRequired)
            #expect(proxy.seen.requests.count < 10)
            let refused = await #expect(throws: HTTPSessionError.self) { try await session.text("http://other.test/") }
            #expect(refused?.code == .cannotConnectToHost && refused.map { "\($0)" }?.contains("403") == true)
        }
    }

    @Test(
        "A proxy that is silent ends with the time for connecting, also once the tunnel is open",
        arguments: [true, false])
    func silence(opens: Bool) async throws {
        try await TestHTTPServer.with(Answers { _ in opens ? .send("HTTP/1.1 200 OK\r\n\r\n") : .silence }) { proxy in
            let session = try Self.session(proxy.port) { configuration in
                configuration.timeouts.connect = .milliseconds(300)
            }
            let error = await #expect(throws: HTTPSessionError.self) { try await session.text("https://server.test/") }
            #expect(error?.code == .timedOut, "\(error.map { "\($0)" } ?? "")")
        }
    }

    @Test("Another place is asked for by a tunnel, and what DNS would say is about the proxy")
    func routes() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.line.hasPrefix("CONNECT") ? .send("HTTP/1.1 200 OK\r\n\r\n") : TestHTTPServer.response("hello")
            }
        ) { server in
            let proxy = Proxy(.http, host: try Host("proxy.test"), port: server.port)
            var routes = ConnectionRoutes()
            routes.resolve(try Host("proxy.test"), port: server.port, to: try Host("127.0.0.1"))
            routes.resolve(try Host("server.test"), to: try Host("192.0.2.1"))
            let plain = SessionFixture.plain { ($0.proxies, $0.routes) = (ProxyPolicy(proxy), routes) }
            #expect(try await plain.text("http://server.test/a") == "hello")
            #expect(server.seen.lines == ["GET http://server.test/a HTTP/1.1"])
            routes.add(ConnectionRoute(host: try Host("backend.test"), port: 81), forHost: try Host("server.test"))
            let routed = SessionFixture.plain { ($0.proxies, $0.routes) = (ProxyPolicy(proxy), routes) }
            #expect(try await routed.text("http://server.test/a") == "hello")
            #expect(server.seen.lines.suffix(2) == ["CONNECT backend.test:81 HTTP/1.1", "GET /a HTTP/1.1"])
        }
    }

    @Test(
        "A server that asks as a proxy does gets no credential, and its response is delivered as it is",
        arguments: [false, true])
    func serverAsksAsProxy(tunnels: Bool) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.line.hasPrefix("CONNECT")
                    ? .send("HTTP/1.1 200 OK\r\n\r\n")
                    : TestHTTPServer.response("who", "407 X", fields: ["Proxy-Authenticate: Basic realm=\"r\""])
            }
        ) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/")
            request.credential = HTTPRequestCredential(
                try HTTPCredential(user: "server", password: "s"), schemes: [.basic, .digest])
            let session =
                tunnels
                ? try Self.session(server.port, tunnels: true, schemes: [.basic, .digest]) : SessionFixture.plain()
            let (response, content) = try await session.data(for: request)
            #expect(response.status == 407 && String(buffer: content) == "who")
            #expect(response.fields[.proxyAuthenticate] == "Basic realm=\"r\"")
            let asked = server.seen.requests.filter { $0.line.hasPrefix("GET") }
            #expect(asked.count == 1 && asked.allSatisfy { $0.value("Proxy-Authorization") == nil })
        }
    }

    @Test("The credentials of a server and of a proxy are told apart, though both are shown by Basic")
    func bothAsk() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.value("Proxy-Authorization") == nil
                    ? .send("HTTP/1.1 407 X\r\nContent-Length: 0\r\nProxy-Authenticate: Basic realm=\"p\"\r\n\r\n")
                    : TestHTTPServer.response("hello")
            }
        ) { proxy in
            var request = try HTTPSessionRequest("http://server.test/")
            request.credential = HTTPRequestCredential(
                try HTTPCredential(user: "server", password: "s"), schemes: .basic, sendsBasicUnasked: true)
            #expect(try await Self.session(proxy.port, schemes: [.basic]).text(request) == "hello")
            let last = try #require(proxy.seen.requests.last)
            #expect(last.value("Authorization") == "Basic c2VydmVyOnM=")
            #expect(last.value("Proxy-Authorization") == "Basic cHJveHk6c2VjcmV0")
        }
    }

    @Test("A nonce that a proxy gives for the next request is used for it")
    func nextNonce() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                let answer = request.value("Proxy-Authorization") ?? ""
                if request.target.hasSuffix("/a"), !answer.contains(#"nonce="n1""#) {
                    return .send("HTTP/1.1 407 X\r\nContent-Length: 0\r\nProxy-Authenticate: \(Self.digest)\r\n\r\n")
                }
                return TestHTTPServer.response(
                    "hello", fields: [#"Proxy-Authentication-Info: nextnonce="n2""#])
            }
        ) { proxy in
            let session = try Self.session(proxy.port, schemes: [.digest])
            #expect(try await session.text("http://server.test/a") == "hello")
            #expect(try await session.text("http://server.test/b") == "hello")
            let last = try #require(proxy.seen.requests.last?.value("Proxy-Authorization"))
            #expect(last.contains(#"nonce="n2""#) && last.contains("nc=00000001"), "\(last)")
            #expect(proxy.seen.requests.count == 3)
        }
    }

    @Test(
        "Hosts are excepted by name, by domain, by address and by block",
        arguments: [
            ("", "server.test", false), ("*", "server.test", true), ("test", "server.test", true),
            (".test", "server.test", true),
            ("server.test", "a.server.test", true), ("erver.test", "server.test", false),
            ("other", "server.test", false),
            ("server.test:80", "server.test", true), ("server.test:81", "server.test", false),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.0/8", "127.1.2.3", true), ("10.0.0.0/8", "127.0.0.1", false),
            ("a, b server.test", "server.test", true),
            ("[::1]", "[::1]", true), ("fe80::/10", "[fe80::1]", true), ("SERVER.TEST.", "server.test", true),
            ("0.0.0.1", "127.0.0.1", false),
        ])
    func exceptions(list: String, host: String, isCovered: Bool) throws {
        var policy = ProxyPolicy(Proxy(.http, host: try Host("proxy.test"), port: 1))
        policy.exceptions = ProxyExceptions(list)
        let origin = try HTTPURL("http://\(host)/").origin
        #expect((try policy.hop(for: origin) == nil) == isCovered)
    }

    @Test("Proxies of the environment are read in lower case, and a client's field cannot set one")
    func environment() throws {
        let policy = try ProxyPolicy(environment: [
            "HTTP_PROXY": "http://evil:1", "https_proxy": "https://u:p@p.test:8", "NO_PROXY": "a.test",
        ])
        #expect(policy.http == nil)
        #expect(policy.https?.scheme == .https && policy.https?.port == 8 && policy.https?.credentials != nil)
        let excepted = try HTTPURL("https://a.test/").origin
        #expect(try policy.hop(for: excepted) == nil)
        #expect(throws: ProxyError.self) { try ProxyPolicy(environment: ["http_proxy": "ftp://p"]) }
        #expect(throws: ProxyError.self) { try Proxy("http://p:x") }
        #expect("\(policy.https.map { "\($0)" } ?? "")" == "https://p.test:8")
    }

    @Test("A malformed proxy fails the requests that would pass it, and no others")
    func unusedProxy() async throws {
        let policy = try ProxyPolicy(environment: ["http_proxy": "http://p:x", "no_proxy": "127.0.0.1"])
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("direct") }) { server in
            let session = SessionFixture.plain { $0.proxies = policy }
            let text = try await session.text("http://127.0.0.1:\(server.port)/")
            #expect(text == "direct")
            let error = await #expect(throws: HTTPSessionError.self) {
                try await session.text("http://localhost:\(server.port)/")
            }
            #expect(error?.description.contains("The proxy cannot be used") == true)
            #expect(server.seen.requests.count == 1)
        }
    }

    @Test("An empty variable of the environment is as good as none")
    func emptyVariables() throws {
        let policy = try ProxyPolicy(environment: [
            "http_proxy": "", "https_proxy": "", "HTTPS_PROXY": "http://p.test:8", "all_proxy": "",
            "ALL_PROXY": "http://q.test:9", "no_proxy": "", "NO_PROXY": "a.test",
        ])
        #expect(policy.http?.port == 9)
        #expect(policy.https?.port == 8)
        #expect(try policy.hop(for: try HTTPURL("https://a.test/").origin) == nil)
        #expect(try policy.hop(for: try HTTPURL("https://b.test/").origin)?.proxy == policy.https)
    }
}
