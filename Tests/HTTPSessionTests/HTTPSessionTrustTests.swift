//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Sessions and trust", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTPSessionTrustTests {
    /// Ways in which a server is not what a session demands.
    enum Fault: String, CaseIterable {
        case unknownRoot, blockedRoot, wrongName, expired, failedPin, transportSecurity

        func chain() throws -> [TestCertificate] {
            switch self {
            case .wrongName: try SessionFixture.chain { $0.dnsNames = ["wrong.test"] }
            case .expired:
                try SessionFixture.chain { description in
                    description.notBefore = description.notBefore.addingTimeInterval(-400 * 86_400)
                    description.notAfter = description.notBefore.addingTimeInterval(30 * 86_400)
                }
            case .transportSecurity: try SessionFixture.chain { $0.keyKind = .p521 }
            case .unknownRoot, .blockedRoot, .failedPin: try SessionFixture.chain.get()
            }
        }

        func configure(_ configuration: inout HTTPSessionConfiguration) throws {
            switch self {
            case .unknownRoot: configuration.trust.anchors = .none
            case .blockedRoot:
                let roots = configuration.trust.anchors.certificates
                configuration.trust.anchors.blockedRoots = BlockedRoots(roots, source: "a test")
            case .failedPin:
                configuration.trust.evaluator = ServerTrustEvaluator.pins([
                    try Pin(digest: [UInt8](repeating: 7, count: 32))
                ])
            default: break
            }
        }
    }

    @Test("A server that is refused behind a proxy is refused for the same reason", arguments: Fault.allCases)
    func refusedInTunnel(fault: Fault) async throws {
        let answers = Answers { request in
            request.line.hasPrefix("CONNECT ") ? .beginTLS("HTTP/1.1 200 X\r\n\r\n") : TestHTTPServer.response("secret")
        }
        let chain = try fault.chain()
        try await TestHTTPServer.with(tls: chain, answers) { direct in
            try await TestHTTPServer.with(tunnel: chain, answers) { proxy in
                let configurations = [
                    try SessionFixture.configuration(direct.port, fault.configure),
                    try SessionFixture.configuration(proxy.port) { configuration in
                        try fault.configure(&configuration)
                        configuration.routes = ConnectionRoutes()
                        configuration.proxies = ProxyPolicy(
                            Proxy(.http, host: try Host("127.0.0.1"), port: proxy.port))
                    },
                ]
                var errors: [HTTPSessionError] = []
                for configuration in configurations {
                    let error = await #expect(throws: HTTPSessionError.self) {
                        try await HTTPSession(configuration).text("https://server.test/")
                    }
                    errors.append(try #require(error))
                }
                #expect(errors.allSatisfy { $0.isRefusal && $0.cause is ServerTrustGateError }, "\(errors)")
                #expect(errors[0].code == errors[1].code && errors[0].reason == errors[1].reason, "\(errors)")
                #expect(direct.seen.requests.isEmpty && proxy.seen.lines == ["CONNECT server.test:443 HTTP/1.1"])
            }
        }
    }

    @Test(
        "A server that is refused receives no application data, directly and behind a redirect",
        arguments: Fault.allCases)
    func refused(fault: Fault) async throws {
        // Directly, and behind an origin that needs no trust.
        for url in ["https://server.test/", "http://good.test/"] {
            try await TestHTTPServer.with(tls: try fault.chain(), Answers { _ in TestHTTPServer.response("secret") }) {
                bad in
                try await RecordRelay.with(bad.port) { relay in
                    let redirect = TestHTTPServer.response("", "302 X", fields: ["Location: https://server.test:444/"])
                    try await TestHTTPServer.with(Answers { _ in redirect }) { good in
                        let session = try Self.session(fault, good: good.port, bad: relay.port)
                        var request = try HTTPSessionRequest(url)
                        request.credential = HTTPRequestCredential(
                            try HTTPCredential(user: "u", password: "secret"), sendsBasicUnasked: true)
                        let error = await #expect(throws: HTTPSessionError.self, "\(fault), \(url)") {
                            try await session.text(request)
                        }
                        #expect(error?.isRefusal == true, "\(fault): \(error.map { "\($0)" } ?? "")")
                        #expect(relay.fromClients.hasOnlyHelloAndAlerts, "\(fault): \(relay.fromClients)")
                    }
                }
                #expect(bad.seen.requests.isEmpty)
            }
        }
    }

    private static func session(_ fault: Fault, good: Int, bad: Int) throws -> HTTPSession {
        var configuration = try SessionFixture.configuration(bad)
        try fault.configure(&configuration)
        configuration.dangerouslyAllowsPlainHTTP = true
        var routes = ConnectionRoutes()
        routes.add(.init(host: try Host("127.0.0.1"), port: good), forHost: try Host("good.test"))
        routes.add(.init(host: try Host("127.0.0.1"), port: bad))
        configuration.routes = routes
        return HTTPSession(configuration)
    }

    @Test("A trusted server is asked, and the response says by which verdict")
    func trusted() async throws {
        try await TestHTTPServer.with(
            tls: try SessionFixture.chain.get(), Answers { _ in TestHTTPServer.response("hello") }
        ) {
            server in
            let session = HTTPSession(try SessionFixture.configuration(server.port))
            let (response, content) = try await session.data(from: "https://server.test/a")
            #expect(String(buffer: content) == "hello")
            #expect(response.connection.gated.result?.isTrusted == true)
            #expect(response.connection.gated.version == .tls13)
            #expect(try await session.data(from: "https://server.test/b").0.connection.isReused)
            #expect(server.seen.connections == 1)
        }
    }

    @Test("The program's certificate is for the server that the program names, and for no proxy and no redirect")
    func identity() throws {
        let client = try SessionFixture.authority.get().issue(.leaf(dnsNames: ["client.test"]))
        let configuration = try SessionFixture.configuration(1) { configuration in
            configuration.trust.identity = try TLSIdentity(pem: client.pem, key: client.privateKey.pem)
        }
        let core = SessionCore(configuration)
        let url = try HTTPURL("https://server.test/")
        let (own, other) = (try core.key(for: url, isAtOrigin: true), try core.key(for: url, isAtOrigin: false))
        #expect(own.trust.settings.identity != nil && other.trust.settings.identity == nil)
        #expect(own.trust.anonymous.settings.identity == nil && other.trust.anonymous === other.trust)
        // Connections that were made with the certificate and without serve no requests of each other.
        #expect(own != other)
    }

    @Test("Sessions with other rules share a pool and no connection")
    func sharedPool() async throws {
        try await TestHTTPServer.with(
            tls: try SessionFixture.chain.get(), Answers { _ in TestHTTPServer.response("hello") }
        ) {
            server in
            let pool = HTTPConnectionPool()
            let lax = HTTPSession(try SessionFixture.configuration(server.port) { $0.pool = pool })
            #expect(try await lax.text("https://server.test/") == "hello")
            let same = HTTPSession(try SessionFixture.configuration(server.port) { $0.pool = pool })
            #expect(try await same.text("https://server.test/") == "hello")
            #expect(server.seen.connections == 1)
            let strict = HTTPSession(
                try SessionFixture.configuration(server.port, anchors: TrustAnchors.none) { $0.pool = pool })
            let error = await #expect(throws: HTTPSessionError.self) { try await strict.text("https://server.test/") }
            #expect(error?.isRefusal == true)
            // One connection is for one name, though the certificate has both.
            #expect(try await lax.text("https://other.test/") == "hello")
            #expect(server.seen.requests.count == 3)
        }
    }

    @Test("Without TLS nothing is sent unless the rules allow it")
    func plainHTTP() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("hello") }) { server in
            // Of addresses App Transport Security says nothing.
            let url = "http://server.test/"
            let route = ConnectionRoute(host: try Host("127.0.0.1"), port: server.port)
            for security in [TransportSecurity.strict, .withoutAppTransportSecurity] {
                var configuration = HTTPSessionConfiguration(trust: .only([]), transportSecurity: security)
                configuration.routes.add(route)
                let strict = HTTPSession(configuration)
                let error = await #expect(throws: HTTPSessionError.self) { try await strict.text(url) }
                #expect(error?.code == .appTransportSecurityRequiresSecureConnection && error?.isRefusal == true)
            }
            #expect(server.seen.connections == 0)
            var dictionary = ATSDictionary()
            dictionary.allowsArbitraryLoads = true
            var configuration = HTTPSessionConfiguration(
                trust: .only([]), transportSecurity: .appTransportSecurity(ATSPolicy(dictionary)))
            configuration.routes.add(route)
            let allowed = HTTPSession(configuration)
            let text = try await allowed.text(url)
            #expect(text == "hello")
        }
    }

    @Test(
        "An exception holds for the host as it is written, on new connections and on kept ones",
        arguments: ["SERVER.test", "server.test."])
    func spelling(other: String) async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("hello") }) { server in
            var dictionary = ATSDictionary()
            var domain = ATSExceptionDomain("server.test")
            domain.allowsInsecureHTTPLoads = true
            dictionary.exceptionDomains = [domain]
            let session = HTTPSession(
                try SessionFixture.configuration(server.port) {
                    $0.trust.transportSecurity = .appTransportSecurity(ATSPolicy(dictionary))
                })
            let error = await #expect(throws: HTTPSessionError.self) { try await session.text("http://\(other)/") }
            #expect(error?.code == .appTransportSecurityRequiresSecureConnection)
            #expect(try await session.text("http://server.test/") == "hello")
            await #expect(throws: HTTPSessionError.self) { try await session.text("http://\(other)/") }
            #expect(server.seen.requests.count == 1)
        }
    }

    @Test("A redirect from https to http is refused, whatever the rules allow, unless the request says so")
    func downgrade() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("plain") }) { plain in
            let answer = TestHTTPServer.response("", "302 X", fields: ["Location: http://127.0.0.1:\(plain.port)/"])
            try await TestHTTPServer.with(tls: try SessionFixture.chain.get(), Answers { _ in answer }) { server in
                var configuration = try SessionFixture.configuration(server.port)
                configuration.dangerouslyAllowsPlainHTTP = true
                var routes = ConnectionRoutes()
                routes.add(.init(host: try Host("127.0.0.1"), port: server.port), forHost: try Host("server.test"))
                configuration.routes = routes
                let session = HTTPSession(configuration)
                var request = try HTTPSessionRequest("https://server.test/")
                let error = await #expect(throws: HTTPSessionError.self) { try await session.text(request) }
                #expect(error?.isRefusal == true)
                #expect(plain.seen.connections == 0)
                request.redirects.allowsDowngrade = true
                #expect(try await session.text(request) == "plain")
            }
        }
    }

    @Test("A response that TLS does not end is cut, where its end is the end of the connection")
    func truncation() async throws {
        try await TestHTTPServer.with(
            tls: try SessionFixture.chain.get(), Answers { _ in .send("HTTP/1.1 200 OK\r\n\r\nhello") }
        ) { server in
            try await RecordRelay.with(server.port) { relay in
                let session = HTTPSession(try SessionFixture.configuration(relay.port))
                let (_, content) = try await session.bytes(for: HTTPSessionRequest("https://server.test/"))
                var octets = content.makeAsyncIterator()
                #expect(try await octets.next().map { String(buffer: $0) } == "hello")
                relay.disconnect()
                let error = await #expect(throws: HTTPSessionError.self) { _ = try await octets.next() }
                #expect(error?.code == .networkConnectionLost)
            }
        }
    }
}
