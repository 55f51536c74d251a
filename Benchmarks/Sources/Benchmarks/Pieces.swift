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
        var contestants = [
            Contestant(name: "parse leaf and intermediate") {
                _ = try CertificateView(der: leaf)
                _ = try CertificateView(der: intermediate)
            },
            Contestant(name: "match a host name among ten") { precondition(identity.match(view).isMatch) },
            Contestant(name: "open a store of \(store.certificates.count) PEM roots") {
                _ = try TrustStore(contentsOf: file.path)
            },
        ]
        for count in [8, 16, 32, 64] {
            let mesh = try Self.mesh(count)
            contestants.append(
                Contestant(name: "refuse \(count) look-alikes without a trusted root") {
                    let trust = try Trust(certificates: mesh, policy: .basicX509, anchors: .store(store))
                    precondition(!trust.evaluate().isTrusted)
                })
        }
        for contestant in contestants {
            let result = try await ratios([contestant], rounds: 15, batch: 20)
            print("| \(contestant.name) | \(String(format: "%.2f", result[0].microseconds)) |")
        }
    }

    /// Certificates of one name, every one signed by every key, and no way out.
    private static func mesh(_ count: Int) throws -> [ServerTrust.Certificate] {
        let name = try DistinguishedName { CommonName("Mesh") }
        let keys = (0..<8).map { _ in P256.Signing.PrivateKey() }
        return try (0..<count).map { index in
            let certificate = try X509.Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(keys[index % 8].publicKey),
                notValidBefore: Chain.now.addingTimeInterval(-86_400),
                notValidAfter: Chain.now.addingTimeInterval(86_400),
                issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try .init { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) },
                issuerPrivateKey: .init(keys[(index / 8 + index) % 8]))
            return try ServerTrust.Certificate(der: certificate.der)
        }
    }
}
