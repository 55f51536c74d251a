//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustTesting
import Synchronization
import TLSWire
import TestSupport
import Testing

@testable import HTTPSession
@testable import ServerTrustNIO

@Suite("Posting reports to servers that misbehave", .limitedConcurrency, .timeLimit(.minutes(10)))
struct MisbehavingReportServerTests {
    @Test("A server that says nothing ends with the time", arguments: ["http", "https"])
    func silent(scheme: String) async throws {
        let fixture = try PinReportFixture()
        try await RawServer.with(.silent) { server in
            let start = ContinuousClock.now
            let outcome = try await fixture.post("\(scheme)://127.0.0.1:\(server.port)/") {
                $0.timeout = .milliseconds(200)
            }
            #expect(outcome?.failure?.code == .timedOut && ContinuousClock.now - start < .seconds(60))
            #expect(try await server.isIdle())
        }
    }

    @Test("An answer that comes drop by drop ends with the time")
    func slow() async throws {
        let fixture = try PinReportFixture()
        let answer = Array("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 10_000))".utf8)
        try await RawServer.with(.slow(answer, every: .milliseconds(20))) { server in
            let outcome = try await fixture.post("http://127.0.0.1:\(server.port)/") { $0.timeout = .milliseconds(200) }
            #expect(outcome?.failure?.code == .timedOut)
            #expect(try await server.isIdle())
        }
    }

    @Test(
        "An answer without end is not read",
        arguments: [
            ("HTTP/1.1 100 Continue\r\n\r\n", PinReportPoster.Failure.Code.tooLarge as PinReportPoster.Failure.Code?),
            ("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 100), nil),
        ])
    func endless(text: String, code: PinReportPoster.Failure.Code?) async throws {
        let fixture = try PinReportFixture()
        try await RawServer.with(.endlessAnswer(Array(text.utf8))) { server in
            let outcome = try await fixture.post("http://127.0.0.1:\(server.port)/")
            #expect(outcome?.failure?.code == code && (code != nil || outcome?.accepted == 200))
            #expect(try await server.isIdle())
        }
    }

    @Test(
        "What is not HTTP is no answer",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n", "\u{16}\u{3}\u{3}\u{0}\u{2}\u{2}(", "HTTP/1.1 200", "HTTP/1.1 2x0 OK\r\n\r\n",
        ],
        ["http", "https"])
    func notHTTP(text: String, scheme: String) async throws {
        let fixture = try PinReportFixture()
        try await RawServer.with(.answerAndClose(Array(text.utf8))) { server in
            let outcome = try await fixture.post("\(scheme)://127.0.0.1:\(server.port)/")
            #expect(outcome?.failure?.code == .badAnswer, "\(String(describing: outcome))")
            #expect(try await server.isIdle())
        }
    }

    @Test("A server without an answer is tried once more, and not a third time")
    func retry() async throws {
        let fixture = try PinReportFixture()
        for (answers, connections) in [(["", ReportServer.ok], 2), (["", "", ReportServer.ok], 2)] {
            try await ReportServer.with(answers) { server in
                let outcome = try await fixture.post("http://127.0.0.1:\(server.port)/") {
                    $0.retryDelay = .milliseconds(1)
                }
                #expect((outcome?.accepted != nil) == (answers.count == 2) && server.connections == connections)
            }
        }
        try await ReportServer.with([""]) { server in
            #expect(try await fixture.post("http://127.0.0.1:\(server.port)/")?.failure?.code == .badAnswer)
            let late = try await fixture.post("http://127.0.0.1:\(server.port)/") { $0.retryDelay = .seconds(3_000) }
            #expect(late?.failure?.code == .badAnswer && server.connections == 2)
        }
    }

    @Test("Where no server listens, or there is no such name, that is said")
    func unreachable() async throws {
        let fixture = try PinReportFixture()
        let port = try await ReportServer.with { $0.port }
        for host in ["127.0.0.1", "no-such-host.invalid"] {
            let failure = try await fixture.post("http://\(host):\(port)/")?.failure
            #expect(failure?.code == .unreachable, "\(String(describing: failure))")
        }
    }

    @Test("A post that is cancelled ends, and so does its connection")
    func cancelled() async throws {
        let fixture = try PinReportFixture()
        try await RawServer.with(.silent) { server in
            let poster = try PinReportPoster(
                ["http://127.0.0.1:\(server.port)/"], configuration: fixture.configuration())
            let task = Task { await poster.post(fixture.report) }
            #expect(try await server.isConnected())
            task.cancel()
            #expect(await task.value.first?.outcome.failure?.code == .cancelled)
            #expect(try await server.isIdle())
        }
    }

    @Test("A name that ends with a dot is judged without it", arguments: ["localhost", "localhost.", "LocalHost."])
    func names(host: String) async throws {
        let fixture = try PinReportFixture()
        try await ReportServer.with(tls: fixture.tls()) { server in
            let outcome = try await fixture.post("https://\(host):\(server.port)/")
            #expect(outcome?.accepted == 204, "\(String(describing: outcome))")
        }
    }

    @Test("No certificate and too many certificates are not trusted", arguments: [0, 101])
    func judging(count: Int) throws {
        let fixture = try PinReportFixture()
        let settings = HTTPSessionConfiguration(try fixture.configuration()).trust
        let leaf = try #require(try fixture.tls().certificates.first)
        let url = try HTTPURL("https://localhost/")
        let destination = url.origin.destination
        let judge = ConnectionJudge(
            settings, destination, requirements: ServerTrustGate(settings).requirements(for: destination),
            hostname: "localhost")
        let certificate = try NIOSSLCertificate(bytes: leaf, format: .der)
        let chain = Array(repeating: certificate, count: count)
        let error = try #require(throws: ServerTrustGateError.self) {
            try judge.judge(chain, version: .tls13, expecting: [])
        }
        let failure = PinReportPoster.Failure(HTTPSessionError(error, at: url), at: url, isOver: false)
        #expect(failure.code == .untrusted && !failure.mayPass)
    }
}
