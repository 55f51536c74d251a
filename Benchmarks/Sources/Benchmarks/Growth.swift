//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust
import SwiftASN1
import X509

extension Benchmarks {
    /// How the cost grows with what a peer, or an authority, can make large.
    static func growth(_ store: TrustStore) async throws {
        print("\n| what grows | 8 | 16 | 32 | 64 |\n|---|---|---|---|---|")
        try await Self.row("certificates of one name and 8 keys, each signed by another, no root: refused, µs") {
            count in
            let mesh = try Self.mesh(count)
            return Contestant(name: "mesh") {
                let result = try Trust(
                    certificates: mesh, policy: .basicX509, configuration: TrustConfiguration(anchors: .store(store))
                ).evaluate()
                precondition(!result.isTrusted)
            }
        }
        try await Self.row("cross-certificates of one intermediate, one of them below a root: accepted, µs") { count in
            let (certificates, root) = try Self.crossSigned(count)
            return Contestant(name: "cross-signed") {
                let result = try Trust(certificates: certificates, policy: .basicX509, configuration: .only([root]))
                    .evaluate()
                precondition(result.isTrusted)
            }
        }
        print("\n| names × name constraints | 128 | 512 | 1,024 | 2,048 |\n|---|---|---|---|---|")
        for isPermitting in [true, false] {
            var cells: [String] = []
            for count in [128, 512, 1_024, 2_048] {
                let (leaf, root) = try Self.constrained(
                    names: count, constraints: count, isPermitting: isPermitting)
                let contestant = Contestant(name: "constraints") {
                    var trust = try Trust(certificates: [leaf], policy: .basicX509, configuration: .only([root]))
                    trust.profile = .rfc5280
                    let result = trust.evaluate()
                    precondition(result.isTrusted)
                }
                let result = try await ratios([contestant], rounds: 15, batch: 3)
                cells.append(String(format: "%.0f", result[0].microseconds))
            }
            print(
                "| \(isPermitting ? "permitted, the last matches" : "excluded, none matches"), µs | \(cells.joined(separator: " | ")) |"
            )
        }
    }

    private static func row(_ title: String, _ contestant: (Int) throws -> Contestant) async throws {
        var cells: [String] = []
        for count in [8, 16, 32, 64] {
            let result = try await ratios([try contestant(count)], rounds: 15, batch: 10)
            cells.append(String(format: "%.0f", result[0].microseconds))
        }
        print("| \(title) | \(cells.joined(separator: " | ")) |")
    }

    /// Certificates of one name, every one signed by the key of another, and no way out.
    private static func mesh(_ count: Int) throws -> [ServerTrust.Certificate] {
        let keys = (0..<8).map { _ in P256.Signing.PrivateKey() }
        return try (0..<count).map { index in
            try Self.authority(
                "Mesh", keys[index % 8], issuer: "Mesh", by: keys[(index / 8 + index + 1) % 8])
        }
    }

    /// A leaf, its intermediate cross-signed by many roots, and the one root that is trusted.
    private static func crossSigned(
        _ count: Int
    ) throws -> (certificates: [ServerTrust.Certificate], root: ServerTrust.Certificate) {
        let (leafKey, key, rootKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let leaf = try Self.certificate("Leaf", leafKey, issuer: "Cross", by: key, X509.Certificate.Extensions {})
        let crosses = try (0..<count).map { index in
            try Self.authority(
                "Cross", key, issuer: "Root \(index)", by: index == count - 1 ? rootKey : P256.Signing.PrivateKey())
        }
        let root = try Self.authority("Root \(count - 1)", rootKey, issuer: "Root \(count - 1)", by: rootKey)
        return ([leaf] + crosses, root)
    }

    /// A leaf of many names below a root of many name constraints.
    static func constrained(
        names: Int, constraints count: Int, isPermitting: Bool
    ) throws -> (leaf: ServerTrust.Certificate, root: ServerTrust.Certificate) {
        let (leafKey, rootKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let subtrees: [GeneralName] = (0..<count).map { .dnsName("x\($0).example.net") }
        let constraints =
            isPermitting
            ? NameConstraints(permittedSubtrees: subtrees + [.dnsName("example.com")])
            : NameConstraints(excludedSubtrees: subtrees)
        let root = try Self.certificate(
            "Root", rootKey, issuer: "Root", by: rootKey,
            try X509.Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(constraints)
            })
        let leaf = try Self.certificate(
            "Leaf", leafKey, issuer: "Root", by: rootKey,
            try X509.Certificate.Extensions {
                SubjectAlternativeNames((0..<names).map { .dnsName("h\($0).example.com") })
            })
        return (leaf, root)
    }

    private static func authority(
        _ subject: String, _ key: P256.Signing.PrivateKey, issuer: String, by issuerKey: P256.Signing.PrivateKey
    ) throws -> ServerTrust.Certificate {
        try Self.certificate(
            subject, key, issuer: issuer, by: issuerKey,
            try X509.Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            })
    }

    private static func certificate(
        _ subject: String, _ key: P256.Signing.PrivateKey, issuer: String, by issuerKey: P256.Signing.PrivateKey,
        _ extensions: X509.Certificate.Extensions
    ) throws -> ServerTrust.Certificate {
        let certificate = try X509.Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Chain.now.addingTimeInterval(-86_400), notValidAfter: Chain.now.addingTimeInterval(86_400),
            issuer: try DistinguishedName { CommonName(issuer) },
            subject: try DistinguishedName { CommonName(subject) },
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(issuerKey))
        return try ServerTrust.Certificate(der: certificate.der)
    }
}
