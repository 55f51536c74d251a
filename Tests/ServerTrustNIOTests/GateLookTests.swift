//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import Foundation
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing
import X509

@testable import ServerTrustNIO

/// A server of OpenSSL's that staples a response.
private struct StaplingServer {
    static let serial = 4_711

    let authority: TestAuthority
    let intermediate: TestCertificate
    let chain: [TestCertificate]

    init() throws {
        self.authority = try TestAuthority()
        self.intermediate = try self.authority.issue(.intermediate())
        var leaf = CertificateDescription.leaf(dnsNames: [ATSTestClient.host])
        leaf.serialNumber = .init(Self.serial)
        self.chain = [try self.authority.issue(leaf, by: self.intermediate), self.intermediate]
    }

    func gate(_ change: (inout ServerTrustSettings) -> Void = { _ in }) throws -> ServerTrustGate {
        var settings = ServerTrustSettings(trust: .only([try self.authority.root.trustCertificate]))
        settings.handshakeTimeout = .seconds(60)
        change(&settings)
        return ServerTrustGate(settings)
    }

    func with<R>(_ status: TestStatus?, _ options: [String], _ body: (Int) async throws -> R) async throws -> R {
        var options = options
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("staple-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        if let status {
            try Data(self.intermediate.response(about: Self.serial, status).bytes).write(to: file)
            options += ["-status_file", file.path]
        }
        return try await OpenSSLServer.with(options, self.chain, body)
    }
}

/// A way to connect through a gate.
private enum Entry: CaseIterable, Sendable {
    case connect, bootstrap, stream

    /// Connects; returns what came of it, or the code of the refusal.
    func outcome(_ gate: ServerTrustGate, port: Int) async throws -> Result<GatedConnection, ServerTrustGateError> {
        let destination = ATSDestination(host: ATSTestClient.host, port: port)
        do {
            switch self {
            case .connect:
                let gated = try await gate.connect(to: destination, connectAddress: "127.0.0.1")
                try await gated.channel.close()
                return .success(gated.connection)
            case .bootstrap:
                let outcome = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: GatedConnection.self)
                let channel = try await ClientBootstrap(group: outcome.futureResult.eventLoop).channelInitializer {
                    channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addServerTrustHandlers(
                            gate, for: destination, outcome: outcome)
                    }
                }.connect(host: "127.0.0.1", port: port).get()
                let connection = try await outcome.futureResult.get()
                try await channel.close()
                return .success(connection)
            case .stream:
                let stream = try await SecureStream.connect(
                    to: "127.0.0.1", port: port, peerName: ATSTestClient.host, gate: gate)
                let connection = try await stream.accept()
                await stream.close()
                return .success(connection)
            }
        } catch let error as ServerTrustGateError {
            return .failure(error)
        }
    }
}

@Suite(
    "A gate that looks at what servers deliver", .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(if: OpenSSLServer.path != nil, "openssl is not installed"))
struct GateLookTests {
    @Test(
        "A server that staples “revoked” is refused at every entry that connects, in either version",
        arguments: Entry.allCases, ["-tls1_3", "-tls1_2"])
    private func revoked(entry: Entry, version: String) async throws {
        let server = try StaplingServer()
        try await server.with(TestStatus(isRevoked: true), [version]) { port in
            let gate = try server.gate()
            for _ in 0..<2 {
                guard case .failure(let error) = try await entry.outcome(gate, port: port) else {
                    Issue.record("The server was let through.")
                    return
                }
                let code = error.verdict.violations.compactMap { violation -> String? in
                    if case .untrusted(let failure) = violation.reason { failure.primary.code } else { nil }
                }
                #expect(code == ["revoked"], "\(error)")
            }
        }
    }

    @Test(
        "A server that staples “good”, what has ended, or nothing is let through, and was seen",
        arguments: [TestStatus(), TestStatus(isRevoked: false, end: .now.addingTimeInterval(-60)), nil])
    private func others(status: TestStatus?) async throws {
        let server = try StaplingServer()
        try await server.with(status, []) { port in
            let gate = try server.gate()
            for _ in 0..<2 {
                let connection = try await Entry.connect.outcome(gate, port: port).get()
                #expect(connection.sawDeliveredEvidence && connection.result?.isTrusted == true)
            }
        }
    }

    @Test("An address at which nothing listens says nothing about the next one")
    func otherAddress() async throws {
        let server = try StaplingServer()
        let closed = try #require(try await FreePort.ports(1).first)
        try await server.with(TestStatus(isRevoked: true), []) { port in
            let gate = try server.gate()
            let destination = ATSDestination(host: ATSTestClient.host, port: port)
            let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer(gate.initializer(for: destination))
            await #expect(throws: (any Error).self) {
                _ = try await bootstrap.connect(host: "127.0.0.1", port: closed).get()
            }
            let outcome = try await Entry.bootstrap.outcome(gate, port: port)
            #expect(throws: ServerTrustGateError.self) { try outcome.get() }
        }
    }

    @Test("A look that was cancelled is no look that showed nothing")
    func cancelled() async throws {
        let server = try StaplingServer()
        try await server.with(TestStatus(isRevoked: true), []) { port in
            let gate = try server.gate()
            let first = Task { try await Entry.connect.outcome(gate, port: port) }
            first.cancel()
            _ = try? await first.value
            let outcome = try await Entry.connect.outcome(gate, port: port)
            #expect(throws: ServerTrustGateError.self) { try outcome.get() }
        }
    }

    @Test("Switched off, or without anything to judge by it, nothing is looked at, and that is told")
    func off() async throws {
        let server = try StaplingServer()
        try await server.with(TestStatus(isRevoked: true), []) { port in
            for change in [
                { (settings: inout ServerTrustSettings) in settings.looksAtDeliveredEvidence = false },
                { (settings: inout ServerTrustSettings) in
                    settings.revocation.mode = .off
                    settings.transparency = nil
                },
            ] {
                let connection = try await Entry.connect.outcome(server.gate(change), port: port).get()
                #expect(!connection.sawDeliveredEvidence)
            }
        }
    }

    @Test("A server is looked at once for an hour, at every entry", arguments: Entry.allCases)
    private func once(entry: Entry) async throws {
        try await ATSTestServer.with(.init(), try ATSFixture.ecdsa.get()) { server in
            try await RecordRelay.with(server.port) { relay in
                let gate = try ATSFixture.enforcement { $0.looksAtDeliveredEvidence = true }
                for _ in 0..<3 {
                    #expect(try await entry.outcome(gate, port: relay.port).get().sawDeliveredEvidence)
                }
                #expect(relay.connections == 4)
            }
        }
    }
}
