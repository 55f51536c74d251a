//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust
import X509

extension Benchmarks {
    /// The parts around the signatures, each by itself.
    static func pieces(_ store: TrustStore) async throws {
        print("\n| piece | µs |\n|---|---|")
        let chain = try Chain(root: .rsa4096, intermediate: .rsa2048, leaf: .rsa2048)
        let (leaf, intermediate) = (chain.leaf.der, chain.intermediate.der)
        let view = try CertificateView(der: leaf)
        let identity = ServerIdentity(host: Chain.host, publicSuffixes: nil)
        let bundle = store.certificates.map(\.pemRepresentation).joined()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(getpid()).pem")
        try Data(bundle.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let contestants = [
            Contestant(name: "parse leaf and intermediate") {
                _ = try CertificateView(der: leaf)
                _ = try CertificateView(der: intermediate)
            },
            Contestant(name: "match a host name among ten") { precondition(identity.match(view).isMatch) },
            Contestant(name: "open a store of \(store.certificates.count) PEM roots") {
                _ = try TrustStore(contentsOf: file.path)
            },
        ]
        for (contestant, batch) in zip(contestants, [2_000, 2_000, 20]) {
            let result = try await ratios([contestant], rounds: 15, batch: batch)
            print("| \(contestant.name) | \(String(format: "%.2f", result[0].microseconds)) |")
        }
    }
}
