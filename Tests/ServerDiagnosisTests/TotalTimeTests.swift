//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

/// Servers that send something for ever, or nothing, and what is spoken to them before TLS.
private let costlyServers: [(name: String, behaviour: RawServer.Behaviour, startTLS: StartTLSProtocol?)] = [
    ("silence", .silent, nil), ("silence before TLS", .silent, .smtp),
    ("one octet now and then", .slow([UInt8](repeating: 22, count: 10_000), every: .milliseconds(100)), nil),
    (
        "a flight in drips",
        .slow([22, 3, 3, 0x40, 0] + [UInt8](repeating: 2, count: 10_000), every: .milliseconds(50)), nil
    ),
    ("endless empty records", .endless([22, 3, 3, 0, 0]), nil),
    ("endless tickets", .endless(ScriptedServer.record([4, 0, 0, 1, 0])), nil),
    ("an endless greeting", .endless(Array("220-more\r\n".utf8)), .smtp),
    ("an endless list", .endless(Array("+OK\r\n".utf8)), .pop3),
]

@Suite("The time that one server may take", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TotalTimeTests {
    @Test("A diagnosis ends in time, whatever a server sends", arguments: costlyServers, ProbePlan.allCases)
    private func bounded(
        server: (name: String, behaviour: RawServer.Behaviour, startTLS: StartTLSProtocol?), plan: ProbePlan
    ) async throws {
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = plan
        configuration.confirms = server.startTLS == nil
        configuration.connections.timeout = .seconds(2)
        configuration.connections.timeoutPerHost = .seconds(3)
        configuration.connections.startTLS = server.startTLS
        let diagnoser = ServerDiagnoser(trust: .only([]), configuration: configuration)
        try await RawServer.with(server.behaviour) { raw in
            let start = ContinuousClock.now
            let diagnosed = try await diagnoser.diagnose("127.0.0.1:\(raw.port)")
            #expect(start.duration(to: .now) < .seconds(20), "\(server.name)")
            #expect(diagnosed.verdict != .passed)
        }
    }

    @Test(
        "The page of a server that never answers takes no longer than what is left",
        .enabled(if: OpenSSLServer.path != nil))
    func page() async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["localhost"]))
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = .ats
        configuration.connections.timeout = .seconds(50)
        configuration.connections.timeoutPerHost = .seconds(4)
        let anchors = TrustAnchors.store(try TrustStore([authority.root.trustCertificate]))
        let diagnoser = ServerDiagnoser(trust: TrustConfiguration(anchors: anchors), configuration: configuration)
        // Without -www it takes a request and says nothing.
        try await OpenSSLServer.with([], [leaf, authority.root]) { port in
            let start = ContinuousClock.now
            let diagnosed = try await diagnoser.diagnose("localhost:\(port)", connectAddress: "127.0.0.1")
            #expect(start.duration(to: .now) < .seconds(20))
            #expect(diagnosed.redirects?.failure?.contains("time that one server may take") == true, "\(diagnosed)")
        }
    }
}
