//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerTrust
import ServerTrustTesting
import Synchronization
import TLSWire
import TestSupport
import Testing

import struct X509.ExtendedKeyUsage
import struct X509.KeyUsage

@testable import ServerTrustNIO

@Suite("The gate", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ServerTrustGateTests {
    @Test("A server that is not trusted is sent no application data and no certificate", arguments: GateFault.all)
    func untrusted(fault: GateFault) async throws {
        let identity = try ATSFixture.chain(.p256) { $0.extendedKeyUsages = [.clientAuth] }
        for version in fault.versions {
            let gate = try fault.gate(identity)
            let chain = try fault.chain()
            try await ATSTestServer.with(.init(versions: version...version, asksForCertificate: true), chain) {
                server in
                try await RecordRelay.with(server.port) { relay in
                    let outcome = try await ATSTestClient.run(gate, port: relay.port)
                    let comment: Comment = "\(fault) over \(version): \(outcome), \(relay.fromClients)"
                    #expect(outcome.error?.code == fault.code, comment)
                    #expect(outcome.events.filter { $0 != .inactive } == [.notWritten, .error], comment)
                    #expect(relay.fromClients.hasOnlyHelloAndAlerts, comment)
                    #expect(server.seen.received.isEmpty, comment)
                }
            }
        }
    }

    @Test(
        "What was agreed on comes out with the connection, once App Transport Security holds and without",
        arguments: [2, 3])
    func facts(version: Int) async throws {
        for security in [TransportSecurity.strict, .withoutAppTransportSecurity] {
            var settings = ServerTrustSettings(
                trust: TrustConfiguration(anchors: try ATSFixture.authority.get().anchors), transportSecurity: security)
            settings.tls.applicationProtocols = ["h2", "http/1.1"]
            let gate = ServerTrustGate(settings)
            let speech = ATSTestServer.Speech(versions: version...version, applicationProtocols: ["http/1.1"])
            try await ATSTestServer.with(speech, try ATSFixture.ecdsa.get()) { server in
                let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
                let gated = try await gate.connect(to: destination, connectAddress: "127.0.0.1")
                #expect(gated.connection.applicationProtocol == "http/1.1")
                #expect(gated.connection.version == (version == 2 ? .tls12 : .tls13))
                #expect(gated.connection.cipherSuite != nil)
                #expect(gated.connection.result?.path.count == 3)
                #expect(gated.connection.verdict.isAllowed && !gated.connection.isAcceptedByHandler)
                try await gated.channel.close()
            }
        }
    }

    @Test("Without App Transport Security an evaluator alone decides about the chain, and is asked once")
    func evaluatorAlone() async throws {
        let chain = try ATSFixture.rsa.get()
        let evaluator = EvaluatorOfOurs(root: try ATSFixture.authority.get().root.trustCertificate)
        let gate = try Self.gate(anchors: TrustAnchors.none) { $0.evaluator = evaluator }
        try await ATSTestServer.with(.init(), chain) { server in
            let decided = try await ATSTestClient.run(gate, port: server.port)
            #expect(decided.isAllowed)
            #expect(evaluator.ports.withLock { $0 } == [server.port])
            gate.settings.evaluator = nil
            let alone = try await ATSTestClient.run(gate, port: server.port)
            #expect(alone.code == "untrusted")
        }
    }

    @Test("Plain HTTP and TLS older than 1.2 are refused without App Transport Security, too")
    func floor() async throws {
        let gate = try Self.gate()
        let plain = ATSDestination(host: "example.com", scheme: .http)
        #expect(throws: ServerTrustGateError.self) { try gate.check(plain) }
        try await ATSTestServer.with(.init(versions: 0...1), try ATSFixture.rsa.get()) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            #expect(outcome.error != nil && server.seen.received.isEmpty, "\(outcome)")
        }
    }

    @Test("New settings hold for connections that begin afterwards, and leave those that are there alone")
    func replaced() async throws {
        let gate = try Self.gate()
        let trusted = gate.settings
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            let first = try await gate.connect(to: destination, connectAddress: "127.0.0.1")
            gate.update { $0.anchors = .none }
            #expect(try await ATSTestClient.run(gate, port: server.port).code == "untrusted")
            #expect(first.channel.isActive)
            try await first.channel.writeAndFlush(ByteBuffer(string: "ping"))
            #expect(try await server.seenAfterAWhile(.seconds(30)).received == Array("ping".utf8))
            gate.settings = trusted
            #expect(try await ATSTestClient.run(gate, port: server.port).isAllowed)
            try await first.channel.close()
        }
    }

    @Test(
        "What waits is sent in its order, and a connection that would lack a part of what was written is refused",
        arguments: [
            ([60, 40], true), ([60, 50, 40], false),
        ])
    func pendingBytes(sizes: [Int], isWithin: Bool) async throws {
        let gate = try Self.gate { $0.maximumPendingBytes = 100 }
        let failures = Mutex(0)
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            do {
                let gated = try await gate.connect(to: destination, connectAddress: "127.0.0.1") { channel in
                    for size in sizes {
                        channel.writeAndFlush(ByteBuffer(repeating: UInt8(size), count: size)).whenFailure { _ in
                            failures.withLock { $0 += 1 }
                        }
                    }
                }
                #expect(isWithin)
                while server.seen.received.count < 100 { try await Task.sleep(for: .milliseconds(5)) }
                #expect(server.seen.received == sizes.flatMap { [UInt8](repeating: UInt8($0), count: $0) })
                try await gated.channel.close()
            } catch is PendingWritesError {
                #expect(!isWithin && failures.withLock { $0 } == sizes.count)
                #expect(server.seen.received.isEmpty)
            }
        }
    }

    @Test("What is written on hearing of the verdict is not bounded")
    func writesOnVerdict() async throws {
        let gate = try Self.gate { $0.maximumPendingBytes = 100 }
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            let gated = try await gate.connect(to: destination, connectAddress: "127.0.0.1") { channel in
                try channel.pipeline.syncOperations.addHandler(WriterOnHandshake())
            }
            let end = ContinuousClock.now + .seconds(60)
            while server.seen.received.count < 100_000, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(server.seen.received == [UInt8](repeating: 7, count: 100_000))
            try await gated.channel.close()
        }
    }

    @Test("Half of a connection is not closed before it is there, and the server is judged all the same")
    func closedInput() async throws {
        let gate = try Self.gate(anchors: TrustAnchors.none)
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            await #expect(throws: ServerTrustGateError.self) {
                try await gate.connect(to: destination, connectAddress: "127.0.0.1") { channel in
                    channel.close(mode: .input, promise: nil)
                    channel.writeAndFlush(ByteBuffer(string: "ping"), promise: nil)
                }
            }
            #expect(server.seen.received.isEmpty)
        }
    }

    @Test("What an initializer throws is heard, over plain HTTP, too", arguments: [ATSDestination.Scheme.http, .https])
    func throwingInitializer(scheme: ATSDestination.Scheme) async throws {
        var dictionary = ATSDictionary()
        dictionary.allowsArbitraryLoads = true
        let gate = try Self.gate { $0.transportSecurity = .appTransportSecurity(ATSPolicy(dictionary)) }
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, scheme: scheme, port: server.port)
            await #expect(throws: HandlerFault.self) {
                try await gate.connect(to: destination, connectAddress: "127.0.0.1") { _ in throw HandlerFault() }
            }
        }
    }

    @Test("A callback judges as the gate does, and gives the chain that was verified")
    func callbacks() async throws {
        let gate = try Self.gate()
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            for (host, isAllowed) in [(ATSTestClient.host, true), ("other.test", false)] {
                let destination = ATSDestination(host: host, port: server.port)
                let callback = try gate.customVerificationCallbackWithMetadata(for: destination)
                let context = try NIOSSLContext(configuration: try gate.tlsConfiguration(for: destination))
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(
                                    context: context, serverHostname: host,
                                    customVerificationCallbackWithMetadata: callback))
                        }
                    }
                    .connect(host: "127.0.0.1", port: server.port).get()
                _ = try? await channel.writeAndFlush(ByteBuffer(string: "ping"))
                let path = try? await channel.nioSSL_peerValidatedCertificateChain().get()
                #expect((path.map { Array($0).count } == 3) == isAllowed, "\(host)")
                try? await channel.close()
            }
            #expect(server.seen.received == Array("ping".utf8))
        }
    }

    /// A gate without App Transport Security.
    static func gate(
        anchors: TrustAnchors? = nil, _ change: (inout ServerTrustSettings) throws -> Void = { _ in }
    ) throws -> ServerTrustGate {
        var settings = ServerTrustSettings(
            trust: TrustConfiguration(anchors: try anchors ?? ATSFixture.authority.get().anchors),
            transportSecurity: .withoutAppTransportSecurity)
        settings.handshakeTimeout = .seconds(60)
        // The tests count connections and octets; GateLookTests look.
        settings.looksAtDeliveredEvidence = false
        try change(&settings)
        return ServerTrustGate(settings)
    }
}

/// Something for which a server is refused.
struct GateFault: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the error says first.
    let code: String
    var versions = [2, 3]
    var chain: @Sendable () throws -> [TestCertificate] = { try ATSFixture.ecdsa.get() }
    var change: @Sendable (inout ServerTrustSettings) throws -> Void = { _ in }

    var testDescription: String { self.name }

    /// With a certificate of the client, which no untrusted server may see.
    func gate(_ identity: [TestCertificate]) throws -> ServerTrustGate {
        try ServerTrustGateTests.gate { settings in
            settings.tls.certificateChain = try identity.map {
                .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
            }
            settings.tls.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(identity[0].privateKey.pem.utf8), format: .pem))
            try self.change(&settings)
        }
    }

    static let all: [GateFault] = [
        GateFault(name: "self-signed", code: "untrusted") {
            [try ATSFixture.authority.get().selfSigned(.leaf(dnsNames: [ATSTestClient.host]))]
        },
        GateFault(name: "wrong name", code: "untrusted") {
            try ATSFixture.chain(.p256) { $0.dnsNames = ["other.test"] }
        },
        GateFault(name: "expired", code: "untrusted") {
            try ATSFixture.chain(.p256) { $0.setValidity(from: .seconds(-86_400), lasting: .seconds(3_600)) }
        },
        GateFault(
            name: "failed pin", code: "path-not-pinned",
            change: { settings in
                let pin = Pin(try TestPrivateKey(.p256).publicKey)
                settings.evaluator = try ServerTrustManager(evaluators: [ATSTestClient.host: .pins([pin])])
            }),
        GateFault(
            name: "no evaluator for the host", code: "no-evaluator",
            change: { settings in
                settings.evaluator = try ServerTrustManager(evaluators: ["other.test": .default])
            }),
        GateFault(name: "revoked", code: "untrusted") {
            try RevokedServer.shared.get().chain
        } change: { settings in
            settings.revocation.lists = [try RevokedServer.shared.get().list]
        },
        GateFault(name: "App Transport Security's version", code: "tls-version-too-old", versions: [1]) {
            try ATSFixture.rsa.get()
        } change: { settings in
            // Offered by a configuration that the gate has to correct.
            settings.transportSecurity = .strict
            settings.tls.minimumTLSVersion = .tlsv1
        },
        GateFault(name: "App Transport Security's key", code: "untrusted") {
            try ATSFixture.chain(.rsa1024)
        } change: {
            $0.transportSecurity = .strict
        },
        GateFault(
            name: "a handler that throws", code: "HandlerFault",
            change: { settings in
                settings.handler = AnsweringHandler { _ in throw HandlerFault() }
            }),
        GateFault(
            name: "a handler that refuses", code: "HandlerRefusal",
            change: { settings in
                settings.handler = AnsweringHandler { _ in .cancelAuthenticationChallenge(nil) }
            }),
        GateFault(
            name: "a handler that is slow", code: "HandlerTimeout",
            change: { settings in
                settings.handlerTimeout = .milliseconds(200)
                settings.handler = AnsweringHandler { challenge in
                    try? await Task.sleep(for: .seconds(600))
                    return .useCredential(ServerTrustCredential(trust: challenge.trust))
                }
            }),
        GateFault(
            name: "a handler that is cancelled", code: "CancellationError",
            change: { settings in
                settings.handler = AnsweringHandler { _ in throw CancellationError() }
            }),
        GateFault(
            name: "a handler that accepts another chain", code: "MistakenCredential",
            change: { settings in
                settings.handler = AnsweringHandler { challenge in
                    let others = try ATSFixture.rsa.get().map { try $0.trustCertificate }
                    let trust = try Trust(
                        certificates: others, policies: challenge.trust.policies, configuration: .only([]))
                    return .useCredential(ServerTrustCredential(trust: trust))
                }
            }),
        GateFault(
            name: "a handler that accepts what is not pinned", code: "path-not-pinned",
            change: { settings in
                let pin = Pin(try TestPrivateKey(.p256).publicKey)
                settings.evaluator = ServerTrustEvaluator.pins([pin])
                settings.handler = AnsweringHandler { .useCredential(ServerTrustCredential(trust: $0.trust)) }
            }),
        GateFault(name: "a handler that accepts what App Transport Security enforces", code: "untrusted") {
            try ATSFixture.chain(.p256) { $0.dnsNames = ["other.test"] }
        } change: { settings in
            settings.transportSecurity = .strict
            settings.handler = AnsweringHandler { .useCredential(ServerTrustCredential(trust: $0.trust)) }
        },
    ]
}

extension ServerTrustGateError {
    /// The first violation, or what the program's own evaluator or handler gave for a reason.
    fileprivate var code: String? {
        if let failure = self.cause as? ServerTrustFailure {
            return failure.code == "untrusted" ? nil : Self.code(failure)
        }
        if let cause, !(cause is NIOSSLError), !(cause is BoringSSLError) { return "\(type(of: cause))" }
        return self.verdict.primary?.code
    }

    private static func code(_ failure: ServerTrustFailure) -> String {
        if case .untrusted = failure.reason { return "untrusted" }
        return failure.code
    }
}

private struct HandlerFault: Error {}

/// Writes much as soon as it hears of the handshake.
private final class WriterOnHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(repeating: 7, count: 100_000)), promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }
}

/// A server whose certificate its root has revoked.
struct RevokedServer: Sendable {
    let chain: [TestCertificate]
    let list: CertificateList

    static let shared = Result { try RevokedServer() }

    private init() throws {
        let intermediate = try ATSFixture.intermediate.get()
        var description = CertificateDescription.leaf(dnsNames: [ATSTestClient.host])
        description.serialNumber = .init(4_711)
        let leaf = try ATSFixture.authority.get().issue(description, by: intermediate)
        self.chain = [leaf, intermediate]
        self.list = try intermediate.revocationList(revoking: [4_711])
    }
}

/// Hears which ports it is asked about, and trusts one root.
private final class EvaluatorOfOurs: ServerTrustEvaluating {
    let ports = Mutex<[Int?]>([])
    private let base: ServerTrustEvaluator

    init(root: ServerTrust.Certificate) {
        self.base = .anchored([root])
    }

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.base.evaluate(trust, forHost: host)
    }

    func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        self.ports.withLock { $0.append(port) }
        return self.base.evaluate(trust, forHost: host)
    }
}

/// A handler that is a closure.
struct AnsweringHandler: ServerTrustHandler {
    let answer: @Sendable (ServerTrustChallenge) async throws -> ServerTrustDisposition

    init(_ answer: @escaping @Sendable (ServerTrustChallenge) async throws -> ServerTrustDisposition) {
        self.answer = answer
    }

    func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition {
        try await self.answer(challenge)
    }
}
