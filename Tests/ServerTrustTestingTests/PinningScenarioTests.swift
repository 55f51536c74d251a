//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@Suite("A pinning configuration meets a live server", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PinningScenarioTests {
    @Test("The five lines of the documentation hold")
    func pinsHold() async throws {
        try await withPinningServer(.trustedMiddleman) { server in
            let manager = try ServerTrustManager(
                evaluators: [server.host: .pins([server.pins.leaf, server.pins.backup])])
            #expect(!manager.evaluate(try await server.trust(), forHost: server.host).isTrusted)
        }
    }

    @Test("A server that is trusted without pins is refused with them", arguments: middlemen)
    func middlemenAreRefused(scenario: PinningScenario) async throws {
        try await withPinningServer(scenario) { server in
            let trust = try await server.trust()
            #expect(ServerTrustEvaluator.default.evaluate(trust, forHost: server.host).isTrusted)
            for part in PinnedSite.Part.allCases {
                let decision = ServerTrustEvaluator.pins([server.pins[part]]).evaluate(trust, forHost: server.host)
                #expect(!decision.isTrusted, "\(part)")
                #expect(decision.failure?.code == "path-not-pinned", "\(part)")
            }
        }
    }

    @Test("No pin makes up for a path that is not trusted", arguments: impostors)
    func impostorsAreRefused(scenario: PinningScenario, code: String) async throws {
        try await withPinningServer(scenario) { server in
            let trust = try await server.trust()
            let everything = PinnedSite.Part.allCases.map { server.pins[$0] }
            let withoutPins = ServerTrustEvaluator.default.evaluate(trust, forHost: server.host)
            #expect(withoutPins.failure?.code == code)
            #expect(!ServerTrustEvaluator.pins(everything).evaluate(trust, forHost: server.host).isTrusted)
        }
    }

    @Test("What no pins, a leaf's, a backup, an intermediate's and a root's decide", arguments: decisions)
    func decisionsOnALiveServer(scenario: PinningScenario, trusted: Set<PinnedSite.Part>, withoutPins: Bool)
        async throws
    {
        try await withPinningServer(scenario) { server in
            let trust = try await server.trust()
            let plain = ServerTrustEvaluator.default.evaluate(trust, forHost: server.host)
            #expect(plain.isTrusted == withoutPins)
            #expect(scenario.isTrusted() == withoutPins)
            for part in PinnedSite.Part.allCases {
                let pins = try PinSet([server.pins[part]], scope: part.scope)
                let decision = ServerTrustEvaluator.pins(pins).evaluate(trust, forHost: server.host)
                #expect(
                    decision.isTrusted == trusted.contains(part), "\(part): \(String(describing: decision.failure))")
                #expect(scenario.isTrusted(pinning: [part]) == trusted.contains(part), "\(part)")
            }
        }
    }

    @Test("One of several pins is enough, wherever on the path it is")
    func severalPins() async throws {
        try await withPinningServers { servers in
            #expect(servers.map(\.scenario) == PinningScenario.allCases)
            for server in servers {
                let trust = try await server.trust()
                for parts: Set<PinnedSite.Part> in [[.leaf, .backup], [.backup, .root], [.leaf, .intermediate]] {
                    let pins = ServerTrustEvaluator.pins(parts.map { server.pins[$0] })
                    let decision = pins.evaluate(trust, forHost: server.host)
                    #expect(
                        decision.isTrusted == server.scenario.isTrusted(pinning: parts), "\(server.scenario), \(parts)")
                }
            }
        }
    }

    @Test("Alamofire's and AFNetworking's ways to pin agree on every scenario", arguments: PinningScenario.allCases)
    func otherWaysToPin(scenario: PinningScenario) async throws {
        let site = try PinnedSite()
        let certificate = try site.leaf.trustCertificate
        let policy = try SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [certificate])
        try await withPinningServer(scenario, of: site) { server in
            let trust = try await server.trust()
            let isPinned = scenario.isTrusted(pinning: [.leaf])
            for evaluator in [.publicKeys([certificate.publicKey]), .securityPolicy(policy)] as [ServerTrustEvaluator] {
                #expect(evaluator.evaluate(trust, forHost: server.host).isTrusted == isPinned)
            }
            let pinned = ServerTrustEvaluator.pinnedCertificates([certificate])
            // A certificate's pin ends with the certificate.
            let isSameCertificate = server.certificates.first == site.leaf.der
            #expect(pinned.evaluate(trust, forHost: server.host).isTrusted == isSameCertificate)
        }
    }

    @Test("A root in the machine's store passes where such roots are exempt", arguments: [true, false])
    func exemptAnchors(isExempt: Bool) async throws {
        try await withPinningServer(.trustedMiddleman) { server in
            var pins = try PinSet([server.pins.leaf, server.pins.backup])
            pins.exemptAnchors = isExempt ? [.user] : [.application, .system]
            // The site's own root is the application's: exempting those must not let the middleman's pass.
            let decision = ServerTrustEvaluator.pins(pins).evaluate(try await server.trust(), forHost: server.host)
            #expect(decision.isTrusted == isExempt)
        }
    }
}

private let middlemen: [PinningScenario] = [
    .trustedMiddleman, .appendedLeaf, .appendedIntermediate, .appendedRoot, .imitatedIntermediate,
]

private let impostors: [(PinningScenario, String)] = [
    (.untrustedMiddleman, "unknown-issuer"),
    (.selfSigned, "untrusted-root"),
    (.leafAsIssuer, "not-a-ca"),
    (.otherCustomer, "name-mismatch"),
]

/// Each scenario, the parts of which the pin is enough, and whether it is trusted without any.
private let decisions: [(PinningScenario, Set<PinnedSite.Part>, Bool)] = [
    (.genuine, [.leaf, .intermediate, .root], true),
    (.renewedCertificate, [.leaf, .intermediate, .root], true),
    (.rotatedKey, [.backup, .intermediate, .root], true),
    (.otherIntermediate, [.leaf, .root], true),
    (.wrongOrder, [.leaf, .intermediate, .root], true),
    (.superfluousCertificates, [.leaf, .intermediate, .root], true),
    (.trustedMiddleman, [], true),
    (.appendedLeaf, [], true),
    (.appendedIntermediate, [], true),
    (.appendedRoot, [], true),
    (.imitatedIntermediate, [], true),
    (.untrustedMiddleman, [], false),
    (.selfSigned, [], false),
    (.leafAsIssuer, [], false),
    (.otherCustomer, [], false),
]

extension PinnedSite.Part {
    /// Where on a path the part is.
    fileprivate var scope: PinRequirement.Scope {
        switch self {
        case .leaf, .backup: .leaf
        case .intermediate: .authorities
        case .root: .anchor
        }
    }
}
