//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and clients that break the rules", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HostileClientTests {
    private static let severalReadings: [(String, status: Int)] = [
        (
            "GET / HTTP/1.1\r\nHost: server.test\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400
        ),
        ("GET / HTTP/1.1\r\nHost: server.test\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd", 400),
        ("GET / HTTP/1.1\r\nHost: server.test\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        ("GET / HTTP/1.1\r\nHost: server.test\r\nA: b\r\n c\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: server.test\n\n", 400), ("GET / HTTP/1.1\r\nHost: server.test\0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", 421),
        ("GET https://other.test/ HTTP/1.1\r\nHost: server.test\r\n\r\n", 421),
        ("GET / HTTP/1.0\r\nHost: server.test\r\n\r\n", 505),
        ("GET / HTTP/3.0\r\nHost: server.test\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: server.test\r\nA: " + String(repeating: "a", count: 70_000), 431),
        ("GET / HTTP/1.1\r\nHost: server.test\r\n" + String(repeating: "A: b\r\n", count: 201) + "\r\n", 431),
    ]

    @Test("A request with several readings is refused, and the server sees nothing", arguments: Self.severalReadings)
    func malformed(text: String, status: Int) async throws {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in TestHTTPServer.response("x") }) {
            server in
            try await ProxyScene.with(server: server.port) { scene in
                let answer = try await scene.answer(
                    inTunnel: text + "GET /hidden HTTP/1.1\r\nHost: server.test\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                #expect(
                    answer.components(separatedBy: "Proxy-Status: ").count == 2, "one answer, and the end: \(answer)")
                #expect(server.seen.connections == 0)
                let noted = try #require(try await scene.log.requests(1).first)
                #expect(scene.log.requests.count == 1 && noted.verdict == .failed && noted.status == status)
                #expect(noted.server?.host.text.isEmpty == false && noted.reason != nil && noted.isComplete)
            }
        }
    }

    @Test(
        "A request that is refused before a server is asked is noted, with the server where one is named",
        arguments: [
            ("CONNECT server.test:443 HTTP/1.1\r\nHost: server.test\r\n\r\n", 407, "CONNECT", "server.test"),
            ("GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n", 407, "GET", "other.test"),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 407, "GET", nil),
            ("GET http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, nil, nil),
            ("hello\r\n\r\n", 400, nil, nil),
        ] as [(String, Int, String?, String?)])
    func noted(text: String, status: Int, method: String?, host: String?) async throws {
        try await ProxyScene.with(server: 1) {
            $0.credential = try ClientCredential(user: "ada", password: "correct horse")
        } _: { scene in
            #expect(try await scene.answer(to: text).hasPrefix("HTTP/1.1 \(status) "))
            let noted = try #require(try await scene.log.requests(1).first)
            #expect(noted.status == status && noted.method?.rawValue == method && noted.isComplete, "\(noted)")
            #expect(noted.server?.host.text == host && noted.verdict == .failed && noted.rule != nil, "\(noted)")
        }
    }

    @Test("A malformed request behind a good one is noted, too")
    func notedBehindAnother() async throws {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in TestHTTPServer.response("x") }) {
            server in
            try await ProxyScene.with(server: server.port) { scene in
                _ = try await scene.answer(inTunnel: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\nhello\r\n\r\n")
                #expect(try await scene.log.requests(2).map(\.status) == [200, 400])
                #expect(scene.log.requests.last?.server?.host.text == "server.test")
            }
        }
    }

    @Test("A chunk that is malformed cuts the request, and no other request is read behind it")
    func malformedChunk() async throws {
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), Answers { _ in TestHTTPServer.response("x") }) {
            server in
            try await ProxyScene.with(server: server.port) { scene in
                let answer = try? await scene.answer(
                    inTunnel:
                        "POST / HTTP/1.1\r\nHost: server.test\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n"
                        + "GET /hidden HTTP/1.1\r\nHost: server.test\r\n\r\n")
                #expect(answer?.contains(" 200 ") != true)
                #expect(server.seen.requests.isEmpty)
            }
        }
    }

    @Test("Octets behind CONNECT that came before the answer to it are refused")
    func early() async throws {
        try await ProxyScene.with(server: 1) { scene in
            let answer = try await scene.answer(
                to: "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test\r\n\r\nGET / HTTP/1.1\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
    }

    private static let forbiddenPlaces: [(target: String, status: Int, code: String)] = [
        ("server.test:22", 403, "port-not-allowed"), ("server.test:25", 403, "port-not-allowed"),
        ("127.0.0.1:443", 403, "local-address"), ("[::1]:443", 403, "local-address"),
        ("[::ffff:127.0.0.1]:443", 403, "local-address"), ("0.0.0.0:443", 403, "local-address"),
        ("169.254.169.254:80", 403, "local-address"), ("[fe80::1]:443", 403, "local-address"),
    ]

    @Test("Other ports and this machine are refused unless they are allowed", arguments: Self.forbiddenPlaces)
    func places(target: String, status: Int, code: String) async throws {
        try await ProxyScene.with(server: 1) {
            $0.dangerouslyAllowsLocalAddresses = false
        } _: { scene in
            let answer = try await scene.answer(to: "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("code: \(code)"), "\(answer)")
            let url = try await scene.answer(to: "GET http://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n\r\n")
            #expect(url.hasPrefix("HTTP/1.1 \(status) ") && url.contains("code: \(code)"), "\(url)")
        }
    }

    @Test("A name of this machine is refused where it is connected to", arguments: ["localhost", "server.test"])
    func names(host: String) async throws {
        let chain = try ProxyScene.chain { $0.dnsNames = ["localhost", "server.test"] }
        try await TestHTTPServer.with(tls: chain, Answers { _ in TestHTTPServer.response("x") }) { server in
            try await ProxyScene.with(server: server.port) { configuration in
                configuration.dangerouslyAllowsLocalAddresses = false
                if host == "localhost" { configuration.routes = ConnectionRoutes() }
            } _: { scene in
                let (response, content) = try await scene.session().data(from: "https://\(host)/")
                #expect(response.status == 403)
                #expect(String(buffer: content).contains("code: local-address"), "\(String(buffer: content))")
            }
            #expect(server.seen.connections == 0)
        }
    }

    @Test("The proxy does not connect to itself, by whatever name")
    func itself() async throws {
        try await ProxyScene.with(server: 1) { configuration in
            configuration.routes = ConnectionRoutes()
            configuration.allowedPorts = Set(1...65_535)
            configuration.dangerouslyAllowsPlainHTTP = true
        } _: { scene in
            for host in ["127.0.0.1", "localhost", "127.0.0.2", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"] {
                let place = "\(host):\(scene.proxy.port)"
                let answer = try await scene.answer(
                    to: "GET http://\(place)/ HTTP/1.1\r\nHost: \(place)\r\nConnection: close\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains("code: own-address"), "\(host): \(answer)")
            }
            #expect(scene.log.connections.count <= 6)
        }
    }

    @Test("The port of the proxy itself is told as that, and no option is advised that would not help")
    func ownPort() async throws {
        try await ProxyScene.with(server: 1) {
            $0.routes = ConnectionRoutes()
        } _: { scene in
            let place = "127.0.0.1:\(scene.proxy.port)"
            let answer = try await scene.answer(to: "CONNECT \(place) HTTP/1.1\r\nHost: \(place)\r\n\r\n")
            #expect(answer.contains("code: own-address") && !answer.contains("--allow"), "\(answer)")
        }
    }

    @Test("Before the proxy knows its own port, it connects to no port of this machine")
    func unknownPort() {
        let clients = ClientRegistry(limit: 1)
        #expect(!clients.isElsewhere(443) && !clients.isElsewhere(nil))
        clients.listens(at: 8_080)
        #expect(clients.isElsewhere(443) && !clients.isElsewhere(8_080) && !clients.isElsewhere(nil))
    }

    @Test("More clients than the limit are told so")
    func tooMany() async throws {
        try await ProxyScene.with(server: 1) {
            $0.limits.connections = 2
        } _: { scene in
            let first = try await scene.connect()
            let second = try await scene.connect()
            for _ in 0..<3_000 where scene.proxy.connectionCount < 2 { try await Task.sleep(for: .milliseconds(10)) }
            let third = try await scene.connect()
            let answer = try await ProxyScene.rest { try await third.read() }
            #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
            await first.close()
            await second.close()
        }
    }

    @Test("A client that sends its head too slowly, or nothing, is let go")
    func slow() async throws {
        try await ProxyScene.with(server: 1) { configuration in
            configuration.limits.headTime = .milliseconds(300)
            configuration.limits.idleTime = .milliseconds(600)
        } _: { scene in
            for text in ["GET http://server.test/ HTTP/1.1\r\nHost", ""] {
                let plain = try await scene.connect()
                if !text.isEmpty { try await plain.write(ByteBuffer(string: text)) }
                _ = try? await ProxyScene.rest { try await plain.read() }
                for _ in 0..<3_000 where scene.proxy.connectionCount > 0 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(scene.proxy.connectionCount == 0)
            }
        }
    }

    @Test("A client that goes away takes the request to the server along", arguments: [false, true])
    func vanishing(withContent: Bool) async throws {
        try await RawTLSServer.with { server in
            try await ProxyScene.with(server: server.port) { scene in
                let stream = try await scene.tunnel()
                let method = withContent ? "POST / HTTP/1.1\r\nContent-Length: 9" : "GET / HTTP/1.1"
                try await stream.write(ByteBuffer(string: "\(method)\r\nHost: server.test\r\n\r\n"))
                try await server.waitForConnection()
                await stream.close()
                #expect(try await server.hasNoConnection())
                for _ in 0..<3_000 where scene.proxy.connectionCount > 0 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(scene.proxy.connectionCount == 0)
            }
        }
    }

    @Test("A client that reads nothing stops the server, and memory stays bounded")
    func slowReader() async throws {
        let size = 64 << 20
        let octets =
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8) + [UInt8](repeating: 0, count: size)
        let answers = Answers { $0.target == "/" ? .sendOctets(octets) : TestHTTPServer.response("small") }
        try await TestHTTPServer.with(tls: try ProxyScene.chain(), answers) { server in
            try await RecordRelay.with(server.port) { relay in
                try await ProxyScene.with(server: relay.port) { scene in
                    let stream = try await scene.tunnel()
                    try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
                    func passed() -> Int { relay.fromServer.records.reduce(0) { $0 + $1.length } }
                    while passed() < 1 << 17 { try await Task.sleep(for: .milliseconds(10)) }
                    // For longer than all of it would take.
                    let session = try scene.session()
                    for _ in 0..<400 {
                        #expect(String(buffer: try await session.data(from: "https://server.test/small").1) == "small")
                    }
                    #expect(passed() < size / 2, "\(passed())")
                    await stream.close()
                }
            }
        }
    }

    @Test("Stopping lets a request under way end, and closes the other connections at once")
    func stopping() async throws {
        let answering: @Sendable (String) -> String? = {
            $0.hasSuffix("hello") ? "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbye" : nil
        }
        try await RawTLSServer.with(answering: answering) { server in
            try await ProxyScene.with(server: server.port) {
                $0.limits.stopTime = .seconds(1_800)
            } _: { scene in
                let idle = try await scene.connect()
                let stream = try await scene.tunnel()
                let head = "POST / HTTP/1.1\r\nHost: server.test\r\nContent-Length: 5\r\n\r\n"
                try await stream.write(ByteBuffer(string: head))
                try await server.waitForConnection()
                async let stopped: Void = scene.proxy.stop()
                _ = try? await idle.read()
                try await stream.write(ByteBuffer(string: "hello"))
                let response = try await ProxyScene.rest { try await stream.read() }
                #expect(response.hasSuffix("\r\n\r\nbye"), "\(response)")
                await stopped
            }
        }
    }
}
