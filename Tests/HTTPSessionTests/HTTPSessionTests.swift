//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Sessions over HTTP/1.1", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTPSessionTests {
    // MARK: Redirects

    @Test("Credentials, cookies and the Host field of one origin go to no other")
    func credentialsStay() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("there") }) { other in
            try await TestHTTPServer.with(
                Answers { request in
                    request.target == "/back"
                        ? TestHTTPServer.response("back")
                        : TestHTTPServer.response(
                            "", "302 Found", fields: ["Location: http://127.0.0.1:\(other.port)/x"])
                }
            ) { server in
                for explicit in [true, false] {
                    var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/")
                    if explicit {
                        request.fields[.authorization] = "Basic c2VjcmV0"
                        request.fields[.cookie] = "secret=1"
                        request.fields[.hostName] = "secret.example"
                    } else {
                        request.url = try HTTPURL("http://user:secret@127.0.0.1:\(server.port)/")
                    }
                    request.credential = HTTPRequestCredential(
                        try HTTPCredential(user: "user", password: "secret"), sendsBasicUnasked: true)
                    #expect(try await SessionFixture.plain().text(request) == "there")
                    let first = try #require(server.seen.requests.last)
                    #expect(first.value("Authorization")?.hasPrefix("Basic ") == true)
                    let second = try #require(other.seen.requests.last)
                    #expect(second.value("Authorization") == nil && second.value("Cookie") == nil, "\(second.head)")
                    #expect(second.value("Host") == "127.0.0.1:\(other.port)")
                    // Where the program says so in so many words, they go.
                    request.redirects.dangerouslySendsCredentialsToAnyOrigin = true
                    #expect(try await SessionFixture.plain().text(request) == "there")
                    #expect(other.seen.requests.last?.value("Authorization")?.hasPrefix("Basic ") == true)
                }
            }
        }
    }

    @Test("What a URL says of who asks goes nowhere else, whatever the policy says", arguments: [true, false])
    func credentialsOfURLs(isInURL: Bool) async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("there") }) { other in
            let there = "Location: http://127.0.0.1:\(other.port)/x"
            try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("", "302 X", fields: [there]) }) {
                server in
                let user = isInURL ? "user:secret@" : ""
                var request = try HTTPSessionRequest("http://\(user)127.0.0.1:\(server.port)/")
                request.redirects.dangerouslySendsCredentialsToAnyOrigin = true
                if !isInURL {
                    let credential = try HTTPCredential(user: "user", password: "secret")
                    request.credential = HTTPRequestCredential(credential, sendsBasicUnasked: true)
                    request.credential?.isForOriginAlone = true
                }
                #expect(try await SessionFixture.plain().text(request) == "there")
                #expect(server.seen.requests.last?.value("Authorization")?.hasPrefix("Basic ") == true)
                #expect(other.seen.requests.last?.value("Authorization") == nil)
            }
        }
    }

    @Test("A change of protocol that was not asked for is an error")
    func unaskedChange() async throws {
        let answer = Answers { _ in
            .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
        }
        try await TestHTTPServer.with(answer) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/")
            let error = await #expect(throws: HTTPSessionError.self) {
                try await SessionFixture.plain().data(for: request)
            }
            #expect(error?.description.contains("changes the protocol") == true)
        }
    }

    @Test(
        "Redirects change the method as RFC 9110 section 15.4 says",
        arguments: [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
            (308, "POST", "POST"),
            (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
            (302, "HEAD", "HEAD"),
            (300, "GET", "GET"),
        ])
    func methods(status: Int, method: String, after: String) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? .send("HTTP/1.1 \(status) X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
                    : .send("HTTP/1.1 204 X\r\n\r\n")
            }
        ) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a", method: .init(method) ?? .get)
            if method == "POST" || method == "PUT" {
                request.body = .text("content")
                request.fields[.contentType] = "text/plain"
            }
            #expect(try await SessionFixture.plain().data(for: request).0.status == 204)
            let second = try #require(server.seen.requests.last)
            #expect(second.line == "\(after) /b HTTP/1.1")
            let keeps = after == method && request.body.isPresent
            #expect(second.content == (keeps ? "content" : ""))
            #expect((second.value("Content-Type") != nil) == keeps, "\(second.head)")
        }
    }

    @Test("Fields of the session are those of each request, and secrets among them stay at its origin")
    func additionalFields() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? TestHTTPServer.response("", "302 X", fields: ["Location: http://other.test/b"])
                    : TestHTTPServer.response("ok")
            }
        ) { server in
            let route = ConnectionRoute(host: try Host("127.0.0.1"), port: server.port)
            let session = SessionFixture.plain {
                $0.routes.add(route)
                $0.additionalFields = [.authorization: "Own", .acceptLanguage: "de", .accept: "text/plain"]
            }
            var request = try HTTPSessionRequest("http://server.test/a")
            request.fields[.accept] = "image/png"
            _ = try await session.data(for: request)
            request.omittedFields = [.acceptLanguage, .authorization]
            _ = try await session.data(for: request)
            let requests = server.seen.requests
            #expect(requests.map { $0.value("Authorization") } == ["Own", nil, nil, nil])
            #expect(requests.map { $0.value("Accept-Language") } == ["de", "de", nil, nil])
            #expect(requests.allSatisfy { $0.values("Accept") == ["image/png"] })
        }
    }

    @Test(
        "A POST stays a POST after the statuses that the program names, and after no other",
        arguments: [
            (301, "POST", "POST"), (303, "POST", "POST"), (302, "POST", "GET"), (303, "PUT", "GET"),
            (303, "HEAD", "HEAD"),
        ])
    func keptPosts(status: Int, method: String, after: String) async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? .send("HTTP/1.1 \(status) X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
                    : .send("HTTP/1.1 204 X\r\n\r\n")
            }
        ) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a", method: .init(method) ?? .get)
            if method != "HEAD" { request.body = .text("content") }
            request.redirects.statusesKeepingPost = [301, 303]
            #expect(try await SessionFixture.plain().data(for: request).0.status == 204)
            let second = try #require(server.seen.requests.last)
            #expect(second.line == "\(after) /b HTTP/1.1")
            #expect(second.content == (after == "POST" ? "content" : ""))
        }
    }

    @Test(
        "What is no redirect is delivered",
        arguments: [
            "304 X\r\nLocation: /b", "305 X\r\nLocation: /b", "306 X\r\nLocation: /b", "302 X", "302 X\r\nLocation:",
            "200 X\r\nLocation: /b", "201 X\r\nLocation: /b",
        ])
    func delivered(head: String) async throws {
        try await TestHTTPServer.with(Answers { _ in .send("HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n") }) {
            server in
            let (response, _) = try await SessionFixture.plain().data(from: "http://127.0.0.1:\(server.port)/a")
            #expect("\(response.status)" == head.prefix(3))
            #expect(server.seen.requests.count == 1)
        }
    }

    @Test("A redirect that takes the content away takes the fields about it along, and no other")
    func fieldsOfContent() async throws {
        try await TestHTTPServer.with(
            Answers {
                $0.target == "/b"
                    ? TestHTTPServer.response() : TestHTTPServer.response("", "303 X", fields: ["Location: /b"])
            }
        ) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            (request.method, request.body) = (.post, .text("x"))
            let ofContent = [
                "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest", "Content-Digest",
                "Repr-Digest", "Last-Modified",
            ]
            for name in ofContent + ["X-Other"] { request.fields[try #require(HTTPField.Name(name))] = "y" }
            _ = try await SessionFixture.plain().text(request)
            let (first, second) = (server.seen.requests[0], server.seen.requests[1])
            for name in ofContent { #expect(first.value(name) == "y" && second.value(name) == nil, "\(name)") }
            #expect(second.value("Content-Length") == nil && second.value("X-Other") == "y")
        }
    }

    @Test("Where a redirect leaves TLS, the URL before is not told (RFC 9110 section 10.1.3)")
    func referer() async throws {
        try await TestHTTPServer.with(
            Answers {
                $0.target == "/b"
                    ? TestHTTPServer.response() : TestHTTPServer.response("", "302 X", fields: ["Location: /b"])
            }
        ) { plain in
            try await TestHTTPServer.with(
                tls: try SessionFixture.chain.get(),
                Answers { request in
                    TestHTTPServer.response(
                        "", "302 X", fields: ["Location: http://127.0.0.1:\(plain.port)\(request.target)"])
                }
            ) { server in
                let configuration = try SessionFixture.configuration(server.port) { configuration in
                    configuration.routes = ConnectionRoutes()
                    configuration.routes.resolve(try Host("server.test"), to: try Host("127.0.0.1"))
                    configuration.dangerouslyAllowsPlainHTTP = true
                }
                for (target, expected) in [("/b", nil), ("/a", "http://127.0.0.1:\(plain.port)/a")] {
                    var request = try HTTPSessionRequest("https://server.test:\(server.port)\(target)")
                    (request.redirects.setsReferer, request.redirects.allowsDowngrade) = (true, true)
                    request.fields[.referer] = "https://server.test/secret"
                    _ = try await HTTPSession(configuration).text(request)
                    #expect(plain.seen.requests.last?.target == "/b")
                    #expect(plain.seen.requests.last?.value("Referer") == expected)
                }
            }
        }
    }

    @Test("A connection ends with the request that says so, though the server would keep it (RFC 9112 section 9.6)")
    func closing() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("hello") }) { server in
            let session = SessionFixture.plain()
            for (value, connections) in [("keep-alive, Close", 1), ("close", 2), ("keep-alive", 3), ("x-close", 3)] {
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/")
                (request.method, request.body, request.fields[.connection]) = (.post, .text("x"), value)
                #expect(try await session.text(request) == "hello")
                #expect(server.seen.connections == connections)
            }
        }
    }

    @Test("Redirects end")
    func loops() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("", "302 X", fields: ["Location: /a"]) }) {
            server in
            let error = await #expect(throws: HTTPSessionError.self) {
                try await SessionFixture.plain().text("http://127.0.0.1:\(server.port)/a")
            }
            #expect(error?.code == .httpTooManyRedirects)
            #expect(server.seen.requests.count == 21)
            // One connection serves them all.
            #expect(server.seen.connections == 1)
        }
    }

    // MARK: Connections

    @Test("A request that may come twice is sent again when a kept connection was closed; others are not")
    func retries() async throws {
        for (method, isRepeated) in [("GET", true), ("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false)]
        {
            try await TestHTTPServer.with(
                Answers { request in
                    request.number == 1 && request.connection == 0 ? .reset : TestHTTPServer.response("a")
                }
            ) { server in
                let session = SessionFixture.plain()
                let url = "http://127.0.0.1:\(server.port)/"
                #expect(try await session.text(url) == "a")
                let request = try HTTPSessionRequest(url, method: .init(method) ?? .get)
                if isRepeated {
                    #expect(try await session.text(request) == "a", "\(method)")
                    #expect(server.seen.connections == 2)
                } else {
                    await #expect(throws: HTTPSessionError.self, "\(method)") { try await session.text(request) }
                    #expect(server.seen.requests.count == 2, "\(method)")
                }
            }
        }
    }

    @Test("A connection that was not used before is not tried twice")
    func freshConnections() async throws {
        try await TestHTTPServer.with(Answers { _ in .reset }) { server in
            let error = await #expect(throws: HTTPSessionError.self) {
                try await SessionFixture.plain().text("http://127.0.0.1:\(server.port)/")
            }
            #expect(error?.code == .networkConnectionLost)
            #expect(server.seen.requests.count == 1)
        }
    }

    @Test("Requests share as many connections as one host may have, and each gets its own response")
    func concurrency() async throws {
        try await TestHTTPServer.with(Answers { request in TestHTTPServer.response(request.target) }) { server in
            let session = SessionFixture.plain()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let text = try await session.text("http://127.0.0.1:\(server.port)/\(number)")
                        #expect(text == "/\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.seen.requests.count == 200)
            #expect(server.seen.connections <= 8)
        }
    }

    @Test("Cancelled requests end at once, and their connections serve no one else")
    func cancellation() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/slow" ? .silence : TestHTTPServer.response("a")
            }
        ) { server in
            let session = SessionFixture.plain()
            let url = "http://127.0.0.1:\(server.port)"
            let tasks = (0..<30).map { _ in Task { try await session.text("\(url)/slow") } }
            // As many as there are connections; the others wait for one.
            let count = HTTPConnectionPool.Limits().perHost
            while server.seen.requests.count < count { try await Task.sleep(for: .milliseconds(10)) }
            for task in tasks { task.cancel() }
            for task in tasks {
                let error = await #expect(throws: HTTPSessionError.self) { try await task.value }
                #expect(error?.code == .cancelled)
            }
            #expect(try await session.text("\(url)/") == "a")
        }
    }

    @Test("A request that takes too long ends, whatever it waits for")
    func timeouts() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                switch request.target {
                case "/head": .send("HTTP/1.1 200 OK\r\n")
                case "/content": .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
                // What this side closes is no end.
                case "/end": .send("HTTP/1.1 200 OK\r\n\r\nhel")
                default: .silence
                }
            }
        ) { server in
            for target in ["/", "/head", "/content", "/end"] {
                for isTotal in [true, false] {
                    let session = SessionFixture.plain { configuration in
                        configuration.timeouts.head = isTotal ? .seconds(60) : .milliseconds(200)
                        configuration.timeouts.idle = isTotal ? .seconds(60) : .milliseconds(200)
                        configuration.timeouts.total = isTotal ? .milliseconds(300) : nil
                    }
                    let error = await #expect(throws: HTTPSessionError.self) {
                        try await session.text("http://127.0.0.1:\(server.port)\(target)")
                    }
                    #expect(error?.code == .timedOut, "\(target), \(isTotal): \(error.map { "\($0)" } ?? "")")
                }
            }
        }
    }

    @Test("A response that is cut anywhere is an error, also one that ends with the connection of TLS alone")
    func cuts() async throws {
        let whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n"
        for length in 0..<whole.utf8.count {
            let text = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
            try await TestHTTPServer.with(Answers { _ in .sendAndClose(text) }) { server in
                await #expect(throws: HTTPSessionError.self, "\(text.debugDescription)") {
                    try await SessionFixture.plain().text("http://127.0.0.1:\(server.port)/")
                }
            }
        }
    }

    // MARK: Content

    @Test("Content that is sent is framed, and comes over whole")
    func uploads() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                TestHTTPServer.response(
                    "\(request.value("Content-Length") ?? "-") \(request.value("Transfer-Encoding") ?? "-")")
            }
        ) { server in
            let url = "http://127.0.0.1:\(server.port)/"
            let session = SessionFixture.plain()
            var request = try HTTPSessionRequest(url, method: .post)
            #expect(try await session.text(request) == "0 -")
            request.body = .text("hello")
            #expect(try await session.text(request) == "5 -")
            #expect(server.seen.requests.last?.content == "hello")
            request.body = Self.stream(["hel", "lo"], length: 5)
            #expect(try await session.text(request) == "5 -")
            #expect(server.seen.requests.last?.content == "hello")
            request.body = Self.stream(["hel", "lo"], length: nil)
            #expect(try await session.text(request) == "- chunked")
            #expect(server.seen.requests.last?.content == "3\r\nhel\r\n2\r\nlo\r\n")
            for length in [4, 6] {
                request.body = Self.stream(["hel", "lo"], length: length)
                await #expect(throws: HTTPSessionError.self, "\(length)") { try await session.text(request) }
            }
            request.body = .text("hello")
            request.fields[.contentLength] = "4"
            await #expect(throws: HTTPSessionError.self) { try await session.text(request) }
        }
    }

    private static func stream(_ parts: [String], length: Int?) -> HTTPRequestBody {
        .stream(length: length, isReplayable: true) {
            HTTPRequestBody.Octets { continuation in
                for part in parts { continuation.yield(ByteBuffer(string: part)) }
                continuation.finish()
            }
        }
    }

    @Test("Large content waits for the server's consent, and is not sent when it refuses")
    func expectation() async throws {
        try await TestHTTPServer.with(Answers { _ in .sendAndClose("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n") }) {
            server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
            request.body = .octets(ByteBuffer(repeating: 97, count: 4 << 20))
            // The test's server answers once it has read the content, or where it sees an expectation.
            let task = Task {
                try await SessionFixture.plain { $0.timeouts.expectation = .milliseconds(50) }.data(for: request)
            }
            let (response, _) = try await task.value
            #expect(response.status == 417)
            #expect(server.seen.requests.first?.value("Expect") == "100-continue")
        }
    }

    @Test("A server that takes no expectation is asked without one")
    func expectationFailed() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.value("Expect") != nil
                    ? TestHTTPServer.response("", "417 X") : TestHTTPServer.response("\(request.content.utf8.count)")
            }
        ) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
            request.body = .octets(ByteBuffer(repeating: 97, count: 2 << 20))
            let session = SessionFixture.plain { $0.timeouts.expectation = .milliseconds(50) }
            #expect(try await session.text(request) == "\(2 << 20)")
            // An expectation of the program's own is the program's.
            request.fields[.expect] = "100-continue"
            #expect(try await session.data(for: request).0.status == 417)
        }
    }

    @Test("Content beyond the limit is refused, however it comes")
    func sizes() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response(String(repeating: "a", count: 2_000)) }) {
            server in
            let session = SessionFixture.plain { $0.limits.dataSize = 1_999 }
            let error = await #expect(throws: HTTPSessionError.self) {
                try await session.text("http://127.0.0.1:\(server.port)/")
            }
            #expect(error?.code == .dataLengthExceedsMaximum)
        }
    }

    @Test("Cookies are kept and sent, and a redirect to another host gets none of them")
    func cookies() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                switch request.target {
                case "/set":
                    TestHTTPServer.response("", "302 X", fields: ["Set-Cookie: a=b; Path=/", "Location: /get"])
                case "/away": TestHTTPServer.response("", "302 X", fields: ["Location: http://other.test:80/get"])
                default: TestHTTPServer.response(request.values("Cookie").joined(separator: "|"))
                }
            }
        ) { server in
            let session = SessionFixture.plain { configuration in
                configuration.cookies = HTTPCookieStorage()
                configuration.routes.add(
                    ConnectionRoute(host: nil, port: server.port), forHost: try? .init("127.0.0.1"))
                configuration.routes.add(ConnectionRoute(host: try? .init("127.0.0.1"), port: server.port))
            }
            #expect(try await session.text("http://127.0.0.1/set") == "a=b")
            #expect(try await session.text("http://127.0.0.1/get") == "a=b")
            #expect(try await session.text("http://127.0.0.1/away") == "")
            var request = try HTTPSessionRequest("http://127.0.0.1/get")
            request.fields[.cookie] = "c=d"
            #expect(try await session.text(request) == "a=b; c=d")
        }
    }
}
