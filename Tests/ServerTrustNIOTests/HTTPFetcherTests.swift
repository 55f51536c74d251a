//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import TestSupport
import Testing

@testable import ServerTrustNIO

/// A fetcher that may connect to one port of 127.0.0.1, and to nothing else that is special.
private func fetcher(_ server: RawServer, _ change: (inout HTTPFetcher.Configuration) -> Void = { _ in }) throws
    -> HTTPFetcher
{
    var configuration = HTTPFetcher.Configuration()
    configuration.ports = [server.port]
    configuration.connectTimeout = .seconds(600)
    configuration.dangerouslyAllowedAddresses = [try #require(IPAddress("127.0.0.1"))]
    change(&configuration)
    return HTTPFetcher(configuration: configuration)
}

private func request(
    _ server: RawServer, body: [UInt8]? = nil, maximumSize: Int = 1_000, timeout: Duration = .seconds(600)
) -> ResourceRequest {
    ResourceRequest(
        url: "http://127.0.0.1:\(server.port)/x", kind: body == nil ? .issuer : .ocsp, body: body,
        maximumSize: maximumSize, timeout: timeout)
}

struct BadAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let behaviour: RawServer.Behaviour
    /// `nil` where it depends on who is faster.
    let code: ResourceError.Code?

    init(_ name: String, _ behaviour: RawServer.Behaviour, _ code: ResourceError.Code? = .badAnswer) {
        self.testDescription = name
        self.behaviour = behaviour
        self.code = code
    }

    init(_ name: String, _ text: String, _ code: ResourceError.Code = .badAnswer) {
        self.init(name, .answerAndClose(Array(text.utf8)), code)
    }
}

private let ok = "HTTP/1.1 200 OK\r\n"

private let badAnswers = [
    BadAnswer("nothing", .close), BadAnswer("a reset", .reset, nil), BadAnswer("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n"),
    BadAnswer("TLS", .answerAndClose([0x16, 3, 3, 0, 2, 2, 40])),
    BadAnswer("204", "HTTP/1.1 204 No Content\r\n\r\n"),
    BadAnswer("206", "HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\n\r\nx"),
    BadAnswer("404", "HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx"),
    BadAnswer("500", "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
    BadAnswer("a challenge", "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"),
    BadAnswer("a body cut off", ok + "Content-Length: 10\r\n\r\nshort"),
    BadAnswer("a chunk cut off", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab"),
    BadAnswer("an impossible chunk", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"),
    BadAnswer("two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy"),
    BadAnswer("a head cut off", "HTTP/1.1 200 OK\r\nContent-"),
    BadAnswer("a length that is too large", .answer(Array((ok + "Content-Length: 1001\r\n\r\n").utf8)), .tooLarge),
    BadAnswer("too large a body", ok + "\r\n" + String(repeating: "x", count: 1_001), .tooLarge),
    BadAnswer(
        "too large a chunk",
        ok + "Transfer-Encoding: chunked\r\n\r\nfff\r\n" + String(repeating: "x", count: 0xFFF) + "\r\n0\r\n\r\n",
        .tooLarge),
    BadAnswer("an endless body", .endless(Array((ok + "\r\n").utf8)), .tooLarge),
    BadAnswer("an endless field", .answer(Array((ok + "X: " + String(repeating: "x", count: 70_000)).utf8)), .tooLarge),
    BadAnswer("endless fields", .answer(Array((ok + String(repeating: "X: y\r\n", count: 10_000)).utf8)), .tooLarge),
    BadAnswer(
        "endless trailers",
        .answer(
            Array((ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "X: y\r\n", count: 40_000)).utf8)),
        .tooLarge),
    BadAnswer("endless interim answers", .endless(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)), .tooLarge),
    BadAnswer("304 with a place", "HTTP/1.1 304 Not Modified\r\nLocation: /x\r\n\r\n", .badAnswer),
    BadAnswer("305 with a place", "HTTP/1.1 305 No\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", .badAnswer),
    BadAnswer("a redirect to nowhere", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
    BadAnswer(
        "a redirect to two places", "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
    BadAnswer("an endless row of redirects", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"),
    BadAnswer("a redirect to https", "HTTP/1.1 302 Found\r\nLocation: https://ca.test/\r\n\r\n", .invalidURL),
    BadAnswer("a redirect to a file", "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n", .invalidURL),
]

@Suite("Fetching over HTTP", .limitedConcurrency, .timeLimit(.minutes(20)))
struct HTTPFetcherTests {
    @Test("Whatever a server does wrong is an error, and the connection ends", arguments: badAnswers)
    func wrongAnswers(bad: BadAnswer) async throws {
        try await RawServer.with(bad.behaviour) { server in
            let error = await #expect(throws: ResourceError.self) { try await fetcher(server).fetch(request(server)) }
            #expect(bad.code == nil || error?.code == bad.code, "\(String(describing: error))")
            let isIdle = try await server.isIdle()
            #expect(isIdle)
        }
    }

    @Test(
        "Special addresses and other ports are refused, whatever leads there",
        arguments: [
            "http://127.0.0.2:PORT/", "http://[::1]:PORT/", "http://[::ffff:127.0.0.1]:PORT/",
            "http://169.254.169.254:PORT/latest/meta-data/", "http://10.0.0.1:PORT/", "http://0.0.0.0:PORT/",
            "http://127.0.0.1:22/", "http://127.0.0.1/",
        ])
    func forbidden(url: String) async throws {
        let port = Mutable()
        try await RawServer.with(.close) { port.value = $0.port }
        let target = url.replacing("PORT", with: "\(port.value)")
        let answer = "HTTP/1.1 307 Moved\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n"
        try await RawServer.with(.answerAndClose(Array(answer.utf8))) { server in
            let known = port.value
            let redirected = try fetcher(server) { $0.ports.insert(known) }
            for body in [nil, [1, 2, 3]] as [[UInt8]?] {
                let error = await #expect(throws: ResourceError.self) {
                    try await redirected.fetch(request(server, body: body))
                }
                #expect(error?.code == .forbiddenAddress, "\(String(describing: error))")
            }
        }
    }

    @Test("By default nothing local is connected to, under any name", arguments: ["127.0.0.1", "localhost", "[::1]"])
    func local(host: String) async throws {
        try await RawServer.with(.answerAndClose(Array((ok + "\r\nx").utf8))) { server in
            var closed = HTTPFetcher()
            let request = ResourceRequest(
                url: "http://\(host):\(server.port)/", kind: .issuer, body: nil, maximumSize: 10, timeout: .seconds(600)
            )
            await #expect(throws: ResourceError.self) { try await closed.fetch(request) }
            closed.configuration.ports.insert(server.port)
            let error = await #expect(throws: ResourceError.self) { try await closed.fetch(request) }
            #expect(error?.code == .forbiddenAddress)
        }
    }

    @Test("An answer that comes drop by drop ends with the time", arguments: [ok + "X: ", ok + "\r\n"])
    func slow(head: String) async throws {
        let text = Array((head + String(repeating: "x", count: 10_000)).utf8)
        try await RawServer.with(.slow(text, every: .milliseconds(20))) { server in
            let error = await #expect(throws: ResourceError.self) {
                try await fetcher(server).fetch(request(server, timeout: .milliseconds(300)))
            }
            #expect(error?.code == .timedOut)
            let isIdle = try await server.isIdle()
            #expect(isIdle)
        }
    }

    @Test("A cancelled fetch ends, and so does its connection")
    func cancelled() async throws {
        try await RawServer.with(.silent) { server in
            let client = try fetcher(server)
            let task = Task { try await client.fetch(request(server)) }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            let result = await task.result
            #expect(throws: ResourceError.self) { try result.get() }
            #expect(try await server.isIdle())
        }
    }

    @Test("Where no server listens, or there is no such name, that is said")
    func unreachable() async throws {
        let port = Mutable()
        try await RawServer.with(.close) { port.value = $0.port }
        var client = HTTPFetcher()
        client.configuration.dangerouslyAllowsLocalAddresses = true
        for host in ["127.0.0.1", "no-such-host.invalid"] {
            let request = ResourceRequest(
                url: "http://\(host):\(port.value)/", kind: .issuer, body: nil, maximumSize: 10, timeout: .seconds(600))
            let error = await #expect(throws: ResourceError.self) { try await client.fetch(request) }
            #expect(error?.code == .unreachable || error?.code == .timedOut, "\(String(describing: error))")
        }
    }

    @Test(
        "A body arrives whole, however it is framed",
        arguments: [
            ok + "Content-Length: 5\r\n\r\nabcde", ok + "\r\nabcde", "HTTP/1.0 200 OK\r\n\r\nabcde",
            ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\nX: y\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Type: text/html\r\nContent-Length: 5\r\n\r\nabcde",
        ])
    func bodies(answer: String) async throws {
        try await RawServer.with(.answerAndClose(Array(answer.utf8))) { server in
            for request in [request(server), request(server, body: [1, 2]), request(server, maximumSize: 5)] {
                let body = try await fetcher(server).fetch(request)
                #expect(body == Array("abcde".utf8))
            }
        }
    }

    @Test("A question is not turned into something else by a redirect", arguments: [301, 302, 303])
    func postRedirects(status: Int) async throws {
        let answer = "HTTP/1.1 \(status) Moved\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n"
        try await RawServer.with(.answerAndClose(Array(answer.utf8))) { server in
            let error = await #expect(throws: ResourceError.self) {
                try await fetcher(server).fetch(request(server, body: [1]))
            }
            #expect(error?.code == .badAnswer)
        }
    }

    @Test("A redirect is followed")
    func redirect() async throws {
        try await RawServer.with(.answerAndClose(Array((ok + "\r\nfound").utf8))) { target in
            let answer =
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(target.port)/y\r\nContent-Length: 0\r\n\r\n"
            try await RawServer.with(.answerAndClose(Array(answer.utf8))) { server in
                let client = try fetcher(server) { $0.ports.insert(target.port) }
                #expect(try await client.fetch(request(server)) == Array("found".utf8))
                let none = try fetcher(server) {
                    $0.ports.insert(target.port)
                    $0.maximumRedirects = 0
                }
                await #expect(throws: ResourceError.self) { try await none.fetch(request(server)) }
            }
        }
    }
}

/// A number that is known only once something has run.
private final class Mutable {
    var value = 0
}
