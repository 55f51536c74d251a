//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import NIOCore
import ServerTrust
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Sessions and credentials", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTPSessionCredentialTests {
    private static let digest = #"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#

    @Test("What a redirect says about who asks counts only where the program says nothing")
    func userInformation() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? TestHTTPServer.response(
                        "", "302 X", fields: ["Location: http://evil:evil@\(request.value("Host") ?? "")/b"])
                    : TestHTTPServer.response(request.value("Authorization") ?? "none")
            }
        ) { server in
            let (own, evil) = ("Basic dXNlcjpwYXNz", "Basic ZXZpbDpldmls")
            let place = "127.0.0.1:\(server.port)"
            var request = try HTTPSessionRequest("http://other:x@\(place)/a")
            request.credential = HTTPRequestCredential(
                try HTTPCredential(user: "user", password: "pass"), schemes: .basic, sendsBasicUnasked: true)
            #expect(try await SessionFixture.plain().text(request) == own)
            #expect(try await SessionFixture.plain().text("http://user:pass@\(place)/a") == own)
            #expect(try await SessionFixture.plain().text("http://\(place)/a") == evil)
        }
    }

    @Test(
        "A connection that a credential authenticates serves no other request",
        arguments: [
            ("NTLM TlRMTVNTUAAB", 3), ("negotiate YII=", 3), ("\tKerberos x", 3), ("Basic YTpi", 1), ("Bearer ntlm", 1),
            ("NTLMish x", 1),
        ])
    func authenticatedConnection(credential: String, connections: Int) async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response() }) { server in
            let session = SessionFixture.plain()
            let url = "http://127.0.0.1:\(server.port)/"
            var request = try HTTPSessionRequest(url)
            request.fields[.authorization] = credential
            _ = try await session.text(request)
            _ = try await session.text(url)
            _ = try await session.text(request)
            _ = try await session.text(url)
            #expect(server.seen.connections == connections)
        }
    }

    @Test("What a redirect says about who asks counts for nothing where the program has written the field itself")
    func writtenField() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? TestHTTPServer.response("", "302 X", fields: ["Location: http://evil:evil@other.test/b"])
                    : TestHTTPServer.response(request.value("Authorization") ?? "none")
            }
        ) { server in
            let route = ConnectionRoute(host: try Host("127.0.0.1"), port: server.port)
            let session = SessionFixture.plain { $0.routes.add(route) }
            var request = try HTTPSessionRequest("http://server.test/a")
            #expect(try await session.text(request) == "Basic ZXZpbDpldmls")
            request.fields[.authorization] = "Own"
            #expect(try await session.text(request) == "none")
        }
    }

    @Test("Content that can be sent once waits for the challenge that is expected")
    func heldContent() async throws {
        for asks in [true, false] {
            try await TestHTTPServer.with(
                Answers { request in
                    asks && request.value("Authorization") == nil
                        ? TestHTTPServer.response("", "401 X", fields: [Self.digest])
                        : TestHTTPServer.response(request.content)
                }
            ) { server in
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
                request.credential = HTTPRequestCredential(
                    try HTTPCredential(user: "user", password: "pass"), schemes: .digest)
                request.body = .stream(length: nil, isReplayable: false) {
                    HTTPRequestBody.Octets { continuation in
                        continuation.yield(ByteBuffer(string: "once"))
                        continuation.finish()
                    }
                }
                #expect(try await SessionFixture.plain().text(request) == "4\r\nonce\r\n", "\(asks)")
                #expect(server.seen.requests.map(\.content) == ["", "4\r\nonce\r\n"], "\(asks)")
            }
        }
    }

    @Test("Content that is made as it is sent is read for a digest that has to cover it", arguments: [true, false])
    func coveredStream(isReplayable: Bool) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.value("Authorization")?.contains("qop=auth-int") == true
                    ? TestHTTPServer.response("hello")
                    : TestHTTPServer.response(
                        "no", "401 X", fields: [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth-int""#])
            }
        ) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
            request.credential = HTTPRequestCredential(try HTTPCredential(user: "u", password: "p"))
            request.body = .stream(length: 10, isReplayable: isReplayable) {
                HTTPRequestBody.Octets { continuation in
                    for _ in 0..<2 { continuation.yield(ByteBuffer(string: "12345")) }
                    continuation.finish()
                }
            }
            let text = try await SessionFixture.plain().text(request)
            #expect(text == (isReplayable ? "hello" : "no"))
            guard isReplayable else { return }
            let asked = try #require(server.seen.requests.last)
            #expect(asked.content == "1234512345")
            let expected = try Self.response(to: asked, content: "1234512345")
            #expect(asked.value("Authorization")?.contains(expected) == true)
        }
    }

    /// The response that covers a content, computed anew.
    private static func response(to request: TestHTTPServer.Request, content: String) throws -> String {
        let fields: HTTPFields = [.wwwAuthenticate: request.value("Authorization") ?? ""]
        let sent = try #require(HTTPChallenge.challenges(in: fields, target: .server).first)
        let algorithm = try #require(DigestAlgorithm("MD5"))
        func hash(_ parts: String...) -> String {
            String(decoding: algorithm.digest(parts.map { Array($0.utf8) }), as: UTF8.self)
        }
        let (nc, cnonce) = (sent["nc"] ?? "", sent["cnonce"] ?? "")
        return hash(hash("u", "r", "p"), "n", nc, cnonce, "auth-int", hash("PUT", "/", hash(content)))
    }

    @Test("Content of a file comes over whole, many times")
    func uploads() async throws {
        try await TestHTTPServer.with(Answers { TestHTTPServer.response($0.content) }) { server in
            let session = SessionFixture.plain()
            for number in 0..<200 {
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
                request.body = .stream(length: 3, isReplayable: true) {
                    HTTPRequestBody.Octets { continuation in
                        continuation.yield(ByteBuffer(string: "abc"))
                        continuation.finish()
                    }
                }
                #expect(try await session.text(request) == "abc", "\(number)")
            }
        }
    }

    @Test("A Host field of the program is where cookies are from and for")
    func cookieHost() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                TestHTTPServer.response(
                    request.values("Cookie").joined(), fields: ["Set-Cookie: a=b; Domain=example.com"])
            }
        ) { server in
            let session = SessionFixture.plain { $0.cookies = HTTPCookieStorage() }
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/")
            #expect(try await session.text(request) == "")
            #expect(try await session.text(request) == "")
            request.fields[.hostName] = "www.example.com"
            #expect(try await session.text(request) == "")
            #expect(try await session.text(request) == "a=b")
            request.fields[.hostName] = nil
            #expect(try await session.text(request) == "")
        }
    }

    @Test("A method of the program's own stays, and content goes by what it stands for")
    func ownMethods() async throws {
        for (status, rules, keeps) in [
            (301, "POST", false), (301, "PUT", true), (303, "PUT", false), (307, "POST", true),
        ] {
            try await TestHTTPServer.with(
                Answers { request in
                    request.target == "/a"
                        ? TestHTTPServer.response("", "\(status) X", fields: ["Location: /b"])
                        : TestHTTPServer.response()
                }
            ) { server in
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a", method: .delete)
                request.body = .text("content")
                request.redirects.rulesOfMethod = .init(rules)
                _ = try await SessionFixture.plain().data(for: request)
                let last = try #require(server.seen.requests.last)
                #expect(last.line == "DELETE /b HTTP/1.1")
                #expect(last.content == (keeps ? "content" : ""), "\(status), \(rules)")
            }
        }
    }

    @Test("A handler is asked as a task's delegate is, and what it gives is sent")
    func handlers() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.value("Authorization") == "Basic dXNlcjpwYXNz"
                    ? TestHTTPServer.response("hello")
                    : TestHTTPServer.response("no", "401 X", fields: [#"WWW-Authenticate: Basic realm="r""#])
            }
        ) { server in
            let url = "http://127.0.0.1:\(server.port)/"
            let right = SessionFixture.plain {
                $0.challenges = Handler { _ in
                    .useCredential(Credential(user: "user", password: "pass", persistence: .none))
                }
            }
            let accepted = try await right.text(url)
            #expect(accepted == "hello")
            let wrong = SessionFixture.plain {
                $0.challenges = Handler { challenge in
                    challenge.previousFailureCount < 2
                        ? .useCredential(Credential(user: "user", password: "wrong", persistence: .none))
                        : .performDefaultHandling
                }
            }
            let refused = try await wrong.text(url)
            #expect(refused == "no")
            let cancelling = SessionFixture.plain { $0.challenges = Handler { _ in .cancelAuthenticationChallenge } }
            let error = await #expect(throws: HTTPSessionError.self) { try await cancelling.text(url) }
            #expect(error?.code == .userCancelledAuthentication)
            let unasked = try await SessionFixture.plain().text(url)
            #expect(unasked == "no")
        }
    }

    private struct Handler: ChallengeHandler {
        let answer: @Sendable (AuthenticationChallenge) -> AuthenticationDisposition

        init(_ answer: @escaping @Sendable (AuthenticationChallenge) -> AuthenticationDisposition) {
            self.answer = answer
        }

        func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition {
            self.answer(challenge)
        }
    }
}
