//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust

/// Prints a table of ratios: run it with `Benchmarks/run`.
@main
enum Benchmarks {
    static func main() async throws {
        if CommandLine.arguments.dropFirst().first == "profile" {
            try Profile(CommandLine.arguments.dropFirst(2)).run()
            return
        }
        if CommandLine.arguments.dropFirst().first == "hostile" { return try await Self.hostile() }
        if CommandLine.arguments.dropFirst().first == "pinning" { return try await Self.pinning(try .system()) }
        if CommandLine.arguments.dropFirst().first == "transport" { return try await Self.transportSecurity() }
        if CommandLine.arguments.dropFirst().first == "transparency" { return try await Self.transparency() }
        if CommandLine.arguments.dropFirst().first == "handshakes" { return try await Self.handshakes(try .system()) }
        if CommandLine.arguments.dropFirst().first == "client-handshakes" { return try await Self.clientHandshakes() }
        let rest = Array(CommandLine.arguments.dropFirst(2))
        switch CommandLine.arguments.dropFirst().first {
        case "idle": return try Self.idleConnections()
        case "idle-server": return try await Self.idleServer(rest)
        case "idle-client": return try await Self.idleClient(rest)
        default: break
        }
        let columns =
            ["chain (leaf < intermediate < root)", "signatures alone, µs", "and a new key", "cold", "warm"]
            + Peers.names
        print("| \(columns.joined(separator: " | ")) |\n|\(columns.map { _ in "---" }.joined(separator: "|"))|")
        let store = try TrustStore.system()
        for (root, intermediate, leaf) in [
            (Chain.Key.rsa4096, Chain.Key.rsa2048, Chain.Key.rsa2048), (.p384, .p256, .p256), (.p384, .p384, .p256),
            (.rsa4096, .p256, .p256),
        ] {
            let chain = try Chain(root: root, intermediate: intermediate, leaf: leaf)
            try await Self.compare(chain, store)
        }
        try await Self.pieces(store)
        try await Self.pinning(store)
        try await Self.transparency()
        try await Self.handshakes(store)
        try await Self.clientHandshakes()
        try await Self.growth(store)
        try Self.memory()
        try await Self.threads(store)
    }

    static func evaluate(
        _ leaf: [UInt8], _ intermediate: [UInt8], _ anchors: TrustAnchors, cache: SignatureCache?
    ) throws {
        let certificates = [try ServerTrust.Certificate(der: leaf), try ServerTrust.Certificate(der: intermediate)]
        var trust = try Trust(
            certificates: certificates, policy: .tlsServer(hostname: Chain.host),
            configuration: TrustConfiguration(anchors: anchors))
        trust.verifyDate = Chain.now
        trust.signatureCache = cache
        let result = trust.evaluate()
        precondition(result.isTrusted)
    }

    private static func compare(_ chain: Chain, _ store: TrustStore) async throws {
        let limit = try SignatureLimit(chain)
        let (leaf, intermediate) = (chain.leaf.der, chain.intermediate.der)
        var anchors = TrustAnchors.store(store)
        anchors.add(try ServerTrust.Certificate(der: chain.root.der))
        let ready = anchors
        let cache = SignatureCache()
        let freshKey = try SignatureLimit.withFreshKey(chain)
        let results = try await ratios(
            [
                Contestant(name: "limit") { limit.run() },
                Contestant(name: "fresh key") { try freshKey() },
                Contestant(name: "cold") { try Self.evaluate(leaf, intermediate, ready, cache: nil) },
                Contestant(name: "warm") { try Self.evaluate(leaf, intermediate, ready, cache: cache) },
            ] + Peers.contestants(chain, store), rounds: 30, batch: 40)
        let cells = results.dropFirst().map { String(format: "%.2f ×", $0.ratio) }
        print(
            "| \(chain.name) | \(String(format: "%.1f", results[0].microseconds)) | \(cells.joined(separator: " | ")) |"
        )
    }
}
