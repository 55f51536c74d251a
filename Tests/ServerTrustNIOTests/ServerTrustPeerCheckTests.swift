//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Checks behind another library's TLS handler", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ServerTrustPeerCheckTests {
    @Test("A server that NIOSSL accepts is refused before a byte is sent", arguments: PeerCheckCase.all)
    func check(row: PeerCheckCase) async throws {
        for version in 2...3 {
            try await ATSTestServer.with(.init(versions: version...version), try ATSFixture.rsa.get()) { server in
                let gate = try row.gate()
                let context = try Self.context()
                let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
                let intermediates = try row.expectsIntermediate ? [ATSFixture.intermediate.get().trustCertificate] : []
                let outcome = try await ATSTestClient.run(port: server.port) { channel, outcome in
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: ATSTestClient.host)
                    let check = ServerTrustPeerCheck(
                        gate, for: destination, behind: tls, intermediates: intermediates, outcome: outcome)
                    try channel.pipeline.syncOperations.addHandlers([tls, check])
                }
                #expect(outcome.isAllowed == row.isAllowed, "\(row.name) over \(version): \(outcome)")
                if !row.isAllowed {
                    #expect(server.seen.received.isEmpty)
                    #expect(
                        outcome.events.filter { $0 != .inactive } == [.notWritten, .error], "\(row.name): \(outcome)")
                    #expect(throws: (any Error).self) { try outcome.verdict?.get() }
                }
            }
        }
    }

    @Test("A connection without a handshake cannot be checked")
    func noTLS() async throws {
        let gate = try ServerTrustGateTests.gate()
        try await ATSTestServer.withPlain { server in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: server.port).get()
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            let error = await #expect(throws: ServerTrustPeerCheckError.self) {
                try await channel.eventLoop.submit { try gate.checkPeer(of: channel, for: destination) }.get()
            }
            #expect(error?.code == .noTLS)
            try await channel.close()
        }
    }

    /// What another library has: NIOSSL's own verification with its own roots.
    private static func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let root = try ATSFixture.authority.get().root
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: root.der, format: .der)])
        return try NIOSSLContext(configuration: configuration)
    }
}

struct PeerCheckCase: Sendable, CustomTestStringConvertible {
    let name: String
    var expectsIntermediate = true
    var isAllowed = false
    var change: @Sendable (inout ServerTrustSettings) throws -> Void = { _ in }

    var testDescription: String { self.name }

    func gate() throws -> ServerTrustGate { try ServerTrustGateTests.gate(self.change) }

    static let all: [PeerCheckCase] = [
        PeerCheckCase(name: "nothing wrong", isAllowed: true),
        PeerCheckCase(name: "the pinned key", isAllowed: true) {
            $0.evaluator = ServerTrustEvaluator.pins([try ATSFixture.rsa.get()[0].pin])
        },
        PeerCheckCase(name: "a path that cannot be built", expectsIntermediate: false),
        PeerCheckCase(name: "other anchors") { $0.anchors = .none },
        PeerCheckCase(name: "another key pinned") {
            $0.evaluator = ServerTrustEvaluator.pins([Pin(subjectPublicKeyInfo: [1])])
        },
        PeerCheckCase(name: "a handler, which could accept") {
            $0.handler = AnsweringHandler { .useCredential(ServerTrustCredential(trust: $0.trust)) }
        },
    ]
}

extension ServerTrustGateTests {
    static func gate(_ change: (inout ServerTrustSettings) throws -> Void) throws -> ServerTrustGate {
        try Self.gate(anchors: nil, change)
    }
}
