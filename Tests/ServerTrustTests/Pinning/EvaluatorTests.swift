//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

@Suite struct EvaluatorTests {
    static let genuine = PinnedServer.all[0]
    static let host = "www.example.com"

    /// An evaluator that refuses a port, and has no method of its own for what is fetched.
    private struct PortEvaluator: ServerTrustEvaluating {
        func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision { .trusted(nil) }

        func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
            port == 443 ? .trusted(nil) : DefaultTrustEvaluator().evaluate(trust, forHost: "other.test")
        }
    }

    @Test("A refusal of a port is not lifted by a method that does not see the port", arguments: [443, 8_443])
    func ports(port: Int) async throws {
        let decision = try await PortEvaluator().evaluate(
            Self.genuine.trust, forHost: Self.host, port: port, fetching: MemoryFetcher([:]), options: FetchOptions())
        #expect(decision.isTrusted == (port == 443))
    }

    static func named(_ description: String) -> PinnedServer? {
        PinnedServer.all.first { $0.description == description }
    }

    @Test(arguments: PinnedServer.all)
    func `The default is Apple's rules, with the name or without`(server: PinnedServer) throws {
        let trust = try server.trust
        #expect(
            DefaultTrustEvaluator().evaluate(trust, forHost: Self.host).isTrusted
                == (server.isValid && server.nameMatches))
        #expect(
            DefaultTrustEvaluator(validateHost: false).evaluate(trust, forHost: Self.host).isTrusted == server.isValid)
    }

    @Test(arguments: PinnedServer.all, [(false, true), (true, true), (false, false), (true, false)])
    func `Pinned certificates need a path to them in each setting`(server: PinnedServer, flags: (Bool, Bool)) throws {
        let (acceptsSelfSigned, performsDefault) = flags
        for validatesHost in [true, false] {
            let evaluator = PinnedCertificatesTrustEvaluator(
                certificates: server.pinned, acceptSelfSignedCertificates: acceptsSelfSigned,
                performDefaultValidation: performsDefault, validateHost: validatesHost)
            let isBelow = server.isValidBelowPins || (!performsDefault && Self.expiredPinned.contains("\(server)"))
            let expected =
                (performsDefault && !acceptsSelfSigned ? server.isValid && server.isValidBelowPins : isBelow)
                && (server.nameMatches || !validatesHost)
            #expect(evaluator.evaluate(try server.trust, forHost: Self.host).isTrusted == expected)
        }
    }

    private static let expiredPinned = ["an expired server, pinned", "an expired server of another name, pinned"]

    @Test(arguments: PinnedServer.all, [true, false])
    func `Pinned keys need a path that has them, or leads from them`(server: PinnedServer, performsDefault: Bool) throws
    {
        for validatesHost in [true, false] {
            let evaluator = PublicKeysTrustEvaluator(
                keys: server.pinned.map(\.publicKey), performDefaultValidation: performsDefault,
                validateHost: validatesHost)
            // What was not sent is recognised among the anchors; where the name is checked, below every rule.
            let isAnchor = server.pinned.contains(where: server.roots.contains)
            let isFound = isAnchor && (!validatesHost || (server.isValid && server.keyIsOnPath))
            let vouched = server.isVouchedFor && (server.keyWasSent || isFound)
            let expected =
                (performsDefault ? server.isValid && server.keyIsOnPath : vouched)
                && (server.nameMatches || !validatesHost)
            #expect(evaluator.evaluate(try server.trust, forHost: Self.host).isTrusted == expected)
        }
    }

    @Test
    func
        `An authority's signature over SHA-1 is refused on a pinned certificate too; a self-signed one relies on none`()
        throws
    {
        func decide(_ sent: [CertificateView]) throws -> ServerTrustDecision {
            var trust = try Trust(certificates: sent.map(Certificate.init), policies: [], configuration: .only([]))
            trust.verifyDate = Date(testTime)
            return PinnedCertificatesTrustEvaluator(
                certificates: [Certificate(sent[0])], acceptSelfSignedCertificates: true,
                performDefaultValidation: false, validateHost: false
            ).evaluate(trust, forHost: Self.host)
        }
        let chain = try TestChain(leaf: { $0.setAlgorithm(.ecdsaSHA1) })
        #expect(try decide([chain.leaf, chain.second, chain.first]).failure?.code == "weak-signature")
        let own = try PinnedServer.other.leaf {
            $0.issuer = $0.subject
            $0.signer = .p256(100)
            $0.remove("2.5.29.35")
            $0.setAlgorithm(.ecdsaSHA1)
        }
        #expect(try decide([own]).isTrusted)
    }

    @Test func `Nothing pinned, and no evaluators, refuse everything`() throws {
        let trust = try Self.genuine.trust
        for evaluator: ServerTrustEvaluator in [
            .pins([]), .pinnedCertificates([]), .pinnedCertificates([], acceptSelfSignedCertificates: true),
            .publicKeys([]),
            .composite([]), .anchored([]),
        ] {
            #expect(!evaluator.evaluate(trust, forHost: Self.host).isTrusted)
        }
        #expect(ServerTrustEvaluator.publicKeys([]).evaluate(trust, forHost: Self.host).failure?.code == "no-pins")
    }

    @Test func `Of several evaluators all must trust, and the first that does not says why`() throws {
        let trust = try Self.genuine.trust
        let right = ServerTrustEvaluator.pins([Pin(keyOf: Self.genuine.sent[0])])
        let wrong = ServerTrustEvaluator.pins([Pin(keyOf: TestCertificates.other)])
        #expect(ServerTrustEvaluator.composite([.default, right]).evaluate(trust, forHost: Self.host).isTrusted)
        let decision = ServerTrustEvaluator.composite([right, wrong, .anchored([])]).evaluate(trust, forHost: Self.host)
        #expect(decision.failure?.code == "path-not-pinned")
        var reported = try PinSet([Pin(keyOf: TestCertificates.other)])
        reported.isReportOnly = true
        for order in [[.pins(reported), right, .default], [.default, right, .pins(reported)]]
            as [[ServerTrustEvaluator]]
        {
            let decision = ServerTrustEvaluator.composite(order).evaluate(trust, forHost: Self.host)
            guard decision.isTrusted, case .mismatched? = decision.pinning else { throw CancellationError() }
        }
    }

    @Test func `Own authorities are trusted alone or besides the others`() throws {
        let server = try #require(Self.named("a server of a private authority, its root pinned"))
        let trust = try server.trust
        #expect(!ServerTrustEvaluator.default.evaluate(trust, forHost: Self.host).isTrusted)
        #expect(ServerTrustEvaluator.anchored(server.pinned).evaluate(trust, forHost: Self.host).isTrusted)
        let others = [TestCertificates.third]
        #expect(!ServerTrustEvaluator.anchored(others).evaluate(try Self.genuine.trust, forHost: Self.host).isTrusted)
        #expect(
            ServerTrustEvaluator.anchored(others, keepsOthers: true)
                .evaluate(try Self.genuine.trust, forHost: Self.host).isTrusted)
    }

    @Test func `The disabled evaluator trusts, and is found by its name`() throws {
        let worst = try #require(PinnedServer.all.last)
        #expect(ServerTrustEvaluator.dangerouslyDisabled.evaluate(try worst.trust, forHost: "").isTrusted)
        #expect("\(DisabledTrustEvaluator.self)".hasPrefix("Disabled"))
    }

    @Test func `Revocation is checked with what is at hand, and missing answers refuse where they are required`() throws
    {
        let chain = try TestChain()
        let list = try TestRevocationList(TestChain.second, revoking: [DER.element(2, chain.leaf.serialNumber)]).view()
        var trust = try Self.genuine.trust
        let strict = RevocationTrustEvaluator(options: [.useAnyAvailableMethod, .requirePositiveResponse])
        #expect(strict.evaluate(trust, forHost: Self.host).failure?.code == "revocation-unknown")
        #expect(RevocationTrustEvaluator().evaluate(trust, forHost: Self.host).isTrusted)
        trust.revocation.lists = [list]
        for performsDefault in [true, false] {
            let evaluator = RevocationTrustEvaluator(performDefaultValidation: performsDefault)
            #expect(evaluator.evaluate(trust, forHost: Self.host).failure?.code == "revoked")
        }
        trust.revocation.lists = []
        let other = RevocationTrustEvaluator(performDefaultValidation: false)
        #expect(other.evaluate(trust, forHost: "other.example").failure?.code == "name-mismatch")
    }

    @Test func `A revocation policy of the caller stays in force under every evaluator`() throws {
        let chain = try TestChain()
        var trust = try Self.genuine.trust
        trust.policies = [.basicX509, .revocation(.useAnyAvailableMethod)]
        trust.revocation.lists = [
            try TestRevocationList(TestChain.second, revoking: [DER.element(2, chain.leaf.serialNumber)]).view()
        ]
        let pin = Pin(keyOf: Self.genuine.sent[0])
        for evaluator: ServerTrustEvaluator in [.default, .pins([pin]), .pinnedCertificates([Self.genuine.sent[0]])] {
            #expect(evaluator.evaluate(trust, forHost: Self.host).failure?.code == "revoked")
        }
    }

    @Test func `An evaluator of one's own is asked, with its own reason`() throws {
        struct NotToday: Error {}
        struct Evaluator: ServerTrustEvaluating {
            func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
                .refused(ServerTrustFailure(NotToday(), forHost: host))
            }
        }
        let decision = ServerTrustEvaluator.custom(Evaluator()).evaluate(try Self.genuine.trust, forHost: Self.host)
        guard case .custom(let error)? = decision.failure?.reason, error is NotToday else { throw CancellationError() }
        #expect(decision.failure?.code == "custom")
    }
}
