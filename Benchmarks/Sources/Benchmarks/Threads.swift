//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust

extension Benchmarks {
    /// How much more two threads do than one, with the store and the cache shared: wall-clock time, so only on a machine
    /// that has two processors to spare.
    static func threads(_ store: TrustStore) async throws {
        print("\n| threads | evaluations per second | ratio |\n|---|---|---|")
        let chain = try Chain(root: .rsa4096, intermediate: .p256, leaf: .p256)
        let (leaf, intermediate) = (chain.leaf.der, chain.intermediate.der)
        var anchors = TrustAnchors.store(store)
        anchors.add(try ServerTrust.Certificate(der: chain.root.der))
        let ready = anchors
        for (title, cache) in [("cold", nil), ("one cache", SignatureCache())] as [(String, SignatureCache?)] {
            var rates: [[Double]] = [[], []]
            for _ in 0..<7 {
                for threads in 1...2 {
                    let start = ContinuousClock.now
                    let count = 4_000
                    DispatchQueue.concurrentPerform(iterations: threads) { _ in
                        for _ in 0..<count { try? Self.evaluate(leaf, intermediate, ready, cache: cache) }
                    }
                    let seconds = (ContinuousClock.now - start) / .seconds(1)
                    rates[threads - 1].append(Double(threads * count) / seconds)
                }
            }
            let medians = rates.map { $0.sorted()[$0.count / 2] }
            print(
                String(
                    format: "| 1, %@ | %.0f | |\n| 2, %@ | %.0f | %.2f |", title, medians[0], title, medians[1],
                    medians[1] / medians[0]))
        }
    }
}
