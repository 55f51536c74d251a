//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrustNIO
import Synchronization
import TestSupport
import Testing

@Suite("Programs that decide about redirects", .limitedConcurrency, .timeLimit(.minutes(10)))
struct RedirectDecisionTests {
    private static let answers = Answers { request in
        switch request.target {
        case "/a": TestHTTPServer.response("first", "302 X", fields: ["Location: /b"])
        case "/b": TestHTTPServer.response("second", "307 X", fields: ["Location: /c"])
        default: TestHTTPServer.response(request.line)
        }
    }

    @Test(
        "A redirect that is not followed is the response, and the redirects before it were followed",
        arguments: [("/b", 302, "first", 1), ("/c", 307, "second", 2), ("/d", 200, "GET /c HTTP/1.1", 3)])
    func decided(refused: String, status: Int, content: String, requests: Int) async throws {
        try await TestHTTPServer.with(Self.answers) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            request.followsRedirect = { !$0.destination.description.hasSuffix(refused) }
            let (response, body) = try await SessionFixture.plain().data(for: request)
            #expect(response.status == status)
            #expect(String(buffer: body) == content)
            #expect(server.seen.requests.count == requests)
        }
    }

    @Test("Six statuses redirect to the place that Location names, and no other", arguments: 300...399)
    func statuses(status: Int) async throws {
        let isRedirect = [300, 301, 302, 303, 307, 308].contains(status)
        let answers = Answers { request in
            request.target == "/a"
                ? TestHTTPServer.response("", "\(status) X", fields: ["Location: /b"])
                : TestHTTPServer.response("there")
        }
        try await TestHTTPServer.with(answers) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            let (response, _) = try await SessionFixture.plain().data(for: request)
            #expect(response.status == (isRedirect ? 200 : status))
            #expect(server.seen.requests.count == (isRedirect ? 2 : 1))
        }
    }

    @Test(
        "A response with several places redirects to none of them, and the same place twice is one place",
        arguments: [
            (["/b", "/b"], 200), (["/b", " /b\t"], 200), (["/b", "/c"], nil), (["/b", "http://other.test/"], nil),
            (["/b", ""], nil), (["", "/b"], 302),
        ] as [([String], Int?)])
    func places(places: [String], status: Int?) async throws {
        let answers = Answers { request in
            request.target == "/a"
                ? TestHTTPServer.response("", "302 X", fields: places.map { "Location: \($0)" })
                : TestHTTPServer.response("there")
        }
        try await TestHTTPServer.with(answers) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            do {
                let (response, _) = try await SessionFixture.plain().data(for: request)
                #expect(response.status == status)
            } catch let error as HTTPSessionError {
                #expect(status == nil && error.code == .redirectToNonExistentLocation, "\(error)")
            }
            #expect(server.seen.requests.count == (status == 200 ? 2 : 1))
        }
    }

    @Test(
        "A place may have blanks and octets beyond ASCII, and no control character",
        arguments: [
            ("/b c?d e", "/b%20c?d+e"), ("/\u{E4}", "/%C3%A4"), ("b", "/b"), ("?x", "/a?x"), ("/b/../c#d", "/c"),
            ("/b\u{1}c", nil),
        ] as [(String, String?)])
    func spellings(place: String, target: String?) async throws {
        let answers = Answers { request in
            request.target == "/a"
                ? TestHTTPServer.response("", "302 X", fields: ["Location: \(place)"])
                : TestHTTPServer.response("there")
        }
        try await TestHTTPServer.with(answers) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            let response = try? await SessionFixture.plain().data(for: request).0
            #expect(response?.url.target == target)
            #expect(server.seen.requests.count == (target == nil ? 1 : 2))
        }
    }

    @Test("A user and a password in a redirect are for the place that it names alone")
    func userInformation() async throws {
        try await TestHTTPServer.with(
            Answers { request in
                request.target == "/a"
                    ? TestHTTPServer.response(
                        "", "302 X", fields: ["Location: http://user:secret@\(request.value("Host") ?? "")/b"])
                    : TestHTTPServer.response("", "401 X", fields: [#"WWW-Authenticate: Basic realm="x""#])
            }
        ) { server in
            let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            #expect(try await SessionFixture.plain().data(for: request).0.status == 401)
            let fields = server.seen.requests.map { $0.values("Authorization") }
            #expect(fields == [[], ["Basic dXNlcjpzZWNyZXQ="]])
        }
    }

    @Test("What is asked names the status, both places and the method that is sent")
    func told() async throws {
        try await TestHTTPServer.with(Self.answers) { server in
            let seen = Mutex<[HTTPRedirect]>([])
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a", method: .post)
            request.body = .text("x")
            request.followsRedirect = { redirect in
                seen.withLock { $0.append(redirect) }
                return true
            }
            _ = try await SessionFixture.plain().data(for: request)
            let asked = seen.withLock { $0 }
            #expect(asked.map(\.status) == [302, 307])
            #expect(asked.map(\.method) == [.get, .get])
            #expect(asked.map(\.source.target) == ["/a", "/b"])
            #expect(asked.map(\.destination.target) == ["/b", "/c"])
        }
    }

    @Test("Nothing is asked about redirects that the session does not follow")
    func unasked() async throws {
        try await TestHTTPServer.with(Self.answers) { server in
            var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/a")
            request.redirects = .none
            request.followsRedirect = { _ in
                Issue.record("asked")
                return true
            }
            #expect(try await SessionFixture.plain().data(for: request).0.status == 302)
            request.redirects = RedirectPolicy()
            request.redirects.maximumCount = 0
            await #expect(throws: HTTPSessionError.self) { try await SessionFixture.plain().data(for: request) }
        }
    }
}
