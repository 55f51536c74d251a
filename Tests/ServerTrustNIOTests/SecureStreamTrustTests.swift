//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import NIOCore
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Streams whose server is judged", .limitedConcurrency, .timeLimit(.minutes(10)))
struct SecureStreamTrustTests {
    @Test("A server that is refused gets no application data, however it is refused", arguments: StreamRefusal.allCases)
    func refused(refusal: StreamRefusal) async throws {
        try await StreamTestServer.with(try ATSFixture.ecdsa.get(), script: SecureStreamTests.hello) { port in
            try await RecordRelay.with(port) { relay in
                let gate = try StreamFixture.gate(anchors: TrustAnchors.none) { settings in
                    settings.handlerTimeout = refusal == .byTime ? .milliseconds(200) : .seconds(30)
                }
                let error = await #expect(throws: ServerTrustGateError.self) {
                    let stream = try await StreamFixture.stream(
                        relay.port, gate: gate, validation: refusal == .byRules ? .automatic : .byCaller)
                    try await Self.checkNothingPasses(stream)
                    switch refusal {
                    case .byRules: Issue.record("the rules let the server through")
                    case .byCaller:
                        await stream.refuse(Reason())
                        try await Self.checkNothingPasses(stream)
                    case .byTime: try await relay.waitForEnd()
                    }
                    try await stream.accept()
                }
                #expect((error?.cause is Reason) == (refusal == .byCaller), "\(String(describing: error))")
                #expect(relay.fromClients.hasOnlyHelloAndAlerts, "\(relay.fromClients)")
            }
        }
    }

    @Test("A stream that is dropped without a decision closes its connection, and nothing passes")
    func dropped() async throws {
        try await ATSTestServer.with(.init(greeting: "hello"), try ATSFixture.ecdsa.get()) { server in
            do {
                let stream = try await StreamFixture.stream(server.port, validation: .byCaller)
                #expect(stream.refusal == nil && server.seen.openConnections == 1)
            }
            while server.seen.openConnections > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(server.seen.received.isEmpty)
        }
    }

    @Test("The caller cannot accept what pins or App Transport Security refuse")
    func leftToProgram() async throws {
        try await StreamTestServer.with(try ATSFixture.ecdsa.get(), script: SecureStreamTests.hello) { port in
            let strict = try StreamFixture.gate(anchors: TrustAnchors.none) { $0.transportSecurity = .strict }
            let pinned = try StreamFixture.gate { settings in
                settings.evaluator = ServerTrustEvaluator.pins([Pin(subjectPublicKeyInfo: [1])])
            }
            for gate in [strict, pinned] {
                await #expect(throws: ServerTrustGateError.self) {
                    try await StreamFixture.stream(port, gate: gate, validation: .byCaller)
                }
            }
        }
    }

    @Test("A handler of the settings decides by itself, and is not ignored where the caller would decide")
    func handler() async throws {
        let gate = try StreamFixture.gate(anchors: TrustAnchors.none) { settings in
            settings.handler = AnsweringHandler { .useCredential(ServerTrustCredential(trust: $0.trust)) }
        }
        try await StreamTestServer.with(try ATSFixture.ecdsa.get(), script: SecureStreamTests.hello) { port in
            let stream = try await StreamFixture.stream(port, gate: gate)
            #expect(stream.refusal != nil)
            #expect(try await stream.accept().isAcceptedByHandler)
            #expect(await StreamFixture.rest(of: stream).text == "hello")
            await #expect {
                try await StreamFixture.stream(port, gate: gate, validation: .byCaller)
            } throws: { ($0 as? SecureStreamError)?.code == .handler }
        }
    }

    @Test("A server is evaluated for the peer name and not for the address", arguments: [true, false])
    func peerName(isNamed: Bool) async throws {
        let chain =
            isNamed
            ? try ATSFixture.ecdsa.get()
            : try ATSFixture.chain(.p256) { ($0.dnsNames, $0.ipAddresses) = ([], ["127.0.0.1"]) }
        try await StreamTestServer.with(chain, script: SecureStreamTests.hello) { port in
            for name in [StreamFixture.host, nil] {
                let connecting = Task {
                    try await SecureStream.connect(
                        to: "127.0.0.1", port: port, peerName: name, gate: try StreamFixture.gate())
                }
                let stream = try? await connecting.value
                #expect((stream != nil) == ((name != nil) == isNamed), "\(name ?? "no name")")
                guard let stream else { continue }
                let connection = try await stream.accept()
                #expect(connection.destination.host == name ?? "127.0.0.1")
            }
        }
    }

    // Listing 4 of "Overriding TLS Chain Validation Correctly": another name.
    @Test("The caller evaluates the peer's trust for another name", arguments: [StreamFixture.host, "other.test"])
    func anotherName(expected: String) async throws {
        try await StreamTestServer.with(try ATSFixture.ecdsa.get(), script: SecureStreamTests.hello) { port in
            let stream = try await SecureStream.connect(
                to: "127.0.0.1", port: port, gate: try StreamFixture.gate(), validation: .byCaller)
            #expect(stream.refusal != nil && !stream.peerTrust.evaluate().isTrusted)
            var trust = stream.peerTrust
            trust.policies = [.tlsServer(hostname: expected)]
            #expect(trust.evaluate().isTrusted == (expected == StreamFixture.host))
            try await Self.decide(stream, trust.evaluate())
        }
    }

    // Listing 5: an anchor of the program's own.
    @Test("The caller evaluates the peer's trust with an anchor of its own", arguments: [true, false])
    func anotherAnchor(isRight: Bool) async throws {
        let anchor = isRight ? try ATSFixture.authority.get().anchors : try TestAuthority().anchors
        try await StreamTestServer.with(try ATSFixture.ecdsa.get(), script: SecureStreamTests.hello) { port in
            let stream = try await StreamFixture.stream(
                port, gate: try StreamFixture.gate(anchors: TrustAnchors.none), validation: .byCaller)
            #expect(stream.refusal != nil && !stream.peerTrust.evaluate().isTrusted)
            var trust = stream.peerTrust
            trust.anchors = anchor
            #expect(trust.evaluate().isTrusted == isRight)
            try await Self.decide(stream, trust.evaluate())
        }
    }

    /// Does what the listings do with a result.
    private static func decide(_ stream: SecureStream, _ result: TrustResult) async throws {
        try await Self.checkNothingPasses(stream)
        guard result.isTrusted else {
            await stream.refuse()
            return try await Self.checkNothingPasses(stream)
        }
        #expect(try await stream.accept().isAcceptedByHandler)
        let (text, error) = await StreamFixture.rest(of: stream)
        #expect(text == "hello" && error == nil)
    }

    private static func checkNothingPasses(_ stream: SecureStream) async throws {
        await #expect { try await stream.read() } throws: { ($0 as? SecureStreamError)?.code == .notAccepted }
        await #expect {
            try await stream.write(ByteBuffer(string: "secret"))
        } throws: { ($0 as? SecureStreamError)?.code == .notAccepted }
        await #expect { try await stream.finishWriting() } throws: {
            ($0 as? SecureStreamError)?.code == .notAccepted
        }
    }

    private struct Reason: Error {}
}

enum StreamRefusal: CaseIterable, Sendable {
    case byRules
    case byCaller
    case byTime
}
