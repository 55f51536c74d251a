//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import NIOSSL
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

/// What is written where a report URI should be, and what is said about it.
private let unusableURIs = [
    ("", "not one of https or http"), ("reports.example.com/pins", "not one of"),
    ("//reports.example.com/", "not one of"), ("ftp://reports.example.com/", "not one of"),
    ("mailto:pins@example.com", "not one of"), ("https:reports.example.com", "not one of"),
    ("https://", "there is no host"), ("https:///pins", "there is no host"),
    ("https://user:secret@reports.example.com/", "user name"), ("https://secret@reports.example.com/", "user name"),
    ("https://reports.example.com:0/", "port"), ("https://reports.example.com:65536/", "port"),
    ("https://reports.example.com:https/", "port"), ("https://[2001:db8::1/", "brackets"),
    ("https://[fe80::1%25eth0]/", "zone"), ("https://10.1/", "not an IPv4 address"),
    ("https://-a.test/", "hyphen"), ("https://a.test/ b", "characters"),
    ("https://a.test/\r\nX: y", "characters"), ("https://\u{FC}.test/", "characters"),
    ("https://a.test/" + String(repeating: "x", count: 2_048), "too long"),
]

@Suite("Posting reports", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PinReportPosterTests {
    @Test("URIs nothing can be posted to are said to be so, without repeating a password", arguments: unusableURIs)
    func uris(uri: String, text: String) throws {
        for uris in [[uri], ["https://a.test/", uri]] {
            let error = try #require(throws: PinReportURIError.self) { try PinReporter(postingTo: uris) }
            #expect(error.code == .invalid && error.uri == uri && error.position == uris.count)
            #expect("\(error)".contains(text) && !"\(error)".contains("secret"), "\(error)")
        }
    }

    @Test("No URI and too many are errors too")
    func counts() throws {
        let none = try #require(throws: PinReportURIError.self) { try PinReportPoster([]) }
        #expect(none.code == .none && none.uri == nil)
        let uris = Array(repeating: "https://a.test/", count: 17)
        let tooMany = try #require(throws: PinReportURIError.self) { try PinReportPoster(uris) }
        #expect(tooMany.code == .tooMany)
        #expect(throws: Never.self) { try PinReportPoster(Array(uris.prefix(16))) }
    }

    @Test("A report arrives as it is, in clear where that is asked for")
    func plain() async throws {
        let fixture = try PinReportFixture()
        try await ReportServer.with { server in
            let outcome = try await fixture.post("http://127.0.0.1:\(server.port)/pins?key=1#x")
            #expect(outcome?.accepted == 204)
            try Self.expectReport(of: fixture, in: server.requests, for: "127.0.0.1:\(server.port)", "/pins?key=1")
        }
    }

    @Test("A report arrives over TLS at a server that is trusted", arguments: ["127.0.0.1", "localhost", "LOCALHOST"])
    func tls(host: String) async throws {
        let fixture = try PinReportFixture()
        for version in [TLSVersion.tlsv12, .tlsv13] {
            var tls = try fixture.tls()
            tls.maximumTLSVersion = version
            try await ReportServer.with(["HTTP/1.1 200 OK\r\n\r\nthanks"], tls: tls) { server in
                let outcome = try await fixture.post("https://\(host):\(server.port)")
                #expect(outcome?.accepted == 200, "\(String(describing: outcome))")
                try Self.expectReport(of: fixture, in: server.requests, for: "\(host.lowercased()):\(server.port)", "/")
            }
        }
    }

    private static func expectReport(
        of fixture: PinReportFixture, in requests: [String], for authority: String, _ target: String
    ) throws {
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        let end = try #require(request.firstRange(of: "\r\n\r\n"))
        let head = request[..<end.lowerBound].split(separator: "\r\n").map(String.init)
        let body = request[end.upperBound...]
        #expect(
            Set(head) == [
                "POST \(target) HTTP/1.1", "Host: \(authority)", "User-Agent: \(PackageVersion.userAgent)",
                "Accept: */*",
                "Connection: close", "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
            ])
        #expect(Array(body.utf8) == fixture.report.json)
        let object = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
        #expect(object?["hostname"] as? String == fixture.site.host)
    }

    @Test("Each URI gets the report, and one that hangs keeps none from the others")
    func several() async throws {
        let fixture = try PinReportFixture()
        let deliveries = Deliveries()
        try await RawServer.with(.silent) { silent in
            try await ReportServer.with { server in
                let uris = [silent.port, server.port].map { "http://127.0.0.1:\($0)/" }
                let poster = try PinReportPoster(
                    uris,
                    configuration: fixture.configuration {
                        $0.timeout = .seconds(6)
                        $0.onDelivery = deliveries.add
                    })
                let outcomes = await poster.post(fixture.report)
                #expect(outcomes.map(\.uri) == uris && outcomes.map(\.outcome.accepted) == [nil, 204])
                #expect(deliveries.all.map(\.uri) == uris.reversed())
            }
        }
    }
}

@Suite("Reporting what a manager decides", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PinReporterPostingTests {
    @Test("A mismatch is posted once, its repeat and what matches are not")
    func once() async throws {
        let fixture = try PinReportFixture()
        try await ReportServer.with(tls: fixture.tls()) { server in
            let reporter = try PinReporter(
                postingTo: ["https://localhost:\(server.port)/pins"], configuration: fixture.configuration())
            let manager = try fixture.manager(reporter)
            for _ in 0..<3 {
                #expect(!manager.evaluate(fixture.trust, forHost: fixture.site.host, port: 443).isTrusted)
            }
            let rotated = try fixture.site.trust(for: .rotatedKey)
            #expect(manager.evaluate(rotated, forHost: fixture.site.host, port: 443).isTrusted)
            await reporter.finish()
            #expect(reporter.counts.handedOn == 1 && reporter.counts.repeated == 2)
            #expect(server.connections == 1 && server.requests.count == 1)
            #expect(server.requests.first?.contains(#""hostname":"\#(fixture.site.host)""#) == true)
        }
    }

    @Test("An evaluation does not wait for a report server that hangs")
    func hanging() async throws {
        let fixture = try PinReportFixture()
        let deliveries = Deliveries()
        try await RawServer.with(.silent) { server in
            let reporter = try PinReporter(
                postingTo: ["http://127.0.0.1:\(server.port)/"],
                configuration: fixture.configuration {
                    $0.timeout = .seconds(60)
                    $0.onDelivery = deliveries.add
                })
            let manager = try fixture.manager(reporter)
            for port in 1...10 {
                #expect(!manager.evaluate(fixture.trust, forHost: fixture.site.host, port: port).isTrusted)
                // The first post is under way from early on, and for a minute.
                if port == 1 { #expect(try await server.isConnected()) }
            }
            #expect(deliveries.all.isEmpty && reporter.counts.handedOn == 10)
        }
    }
}
