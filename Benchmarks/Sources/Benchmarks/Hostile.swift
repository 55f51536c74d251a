//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust

extension Benchmarks {
    /// What crafted input costs, in P-256 verifications of the same run; ends the process when it costs too much.
    static func hostile() async throws {
        let limits = [(98_000, 60.0), (3_000_000, 600.0)]
        let verification = try Self.verification()
        var isTooDear = try await Self.evidence(limits, verification)
        for rootKey in [Chain.Key.rsa2048, .p384] {
            let chain = try Chain(root: rootKey, intermediate: .p256, leaf: .p256)
            let root = try ServerTrust.Certificate(der: chain.root.der)
            let rootName = CraftedInput.name("Benchmark \(chain.name) Root R1")
            for (octets, limit) in limits {
                print(
                    "\n| below a root of \(rootKey.rawValue), \(octets / 1_000) KB: P-256 verifications | \(Self.profileNames) |"
                )
                print("|\(String(repeating: "---|", count: ValidationProfile.standard.count + 1))")
                for input in CraftedInput.all(octets: octets, rootName: rootName) {
                    let costs = try await Self.leastCosts(of: input, root, verification, octets: octets, limit: limit)
                    isTooDear = isTooDear || costs.contains { $0 > limit }
                    print("| \(input.name) | \(costs.map { String(format: "%.1f", $0) }.joined(separator: " | ")) |")
                }
            }
        }
        guard isTooDear else { return }
        print(
            "crafted input costs more than it may: 60 verifications for 98 KB, 600 for 3 MB, twice that with evidence")
        exit(1)
    }

    /// What crafted evidence beside a genuine chain costs. Looking it up may cost as much again as verifying it.
    ///
    /// - Returns: Whether it costs too much.
    private static func evidence(
        _ limits: [(octets: Int, limit: Double)], _ verification: @escaping () -> Void
    ) async throws -> Bool {
        let chain = try Chain(root: .p384, intermediate: .p256, leaf: .p256)
        let root = try ServerTrust.Certificate(der: chain.root.der)
        let authority = CraftedInput.name("Benchmark \(chain.name) Issuing CA 1B3")
        var isTooDear = false
        print("\n| beside a genuine chain: P-256 verifications | \(Self.profileNames) |")
        print("|\(String(repeating: "---|", count: ValidationProfile.standard.count + 1))")
        for (octets, limit) in limits {
            let input = CraftedInput.evidence(
                [chain.leaf.der, chain.intermediate.der], octets: octets, authority: authority)
            let costs = try await Self.leastCosts(of: input, root, verification, octets: octets, limit: 2 * limit)
            isTooDear = isTooDear || costs.contains { $0 > 2 * limit }
            let cells = costs.map { String(format: "%.1f", $0) }.joined(separator: " | ")
            print("| \(input.name), \(octets / 1_000) KB | \(cells) |")
        }
        return isTooDear
    }

    private static var profileNames: String { ValidationProfile.standard.map(\.name).joined(separator: " | ") }

    private static func verification() throws -> () -> Void {
        let key = P256.Signing.PrivateKey()
        let message = Data("message".utf8)
        let signature = try key.signature(for: message)
        return { precondition(key.publicKey.isValidSignature(signature, for: message)) }
    }

    /// The costs, measured again where they are beyond the limit.
    private static func leastCosts(
        of input: CraftedInput, _ root: ServerTrust.Certificate, _ verification: @escaping () -> Void, octets: Int,
        limit: Double
    ) async throws -> [Double] {
        let rounds = octets < 1_000_000 ? 9 : 3
        var costs = try await Self.costs(of: input, root, verification, rounds: rounds)
        // Another process on the machine can make one measurement dear, and hardly three in a row.
        for _ in 0..<2 where costs.contains(where: { $0 > limit }) {
            let again = try await Self.costs(of: input, root, verification, rounds: rounds)
            costs = zip(costs, again).map(min)
        }
        return costs
    }

    /// Parsing and judging, as what comes from a socket is.
    private static func costs(
        of input: CraftedInput, _ root: ServerTrust.Certificate, _ verification: @escaping () -> Void, rounds: Int
    ) async throws -> [Double] {
        var costs: [Double] = []
        for profile in ValidationProfile.standard {
            let results = try await ratios(
                [
                    Contestant(name: "verification") { for _ in 0..<20 { verification() } },
                    Contestant(name: input.name) {
                        let certificates = try input.certificates.map { try ServerTrust.Certificate(der: $0) }
                        var trust = try Trust(
                            certificates: certificates, policy: .tlsServer(hostname: Chain.host),
                            configuration: .only([root]))
                        trust.profile = profile
                        if !input.lists.isEmpty {
                            let lists = try input.lists.map { try CertificateList(der: $0) }
                            trust.revocation = RevocationPolicy(.soft, lists: lists)
                        }
                        let result = trust.evaluate()
                        precondition(!input.lists.isEmpty || !result.isTrusted)
                    },
                ], rounds: rounds, batch: 1)
            costs.append(results[1].ratio * 20)
        }
        return costs
    }
}
