//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import ServerTrust
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Handlers that decide after the rules", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ServerTrustHandlerTests {
    @Test("A handler accepts what the rules leave to the program, and nothing else", arguments: acceptances)
    func accepting(acceptance: Acceptance) async throws {
        let asked = Mutex(0)
        let gate = try ATSFixture.enforcement(acceptance.dictionary) { settings in
            if let security = acceptance.security { settings.transportSecurity = security }
            settings.evaluator = acceptance.evaluator
            settings.handler = AnsweringHandler { challenge in
                asked.withLock { $0 += 1 }
                return .useCredential(ServerTrustCredential(trust: challenge.trust))
            }
        }
        try await ATSTestServer.with(.init(), try acceptance.chain()) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            #expect(outcome.isAllowed == acceptance.isAccepted, "\(acceptance.name): \(outcome)")
            #expect(asked.withLock { $0 } == (acceptance.isAccepted ? 1 : 0), "\(acceptance.name)")
            if acceptance.isAccepted {
                let connection = try outcome.verdict?.get()
                #expect(connection?.isAcceptedByHandler == acceptance.isOverruled)
            } else {
                #expect(server.seen.received.isEmpty)
            }
        }
    }

    @Test("A handler is told the host, the port, the chain, and what the rules make of it", arguments: [true, false])
    func challenge(isTrusted: Bool) async throws {
        let challenges = Mutex<[ServerTrustChallenge]>([])
        let gate = try ServerTrustGateTests.gate(anchors: isTrusted ? nil : TrustAnchors.none) { settings in
            settings.handler = AnsweringHandler { challenge in
                challenges.withLock { $0.append(challenge) }
                return .performDefaultHandling
            }
        }
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            #expect(outcome.isAllowed == isTrusted)
            let challenge = try #require(challenges.withLock { $0.first })
            #expect(challenge.host == ATSTestClient.host && challenge.port == server.port)
            #expect(challenge.trust.certificates.count == 2)
            #expect(challenge.result?.isTrusted == isTrusted && (challenge.refusal == nil) == isTrusted)
            // The trust of the challenge is ready to be evaluated, with the rules' own answer.
            #expect(challenge.trust.evaluate().isTrusted == isTrusted)
        }
    }

    @Test(
        "A router asks its handlers about the gate's servers, and without handlers the rules decide",
        arguments: [
            nil, .useCredential(nil), .rejectProtectionSpace, .performDefaultHandling, .cancelAuthenticationChallenge,
        ] as [AuthenticationDisposition?])
    func routing(disposition: AuthenticationDisposition?) async throws {
        let handler = disposition.map { disposition in CompletionChallengeHandler { _, answer in answer(disposition) } }
        try await Self.expect(ChallengeRouter(task: handler), isAccepted: false)
    }

    @Test("A router's handler accepts a server for the session or the task", arguments: [true, false])
    func routedAcceptance(bySession: Bool) async throws {
        let handler = CompletionChallengeHandler { challenge, answer in
            let space = challenge.protectionSpace
            guard space.authenticationMethod == .serverTrust, space.host.text == ATSTestClient.host,
                let trust = space.serverTrust
            else {
                _ = answer(.cancelAuthenticationChallenge)
                return
            }
            answer(.useCredential(Credential(trust: trust)))
        }
        let router = bySession ? ChallengeRouter(session: handler) : ChallengeRouter(task: handler)
        try await Self.expect(router, isAccepted: true)
    }

    /// What becomes of a server that the rules do not trust.
    private static func expect(_ router: ChallengeRouter, isAccepted: Bool) async throws {
        let gate = try ServerTrustGateTests.gate(anchors: TrustAnchors.none) { $0.handler = router }
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            #expect(outcome.isAllowed == isAccepted, "\(outcome)")
            if !isAccepted { #expect(server.seen.received.isEmpty) }
        }
    }

    @Test("While a handler decides nothing is read, and what the server sent meanwhile is heard after")
    func slow() async throws {
        let gate = try ServerTrustGateTests.gate { settings in
            settings.handshakeTimeout = .seconds(3)
            settings.handler = AnsweringHandler { challenge in
                try await Task.sleep(for: .seconds(5))
                return .useCredential(ServerTrustCredential(trust: challenge.trust))
            }
        }
        try await ATSTestServer.with(.init(greeting: "hello "), try ATSFixture.rsa.get()) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            #expect(outcome.isAllowed, "the handler's time is not the handshake's: \(outcome)")
        }
    }

    @Test("A handler hears that its connection is over, however it ends", arguments: [true, false])
    func abandoned(byServer: Bool) async throws {
        let (cancellations, sink) = AsyncStream.makeStream(of: Void.self)
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let gate = try ServerTrustGateTests.gate { settings in
            settings.handler = AnsweringHandler { _ in
                started.yield()
                try? await Task.sleep(for: .seconds(600))
                if Task.isCancelled { sink.yield() }
                return .performDefaultHandling
            }
        }
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            try await RecordRelay.with(server.port) { relay in
                let destination = ATSDestination(host: ATSTestClient.host, port: relay.port)
                let connecting = Task {
                    try await gate.connect(to: destination, connectAddress: "127.0.0.1")
                }
                var start = starts.makeAsyncIterator()
                _ = await start.next()
                if byServer { relay.disconnect() } else { connecting.cancel() }
                var cancellation = cancellations.makeAsyncIterator()
                _ = await cancellation.next()
                await #expect(throws: (any Error).self) { try await connecting.value }
            }
        }
    }
}

/// A server that a handler accepts.
struct Acceptance: Sendable, CustomTestStringConvertible {
    let name: String
    var dictionary = "{}"
    var security: TransportSecurity?
    var evaluator: ServerTrustEvaluator?
    /// Whether the handler is asked, and its word counts.
    let isAccepted: Bool
    /// Whether the rules alone refuse the server.
    var isOverruled = true
    var chain: @Sendable () throws -> [TestCertificate] = {
        [try ATSFixture.authority.get().selfSigned(.leaf(dnsNames: [ATSTestClient.host]))]
    }

    var testDescription: String { self.name }
}

private let acceptances: [Acceptance] = [
    Acceptance(name: "self-signed, without ATS", security: .withoutAppTransportSecurity, isAccepted: true),
    Acceptance(name: "self-signed, with ATS", isAccepted: false),
    Acceptance(
        name: "self-signed, where ATS leaves it to the app",
        dictionary: ATSFixture.exception(#""NSExceptionAllowsInsecureHTTPLoads": true"#), isAccepted: true),
    Acceptance(
        name: "self-signed, refused by an evaluator without pins", security: .withoutAppTransportSecurity,
        evaluator: .default, isAccepted: true),
    Acceptance(
        name: "self-signed, refused by an evaluator with pins", security: .withoutAppTransportSecurity,
        evaluator: .pins([Pin(subjectPublicKeyInfo: [1])]), isAccepted: false),
    Acceptance(
        name: "self-signed, refused before pins are compared", security: .withoutAppTransportSecurity,
        evaluator: .composite([
            ServerTrustEvaluator.default, ServerTrustEvaluator.pins([Pin(subjectPublicKeyInfo: [1])]),
        ]),
        isAccepted: false),
    Acceptance(
        name: "self-signed, where other anchors are set", security: .withoutAppTransportSecurity,
        evaluator: .anchored([]), isAccepted: false),
    Acceptance(
        name: "self-signed, where pins are missing", security: .withoutAppTransportSecurity,
        evaluator: .pinnedCertificates([]), isAccepted: false),
    Acceptance(
        name: "self-signed, refused as revocation is checked", security: .withoutAppTransportSecurity,
        evaluator: .revocation(), isAccepted: false),
    Acceptance(
        name: "self-signed, refused for an evaluator's own reason", security: .withoutAppTransportSecurity,
        evaluator: .custom(RefusingEvaluator()), isAccepted: false),
    Acceptance(name: "trusted", isAccepted: true, isOverruled: false) { try ATSFixture.rsa.get() },
]

private struct RefusingEvaluator: ServerTrustEvaluating {
    struct Reason: Error {}

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        .refused(ServerTrustFailure(Reason(), forHost: host))
    }
}
