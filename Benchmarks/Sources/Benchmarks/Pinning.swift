//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust

extension Benchmarks {
    /// What pins add to an evaluation, and what it takes to find the rule for a host.
    static func pinning(_ store: TrustStore) async throws {
        print("\n| pinning | µs | × |\n|---|---|---|")
        try await Self.matching(store)
        try await Self.lookup()
    }

    /// With every signature remembered, so that what pins add is not lost among them.
    private static func matching(_ store: TrustStore) async throws {
        let chain = try Chain(root: .rsa4096, intermediate: .rsa2048, leaf: .rsa2048)
        let certificates = try [chain.leaf, chain.intermediate].map { try ServerTrust.Certificate(der: $0.der) }
        let root = try ServerTrust.Certificate(der: chain.root.der)
        var anchors = TrustAnchors.store(store)
        anchors.add(root)
        var trust = try Trust(
            certificates: certificates, policy: .tlsServer(hostname: Chain.host),
            configuration: TrustConfiguration(anchors: anchors))
        (trust.verifyDate, trust.signatureCache) = (Chain.now, SignatureCache())
        let ready = trust
        let others = try (1..<100).map { number in
            try Pin(digest: Array(SHA256.hash(data: Data("another key \(number)".utf8))))
        }
        let evaluators = try [certificates[0], certificates[1], root].map { pinned in
            PinsTrustEvaluator(try PinSet(others + [Pin(keyOf: pinned)]))
        }
        let plain = DefaultTrustEvaluator()
        var contestants = [
            Contestant(name: "the default evaluator, warm, no pins") {
                precondition(plain.evaluate(ready, forHost: Chain.host).isTrusted)
            },
            Contestant(name: "the engine alone, warm, no pins") { precondition(ready.evaluate().isTrusted) },
        ]
        for (name, evaluator) in zip(["leaf", "intermediate", "root"], evaluators) {
            contestants.append(
                Contestant(name: "the same with 100 pins, the \(name)'s among them") {
                    precondition(evaluator.evaluate(ready, forHost: Chain.host).isTrusted)
                })
        }
        try await Self.report(contestants, batch: 400)
    }

    private static func lookup() async throws {
        var rules: [String: ServerTrustEvaluator] = [:]
        for number in 0..<10_000 {
            let prefix = ["", "*.", "**."][number % 3]
            rules["\(prefix)host\(number).department\(number % 97).example.com"] = .default
        }
        let manager = try ServerTrustManager(evaluators: rules)
        let hosts = [
            ("an exact name", "host4998.department51.example.com"),
            ("one label", "api.host4999.department52.example.com"),
            ("any depth", "a.b.c.host5000.department53.example.com"),
            ("another case", "HOST4998.Department51.example.com"),
        ]
        let contestants = hosts.map { name, host in
            Contestant(name: "a rule among \(rules.count): \(name)") {
                let rule = try manager.serverTrustEvaluator(forHost: host, port: 443)
                precondition(rule != nil)
            }
        }
        try await Self.report(contestants, batch: 2_000)
    }

    static func report(_ contestants: [Contestant], batch: Int) async throws {
        for result in try await ratios(contestants, rounds: 21, batch: batch) {
            print("| \(result.name) | \(String(format: "%.2f | %.2f", result.microseconds, result.ratio)) |")
        }
    }
}
