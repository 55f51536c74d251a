//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import HTTPSession
import HTTPTypes
import NIOCore
import ServerReports
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and servers that are refused", .limitedConcurrency, .timeLimit(.minutes(10)))
struct RefusedServerTests {
    /// Ways in which a server is not what the rules demand.
    enum Fault: String, CaseIterable {
        case unknownRoot, wrongName, expired, selfSigned, failedPin, transportSecurity

        func chain() throws -> [TestCertificate] {
            switch self {
            case .wrongName: try ProxyScene.chain { $0.dnsNames = ["wrong.test"] }
            case .expired:
                try ProxyScene.chain { $0.setValidity(from: .seconds(-400 * 86_400), lasting: .seconds(86_400)) }
            case .transportSecurity: try ProxyScene.chain { $0.keyKind = .p521 }
            case .selfSigned: [try ProxyScene.authority.get().selfSigned(.leaf(dnsNames: ["server.test"]))]
            case .unknownRoot, .failedPin: try ProxyScene.chain()
            }
        }

        func configure(_ configuration: inout InterceptingProxyConfiguration) throws {
            switch self {
            case .unknownRoot: configuration.trust.anchors = .none
            case .failedPin:
                configuration.trust.evaluator = ServerTrustEvaluator.pins([
                    try Pin(digest: [UInt8](repeating: 7, count: 32))
                ])
            default: break
            }
        }
    }

    @Test("A server that is refused receives no application data, and the client reads why", arguments: Fault.allCases)
    func refused(fault: Fault) async throws {
        try await TestHTTPServer.with(tls: try fault.chain(), Answers { _ in TestHTTPServer.response("secret") }) {
            bad in
            try await RecordRelay.with(bad.port) { relay in
                try await ProxyScene.with(server: relay.port) {
                    try fault.configure(&$0)
                } _: { scene in
                    let session = try scene.session()
                    for method in [HTTPRequestKind.get, .post] {
                        let (response, content) = try await session.data(for: try method.request())
                        let text = String(buffer: content)
                        #expect(response.status == 403, "\(fault): \(text)")
                        #expect(text.contains("reason: ") && text.contains("code: "), "\(fault): \(text)")
                        let status = response.fields[try #require(HTTPField.Name("Proxy-Status"))]
                        #expect(status == "servertrust; error=tls_certificate_error")
                    }
                    let requests = try await scene.log.requests(2)
                    #expect(requests.map(\.verdict) == [.refused, .refused] && requests.allSatisfy { $0.rule != nil })
                }
                #expect(
                    relay.fromClients.hasOnlyHelloAndAlerts
                        || relay.fromClients.records.allSatisfy { $0.type != 23 || $0.length <= 19 })
            }
            #expect(bad.seen.requests.isEmpty)
        }
    }

    /// Requests without content and with it.
    enum HTTPRequestKind {
        case get, post

        func request() throws -> HTTPSessionRequest {
            var request = try HTTPSessionRequest("https://server.test/")
            if case .post = self {
                request.method = .post
                request.body = .text("hello")
            }
            return request
        }
    }

    @Test("A redirect to a server that is refused passes, and the next request is refused")
    func redirect() async throws {
        let location = "Location: https://other.test/"
        let bad = try ProxyScene.chain { $0.setValidity(from: .seconds(-400 * 86_400), lasting: .seconds(86_400)) }
        try await TestHTTPServer.with(tls: bad, Answers { _ in TestHTTPServer.response("secret") }) { bad in
            let answer = TestHTTPServer.response("", "302 Found", fields: [location])
            try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in answer }) { good in
                try await ProxyScene.with(server: good.port) { configuration in
                    var routes = ConnectionRoutes()
                    let here = try Host("127.0.0.1")
                    routes.add(ConnectionRoute(host: here, port: bad.port), forHost: try Host("other.test"))
                    routes.add(ConnectionRoute(host: here, port: good.port))
                    configuration.routes = routes
                } _: { scene in
                    let (response, content) = try await scene.session().data(from: "https://server.test/")
                    #expect(response.status == 403 && response.url.host.text == "other.test")
                    #expect(String(buffer: content).contains("code: expired"), "\(String(buffer: content))")
                    #expect(good.seen.requests.count == 1 && bad.seen.requests.isEmpty)
                }
            }
        }
    }

    @Test(
        "A refusal is a page for browsers, JSON or text for programs",
        arguments: [
            (
                "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8",
                "<h1>This server is refused</h1>"
            ),
            ("application/json", "application/json", "\"format\" : \"servertrust.proxy-refusal/1\""),
            ("*/*", "text/plain; charset=utf-8", "The proxy: This server is refused (status 403)\n"),
        ])
    func forms(accept: String, type: String, part: String) async throws {
        let chain = try Fault.expired.chain()
        try await TestHTTPServer.with(tls: chain, Answers { _ in TestHTTPServer.response() }) { server in
            let spelling = RemedySpelling(words: ["expired": "Do this."], explaining: "program explain")
            try await ProxyScene.with(server: server.port, { $0.spelling = spelling }) { scene in
                var request = try HTTPSessionRequest("https://server.test/")
                request.fields[.accept] = accept
                let (response, content) = try await scene.session().data(for: request)
                #expect(response.fields[.contentType] == type)
                let text = String(buffer: content)
                #expect(text.contains(part) && text.contains("explain") && text.contains("Do this."), "\(text)")
                #expect(response.fields[.cacheControl] == "no-store")
            }
        }
    }

    @Test(
        "An answer has the form that the client likes best",
        arguments: [
            (nil, "text/plain"), ("*/*", "text/plain"), ("text/html", "text/html"),
            ("text/html, */*;q=0.8", "text/html"),
            ("text/html;q=0, application/json", "application/json"), ("application/problem+json", "application/json"),
            ("text/html ; q=0.2 , application/json; q=0.9", "application/json"), ("text/html;q=0", "text/plain"),
            ("text/html;q=0.5 , application/json;q=0.1", "text/html"), ("application/json, text/html", "text/html"),
            ("text/plain, text/html;q=0.5", "text/plain"),
            ("TEXT/HTML;Q=1.0", "text/html"), ("text/html;q=nan", "text/plain"),
            ("text/html;q=, application/json", "application/json"),
            (";,;q=1,,", "text/plain"),
        ] as [(String?, String)])
    func forms(accept: String?, type: String) {
        let refusal = Refusal(502, .noResponse, reason: "It is closed.", remedy: "Open it.")
        #expect(refusal.answer.content(accepting: accept).type.hasPrefix(type))
    }

    @Test("A page shows what a server says as text, and runs nothing of it")
    func escaping() {
        var refusal = Refusal(
            502, .noResponse, reason: "<script>alert('\"1\"')</script>\u{1B}[2J&amp;", remedy: "</dd><img src=x>")
        refusal.answer.server = "https://<b>"
        let (_, page) = refusal.answer.content(accepting: "text/html")
        for part in ["<script>alert", "<img", "<b>", "\u{1B}", "'\"1"] { #expect(!page.contains(part), "\(part)") }
        #expect(page.contains("&lt;script&gt;") && page.contains("&amp;amp;"))
        let (_, text) = refusal.answer.content(accepting: nil)
        #expect(!text.contains("\u{1B}"))
    }

    @Test("A failure that is not a refusal is another status, and never a success")
    func failures() async throws {
        let table: [(TestHTTPServer.Answer, status: Int)] = [
            (.reset, 502), (.sendAndClose("HTTP/1.1 200 OK\r\nContent-Len"), 502),
            (.sendAndClose("hello\r\n\r\n"), 502), (.send("HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n"), 502),
            (.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na"), 502), (.silence, 504),
        ]
        for (answer, status) in table {
            try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in answer }) { server in
                try await ProxyScene.with(server: server.port) {
                    if status == 504 { $0.timeouts.head = .milliseconds(300) }
                } _: { scene in
                    let (response, content) = try await scene.session().data(from: "https://server.test/")
                    #expect(response.status == status, "\(answer): \(String(buffer: content))")
                    let isJudged = "\(answer)".contains("101")
                    let request = try await scene.log.requests(1).first
                    #expect(request?.verdict == (isJudged ? .trusted : .failed), "\(answer)")
                }
            }
        }
        // Nothing listens there.
        let port = try await TestHTTPServer.with(Answers { _ in .reset }) { $0.port }
        try await ProxyScene.with(server: port) { scene in
            let (response, _) = try await scene.session().data(from: "https://server.test/")
            #expect(response.status == 502)
        }
    }

    @Test("A response that is cut is cut for the client, whatever its framing")
    func cut() async throws {
        for head in ["Content-Length: 9", "Transfer-Encoding: chunked"] {
            let answer = "HTTP/1.1 200 OK\r\n\(head)\r\n\r\n" + (head.hasPrefix("C") ? "hello" : "5\r\nhello\r\n")
            try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in .sendAndClose(answer) }) {
                server in
                try await ProxyScene.with(server: server.port) { scene in
                    let session = try scene.session()
                    await #expect(throws: HTTPSessionError.self, "\(head)") {
                        try await session.data(from: "https://server.test/")
                    }
                    #expect(try await scene.log.requests(1).first?.isComplete == false)
                }
            }
        }
    }
}
