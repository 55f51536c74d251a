//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Synchronization
import Testing

@testable import ServerTrust

@Suite struct ServerTrustManagerTests {
    static let server = PinnedServer.all[0]
    static let right = ServerTrustEvaluator.pins([Pin(keyOf: server.sent[0])])
    static let wrong = ServerTrustEvaluator.pins([Pin(keyOf: TestCertificates.other)])

    @Test func `Hosts that no pattern fits are refused, unless a switch says that the ordinary rules decide`() throws {
        let trust = try Self.server.trust
        let strict = try ServerTrustManager(evaluators: ["other.example": .default])
        #expect(strict.evaluate(trust, forHost: "www.example.com").failure?.code == "no-evaluator")
        #expect(throws: ServerTrustFailure.self) { try strict.serverTrustEvaluator(forHost: "www.example.com") }
        let lenient = try ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:])
        #expect(lenient.evaluate(trust, forHost: "www.example.com").isTrusted)
        #expect(try lenient.serverTrustEvaluator(forHost: "www.example.com") == nil)
        #expect(!lenient.evaluate(trust, forHost: "other.example").isTrusted)
    }

    @Test(arguments: [
        "", "*.example.com", "www.example.com:443", "https://www.example.com", "www.exam\u{0}ple.com",
        "b\u{308}.example",
    ])
    func `What is no host is refused`(host: String) throws {
        for strict in [true, false] {
            let manager = try ServerTrustManager(
                allHostsMustBeEvaluated: strict, evaluators: ["**.example.com": .default])
            #expect(manager.evaluate(try Self.server.trust, forHost: host).failure?.code == "invalid-host")
        }
    }

    @Test func `The most specific pattern decides, by port too`() throws {
        let manager = try ServerTrustManager(evaluators: [
            "**.example.com": Self.wrong, "www.example.com:8443": Self.wrong, "*.EXAMPLE.com": Self.right,
        ])
        let trust = try Self.server.trust
        #expect(manager.evaluate(trust, forHost: "WWW.Example.com.", port: 443).isTrusted)
        #expect(manager.evaluate(trust, forHost: "www.example.com").isTrusted)
        #expect(manager.evaluate(trust, forHost: "www.example.com", port: 8_443).failure?.code == "path-not-pinned")
        #expect(throws: HostPatternError.self) {
            try ServerTrustManager(evaluators: ["a.b": .default, "A.B": .default])
        }
    }

    @Test func `Evaluators are written by their own names, with a dot, or mixed`() throws {
        let trust = try Self.server.trust
        let key = Self.server.sent[0].publicKey
        let manager = try ServerTrustManager(evaluators: [
            "www.example.com": PublicKeysTrustEvaluator(keys: [key]),
            "*.example.org": .pins([Pin(keyOf: Self.server.sent[0])]), "example.net": DefaultTrustEvaluator(),
        ])
        #expect(manager.evaluate(trust, forHost: "www.example.com").isTrusted)
        let single = try ServerTrustManager(evaluators: ["www.example.com": PublicKeysTrustEvaluator(keys: [key])])
        #expect(single.evaluate(trust, forHost: "www.example.com").isTrusted)
        func decides(_ evaluator: any ServerTrustEvaluating) -> Bool {
            evaluator.evaluate(trust, forHost: "www.example.com", port: 443).isTrusted
        }
        #expect(decides(.default) && decides(.publicKeys([key])) && decides(single))
        #expect(!decides(Self.wrong) && !decides(.composite([.default, Self.wrong])))
        #expect(ServerTrustEvaluator(Self.right) == Self.right)
    }

    @Test func `A manager within other evaluators still knows the port`() throws {
        let trust = try Self.server.trust
        let manager = try ServerTrustManager(evaluators: [
            "www.example.com": Self.wrong, "www.example.com:8443": Self.right,
        ])
        let wrapped: [any ServerTrustEvaluating] = [
            manager, ServerTrustEvaluator(manager), CompositeTrustEvaluator([manager]), .composite([.custom(manager)]),
            try ServerTrustManager(evaluators: ["**.example.com": manager]),
        ]
        for evaluator in wrapped {
            #expect(evaluator.evaluate(trust, forHost: "www.example.com", port: 8_443).isTrusted)
            #expect(!evaluator.evaluate(trust, forHost: "www.example.com", port: 443).isTrusted)
            #expect(!evaluator.evaluate(trust, forHost: "www.example.com").isTrusted)
        }
        #expect(manager == manager && Set([manager, manager]).count == 1)
        #expect(try manager != ServerTrustManager(evaluators: [:]))
    }

    @Test func `Rules are replaced at once, or not at all`() throws {
        let manager = try ServerTrustManager(evaluators: ["www.example.com": Self.wrong])
        #expect(throws: HostPatternError.self) {
            try manager.setEvaluators(["www.example.com": Self.right, "*": Self.right])
        }
        #expect(!manager.evaluate(try Self.server.trust, forHost: "www.example.com").isTrusted)
        try manager.setEvaluators(["www.example.com": Self.right])
        #expect(manager.evaluate(try Self.server.trust, forHost: "www.example.com").isTrusted)
        try manager.setEvaluators([:], allHostsMustBeEvaluated: false)
        #expect(manager.evaluate(try Self.server.trust, forHost: "www.example.com").isTrusted)
    }

    @Test func `Rules may be replaced while many evaluate: each sees the old ones or the new ones`() async throws {
        let manager = try ServerTrustManager(evaluators: ["www.example.com": Self.right, "*.example.com": Self.wrong])
        let trust = try Self.server.trust
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<200 {
                    // In every state the exact rule is the right one; only what stands beside it changes.
                    try manager.setEvaluators(
                        round.isMultiple(of: 2)
                            ? ["www.example.com": Self.right]
                            : [
                                "www.example.com": Self.right, "*.example.com": Self.wrong,
                                "**.example.com": Self.wrong,
                            ])
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 { #expect(manager.evaluate(trust, forHost: "www.example.com").isTrusted) }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `What may be fetched is asked for by the evaluators that need it`() async throws {
        let manager = try ServerTrustManager(evaluators: [
            "www.example.com": .composite([
                .revocation([.useAnyAvailableMethod, .requirePositiveResponse]), Self.right,
            ]),
            "*.example.com": .securityPolicy(.default),
        ])
        let fetcher = MemoryFetcher([:])
        let trust = try Self.server.trust
        #expect(
            try await manager.evaluate(trust, forHost: "www.example.com", fetching: fetcher).failure?.code
                == "revocation-unknown")
        #expect(
            try await manager.evaluate(trust, forHost: "nowhere", fetching: fetcher).failure?.code == "no-evaluator")
        #expect(
            try await manager.evaluate(trust, forHost: "x.example.com", fetching: fetcher).failure?.code
                == "name-mismatch")
    }
}
