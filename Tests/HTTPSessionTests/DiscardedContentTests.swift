//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes
import ServerTrust
import ServerTrustNIO
import TLSWire
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Content of responses that are not delivered", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DiscardedContentTests {
    private static let cuts = [
        "Content-Length: 50\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        "Transfer-Encoding: chunked\r\n\r\n",
    ]

    @Test("A malformed one is an error", arguments: ["Transfer-Encoding: chunked\r\n\r\nxyz\r\n"])
    func malformed(rest: String) async throws {
        try await TestHTTPServer.with(Answers { _ in .sendAndClose("HTTP/1.1 302 X\r\nLocation: /b\r\n\(rest)") }) {
            server in
            let error = await #expect(throws: HTTPSessionError.self) {
                try await SessionFixture.plain().text("http://127.0.0.1:\(server.port)/a")
            }
            #expect(error?.code == .badServerResponse)
            #expect(server.seen.requests.count == 1)
        }
    }

    @Test("One that never ends ends with the time for all")
    func silent() async throws {
        let answer = TestHTTPServer.Answer.send("HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nab")
        try await TestHTTPServer.with(Answers { _ in answer }) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            request.timeout = .seconds(3)
            let changed = request
            let error = await #expect(throws: HTTPSessionError.self) { try await SessionFixture.plain().text(changed) }
            #expect(error?.code == .timedOut)
            #expect(server.seen.requests.count == 1)
        }
    }

    @Test("A redirect whose content does not come is followed on another connection")
    func late() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? .send("HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 50\r\n\r\nabc")
                    : TestHTTPServer.response("there")
            }
        ) { server in
            let text = try await SessionFixture.plain().text("http://127.0.0.1:\(server.port)/a")
            #expect(text == "there")
            #expect(server.seen.connections == 2)
        }
    }

    @Test("A redirect whose content is cut is followed on another connection", arguments: cuts)
    func redirects(rest: String) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? .sendAndClose("HTTP/1.1 302 X\r\nLocation: /b\r\n\(rest)") : TestHTTPServer.response("there")
            }
        ) { server in
            let text = try await SessionFixture.plain().text("http://127.0.0.1:\(server.port)/a")
            #expect(text == "there")
            #expect(server.seen.connections == 2)
        }
    }

    @Test("A challenge whose content is cut is answered on another connection", arguments: cuts)
    func challenges(rest: String) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.value("Authorization") == nil
                    ? .sendAndClose("HTTP/1.1 401 X\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n\(rest)")
                    : TestHTTPServer.response("there")
            }
        ) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            request.credential = HTTPRequestCredential(try HTTPCredential(user: "u", password: "p"))
            let text = try await SessionFixture.plain().text(request)
            #expect(text == "there")
            #expect(server.seen.connections == 2)
        }
    }

    @Test("A proxy whose refusal is cut is answered on another connection", arguments: cuts)
    func proxies(rest: String) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                if request.line.hasPrefix("GET") { return TestHTTPServer.response("there") }
                return request.value("Proxy-Authorization") == nil
                    ? .sendAndClose("HTTP/1.1 407 X\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n\(rest)")
                    : .send("HTTP/1.1 200 OK\r\n\r\n")
            }
        ) { proxy in
            let credential = HTTPRequestCredential(try HTTPCredential(user: "u", password: "p"))
            let session = SessionFixture.plain { configuration in
                guard let host = try? Host("127.0.0.1") else { return }
                configuration.proxies = ProxyPolicy(Proxy(.http, host: host, port: proxy.port))
                configuration.proxies.credential = credential
                configuration.proxies.tunnelsPlainHTTP = true
            }
            let text = try await session.text("http://server.test/a")
            #expect(text == "there")
            #expect(proxy.seen.connections == 2)
        }
    }

    @Test("A proof that covers the content is held against it, and a wrong one is an error at its end")
    func proofs() async throws {
        // RFC 7616 §3.5: the proof depends on the client's nonce, which the server takes from the request.
        try await TestHTTPServer.with(
            Answers { request in
                guard let value = request.value("Authorization") else {
                    return TestHTTPServer.response(
                        "", "401 X", fields: [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#])
                }
                let proof = Self.proof(of: "hello", in: value)
                let field = "Authentication-Info: qop=auth-int, rspauth=\"\(proof)\""
                return TestHTTPServer.response(request.target == "/right" ? "hello" : "hallo", fields: [field])
            }
        ) { server in
            for (path, isRight) in [("/right", true), ("/wrong", false), ("/right", true)] {
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)\(path)")
                request.credential = HTTPRequestCredential(try HTTPCredential(user: "u", password: "p"))
                let (response, content) = try await SessionFixture.plain().bytes(for: request)
                #expect(response.status == 200)
                let error = await Self.error { for try await _ in content {} }
                #expect((error == nil) == isRight, "\(path)")
                #expect(error == nil || error?.code == .userAuthenticationRequired)
            }
        }
    }

    @Test("A proof in the trailers is held against the response, and a wrong one is an error at its end")
    func trailerProofs() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                guard let value = request.value("Authorization") else {
                    return TestHTTPServer.response(
                        "", "401 X", fields: [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#])
                }
                let proof = Self.proof(of: request.target == "/content" ? "hallo" : "hello", in: value)
                let rest = [
                    "/none": "", "/malformed": "Authentication-Info: qop\r\n",
                    "/auth": "Authentication-Info: qop=auth, rspauth=\"\(proof)\"\r\n",
                ]
                let trailers = rest[request.target] ?? "Authentication-Info: qop=auth-int, rspauth=\"\(proof)\"\r\n"
                return .send("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\(trailers)\r\n")
            }
        ) { server in
            for (path, isRight) in [
                ("/content", false), ("/auth", false), ("/malformed", false), ("/right", true), ("/none", true),
            ] {
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)\(path)")
                request.credential = HTTPRequestCredential(try HTTPCredential(user: "u", password: "p"))
                let (_, content) = try await SessionFixture.plain().bytes(for: request)
                let error = await Self.error { for try await _ in content {} }
                #expect((error == nil) == isRight, "\(path)")
                #expect(error == nil || error?.code == .userAuthenticationRequired)
            }
        }
    }

    @Test("A nonce in the trailers is used for the next request, once the response is proven")
    func trailingNonce() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                guard let value = request.value("Authorization") else {
                    return TestHTTPServer.response(
                        "", "401 X", fields: [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#])
                }
                let proof = Self.proof(of: request.target == "/wrong" ? "hallo" : "hello", in: value)
                let trailer = "Authentication-Info: nextnonce=\"m\", qop=auth-int, rspauth=\"\(proof)\"\r\n"
                return .send("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\(trailer)\r\n")
            }
        ) { server in
            for (path, nonce) in [("/wrong", "n"), ("/right", "m")] {
                let session = SessionFixture.plain()
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)\(path)")
                request.credential = HTTPRequestCredential(try HTTPCredential(user: "u", password: "p"))
                for _ in 0..<2 { _ = try? await session.text(request) }
                let last = try #require(server.seen.requests.last?.value("Authorization"))
                #expect(last.contains("nonce=\"\(nonce)\","), "\(last)")
            }
        }
    }

    private static func error(_ body: () async throws -> Void) async -> HTTPSessionError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? HTTPSessionError
        }
    }

    /// `rspauth` of a server that knows the password.
    private static func proof(of content: String, in value: String) -> String {
        let fields: HTTPFields = [.wwwAuthenticate: value]
        let sent = HTTPChallenge.challenges(in: fields, target: .server).first
        guard let algorithm = DigestAlgorithm("MD5"), let sent else { return "" }
        func octets(_ name: String) -> [UInt8] { Array((sent[name] ?? "").utf8) }
        let key = algorithm.digest([Array("u".utf8), Array("r".utf8), Array("p".utf8)])
        let covered = algorithm.digest([[], octets("uri"), algorithm.digest(of: Array(content.utf8))])
        let proof = algorithm.digest([
            key, octets("nonce"), octets("nc"), octets("cnonce"), Array("auth-int".utf8), covered,
        ])
        return String(decoding: proof, as: UTF8.self)
    }
}
