//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import HTTPSession
@testable import ServerTrustNIO

/// Something that is wrong with a report server.
struct UntrustedServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    let change: @Sendable (inout CertificateDescription) throws -> Void

    init(_ name: String, _ code: String, _ change: @escaping @Sendable (inout CertificateDescription) throws -> Void) {
        self.testDescription = name
        self.code = code
        self.change = change
    }

    static let all = [
        UntrustedServer("for another name", "name-mismatch") {
            ($0.dnsNames, $0.ipAddresses) = (["other.test"], ["127.0.0.2"])
        },
        UntrustedServer("with an expired certificate", "expired") {
            $0.setValidity(from: .seconds(-90 * 86_400), lasting: .seconds(60 * 86_400))
        },
        UntrustedServer("with too small a key", "key-too-small") { $0.keyKind = .rsa1024 },
    ]
}

@Suite("Posting reports to servers that are not to have them", .limitedConcurrency, .timeLimit(.minutes(10)))
struct RefusedReportServerTests {
    @Test(
        "Nothing is sent to a server that is not trusted", arguments: UntrustedServer.all, ["127.0.0.1", "localhost"])
    func untrusted(server: UntrustedServer, host: String) async throws {
        let fixture = try PinReportFixture()
        try await ReportServer.with(tls: fixture.tls(server.change)) { listener in
            let failure = try await fixture.post("https://\(host):\(listener.port)/") {
                $0.retryDelay = .milliseconds(1)
            }?.failure
            #expect(
                failure?.code == .untrusted && failure?.trustFailure?.code == server.code,
                "\(String(describing: failure))")
            #expect(listener.connections == 1 && listener.requests.isEmpty)
        }
    }

    @Test("Nothing is sent where the root is another's, or only Apple's program is trusted")
    func otherRoots() async throws {
        let fixture = try PinReportFixture()
        let others = [TrustAnchors.none, try TestAuthority().anchors, fixture.site.anchors, .apple]
        try await ReportServer.with(tls: fixture.tls()) { listener in
            for anchors in others {
                let outcome = try await fixture.post("https://127.0.0.1:\(listener.port)/") {
                    $0.trust.anchors = anchors
                }
                let code = outcome?.failure?.code
                #expect(code == .untrusted, "\(String(describing: outcome))")
            }
            #expect(listener.connections == others.count && listener.requests.isEmpty)
        }
    }

    @Test("Nothing is sent to a server without what is pinned of it, and nothing is reported about it")
    func pinnedReportServer() async throws {
        let fixture = try PinReportFixture()
        let deliveries = Deliveries()
        try await ReportServer.with(tls: fixture.tls()) { listener in
            let reporter = try PinReporter(
                postingTo: ["https://127.0.0.1:\(listener.port)/"],
                configuration: fixture.configuration {
                    $0.evaluator = .pins([fixture.site.pins.backup])
                    $0.onDelivery = deliveries.add
                })
            reporter.report(fixture.report)
            await reporter.finish()
            #expect(deliveries.all.map { $0.outcome.failure?.trustFailure?.code } == ["path-not-pinned"])
            #expect(reporter.counts.handedOn == 1 && listener.connections == 1 && listener.requests.isEmpty)
        }
    }

    @Test("No report server may sign a handshake over SHA-1, which a session without App Transport Security allows")
    func signatures() throws {
        let settings = HTTPSessionConfiguration(PinReportPoster.Configuration()).trust
        let requirements = ServerTrustGate(settings).requirements(for: ATSDestination(host: "reports.example.com"))
        let offer = try TLSOffer(requirements)
        let sha1: [NIOSSL.SignatureAlgorithm] = [.rsaPkcs1Sha1, .ecdsaSha1]
        let own = try offer.configuration(basedOn: settings.tls).verifySignatureAlgorithms ?? sha1
        let every = try offer.configuration(basedOn: .makeClientConfiguration()).verifySignatureAlgorithms ?? []
        #expect(!own.isEmpty && !own.contains(where: sha1.contains))
        #expect(every.contains(where: sha1.contains) && own == every.filter { !sha1.contains($0) })
    }

    @Test("Versions of TLS before 1.2 are not spoken")
    func oldVersions() async throws {
        let fixture = try PinReportFixture()
        var tls = try fixture.tls()
        tls.maximumTLSVersion = .tlsv11
        try await ReportServer.with(tls: tls) { listener in
            let failure = try await fixture.post("https://127.0.0.1:\(listener.port)/")?.failure
            #expect(failure?.code == .badAnswer && failure?.message.contains("PROTOCOL_VERSION") == true)
            #expect(listener.requests.isEmpty)
        }
    }

    @Test(
        "By default nothing local is connected to, under any name", arguments: ["127.0.0.1", "localhost", "[::1]"],
        ["http", "https"])
    func local(host: String, scheme: String) async throws {
        let fixture = try PinReportFixture()
        try await ReportServer.with { listener in
            let failure = try await fixture.post("\(scheme)://\(host):\(listener.port)/") {
                $0.dangerouslyAllowedAddresses = []
            }?.failure
            #expect(failure?.code == .forbiddenAddress, "\(String(describing: failure))")
            #expect(listener.connections == 0)
        }
    }

    @Test("Redirects are not followed", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        let fixture = try PinReportFixture()
        try await ReportServer.with { target in
            let location = "Location: http://127.0.0.1:\(target.port)/\r\nContent-Length: 0\r\n\r\n"
            try await ReportServer.with(["HTTP/1.1 \(status) Moved\r\n\(location)"]) { listener in
                let outcome = try await fixture.post("http://127.0.0.1:\(listener.port)/")
                #expect(outcome?.refused == status && listener.connections == 1 && target.connections == 0)
            }
        }
    }

    @Test("A server that refuses is not asked again", arguments: [400, 401, 404, 429, 500, 503])
    func statuses(status: Int) async throws {
        let fixture = try PinReportFixture()
        try await ReportServer.with(["HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n"]) { listener in
            let outcome = try await fixture.post("http://127.0.0.1:\(listener.port)/") {
                $0.retryDelay = .milliseconds(1)
            }
            #expect(outcome?.refused == status && listener.connections == 1)
        }
    }
}
