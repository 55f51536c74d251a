//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOSSL
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@Suite("Diagnosing a server from a program", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ServerDiagnoserTests {
    private let authority: TestAuthority
    private let leaf: TestCertificate

    init() throws {
        self.authority = try TestAuthority()
        self.leaf = try self.authority.issue(.leaf(dnsNames: ["a.test"]))
    }

    private func diagnoser(
        _ configuration: ServerDiagnoser.Configuration = ServerDiagnoser.Configuration()
    ) throws -> ServerDiagnoser {
        let anchors = TrustAnchors.store(try TrustStore([self.authority.root.trustCertificate]))
        return ServerDiagnoser(trust: TrustConfiguration(anchors: anchors), configuration: configuration)
    }

    private func withServer(
        maximum version: TLSVersion? = nil, _ body: (String) async throws -> Void
    ) async throws {
        var configuration = TestTLSServer.Configuration(
            certificates: [self.leaf.der], privateKey: self.leaf.privateKey)
        if let version { configuration.maximumTLSVersion = version }
        let server = try await TestTLSServer.start(configuration)
        do {
            try await body("a.test:\(server.port)")
        } catch {
            try await server.shutdown()
            throw error
        }
        try await server.shutdown()
    }

    @Test("By itself a diagnoser fetches issuers, but nothing past a proxy")
    func fetching() throws {
        var configuration = ServerDiagnoser.Configuration()
        #expect(ServerDiagnoser(configuration: configuration).trust.fetching != nil)
        configuration.connections.proxy = try Proxy("socks5://127.0.0.1:1080")
        #expect(ServerDiagnoser(configuration: configuration).trust.fetching == nil)
    }

    @Test("A server that does not answer is unknown, and a fact is missing")
    func noAnswer() async throws {
        let server = try await self.diagnoser().diagnose("a.test:1", connectAddress: "127.0.0.1")
        #expect(server.verdict == .unknown)
        #expect(!server.reasons.isEmpty && server.reasons.allSatisfy(\.isMissingFact))
        #expect(server.reasons.allSatisfy { !$0.message.isEmpty && !$0.remedy.isEmpty && !$0.subjects.isEmpty })
        #expect(server.redirects == nil)
    }

    @Test("Text that names no server is an error")
    func badText() async throws {
        await #expect(throws: TLSEndpointError.self) { try await self.diagnoser().diagnose("a b") }
    }

    @Test("A leaf that cannot be read is not trusted, whatever is sent after it")
    func unreadableLeaf() async throws {
        var facts = ServerFacts(plan: .standard, serverName: "a.test")
        facts.versions = [VersionFact(.tls13, .supported)]
        var chain = ChainFact([[0x30, 0x00], self.leaf.der])
        chain.versions = [.tls13]
        chain.isProven = true
        facts.chains = [chain]
        let server = try await self.diagnoser().judge(facts, of: TLSEndpoint(host: "a.test"))
        #expect(server.diagnosis.trust.map { $0?.isTrusted } == [nil])
        #expect(server.verdict == .unknown && server.diagnosis[.trust]?.outcome == .unknown)
    }

    @Test("A refusal that the plan ats sees is explained")
    func explainedRefusal() async throws {
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = .ats
        try await self.withServer(maximum: .tlsv11) { server in
            let explained = try await self.diagnoser(configuration).diagnose(server, connectAddress: "127.0.0.1")
            #expect(explained.verdict == .failed && explained.facts.plan == .standard)
            #expect(explained.reasons.first?.cause?.kind == .version)
            configuration.explainsRefusals = false
            let plain = try await self.diagnoser(configuration).diagnose(server, connectAddress: "127.0.0.1")
            #expect(plain.verdict == .failed && plain.facts.plan == .ats)
        }
    }

    @Test("A good server passes, is asked for its page, and confirms its answers")
    func goodServer() async throws {
        var configuration = ServerDiagnoser.Configuration()
        configuration.confirms = true
        configuration.app = ServerDiagnoser.App(policy: ATSPolicy(ATSDictionary()))
        configuration.now = { Date(timeIntervalSince1970: 1_800_000_000) }
        let ready = configuration
        try await self.withServer { text in
            let server = try await self.diagnoser(ready).diagnose(text, connectAddress: "127.0.0.1")
            #expect(server.verdict == .passed && server.reasons.isEmpty, "\(server.reasons)")
            #expect(server.verdicts.map(\.subject) == [.ats, .fcp, .trust, .plist])
            #expect(server.redirects?.connections == 1 && server.redirects?.destinations.isEmpty == true)
            #expect(server.confirmations?.isEmpty == false && server.contradictions.isEmpty)
            #expect(server.explanation != nil && server.date == Date(timeIntervalSince1970: 1_800_000_000))
        }
    }

    @Test("A page is asked for only directly, over TLS at once, and as of now", arguments: [0, 1, 2])
    func noPage(reason: Int) async throws {
        var configuration = ServerDiagnoser.Configuration()
        var trust = TrustConfiguration(
            anchors: .store(try TrustStore([self.authority.root.trustCertificate])))
        switch reason {
        case 0: configuration.followsRedirects = false
        case 1: trust.verifyDate = Date()
        default: configuration.connections.startTLS = .smtp
        }
        configuration.connections.timeout = .seconds(6)
        let diagnoser = ServerDiagnoser(trust: trust, configuration: configuration)
        try await self.withServer { text in
            let server = try await diagnoser.diagnose(text, connectAddress: "127.0.0.1")
            #expect(server.redirects == nil)
            #expect((server.verdict == .passed) == (reason < 2))
        }
    }

    @Test("A second answer that contradicts the first makes the verdict unknown")
    func contradiction() async throws {
        try await self.withServer { text in
            var server = try await self.diagnoser().diagnose(text, connectAddress: "127.0.0.1")
            let test = try #require(server.diagnosis.row(1)?.test)
            server.confirmations = [Confirmation(test: test, computed: .passed, observed: .failed, violation: nil)]
            #expect(server.verdict == .unknown && server.contradictions.count == 1)
        }
    }
}
