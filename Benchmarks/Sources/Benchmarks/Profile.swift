//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// One piece of work again and again, for a profiler to watch: `Benchmarks profile parse|rsa|p256|mixed|warm|timestamps N`.
///
/// Without the keys and certificates that are made before, whose cost is never the same twice:
/// `valgrind --tool=callgrind --toggle-collect='*ProfileV6repeat*' …`.
struct Profile {
    private let work: String
    private let iterations: Int

    init(_ arguments: ArraySlice<String>) {
        self.work = arguments.first ?? "p256"
        self.iterations = arguments.dropFirst().first.flatMap { Int($0) } ?? 200
    }

    func run() throws {
        let isRSA = self.work == "rsa" || self.work == "limit"
        let chain = try Chain(
            root: isRSA || self.work.hasPrefix("mixed") ? .rsa4096 : .p256, intermediate: isRSA ? .rsa2048 : .p256,
            leaf: isRSA ? .rsa2048 : .p256)
        let (leaf, intermediate) = (chain.leaf.der, chain.intermediate.der)
        let anchors = TrustAnchors.only([try ServerTrust.Certificate(der: chain.root.der)])
        let cache = self.work == "warm" ? SignatureCache() : nil
        let limit = try SignatureLimit(chain)
        let timestamped = try TimestampedChain(root: .rsa4096, intermediate: .rsa2048, leaf: .rsa2048)
        try self.repeat {
            switch self.work {
            case "parse":
                _ = try CertificateView(der: leaf)
                _ = try CertificateView(der: intermediate)
            case "timestamps": try timestamped.evaluate()
            case "limit", "mixed-limit": limit.run()
            default: try Benchmarks.evaluate(leaf, intermediate, anchors, cache: cache)
            }
        }
    }

    @inline(never)
    private func `repeat`(_ body: () throws -> Void) rethrows {
        for _ in 0..<self.iterations { try body() }
    }
}
