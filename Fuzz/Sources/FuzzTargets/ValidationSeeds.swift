//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Chains of every shape the rules speak about.
enum ValidationSeeds {
    static let otherAuthorities = [
        CraftedAuthority("Cross", .ed25519(5)), CraftedAuthority("Root", .ed25519(6)),
        CraftedAuthority("", .ed25519(7)),
    ]

    private typealias Change = CraftedAuthority.Change

    static func all() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for (first, second, leaf) in self.changes {
            let chain = [
                try Fixtures.second.leaf(Fixtures.leafKey, leaf), try Fixtures.first.authority(Fixtures.second, second),
                try Fixtures.root.authority(Fixtures.first, first), try Fixtures.root.authority(),
            ]
            for profile in UInt8(0)..<4 { seeds.append(self.input(chain, profile: profile)) }
        }
        seeds.append(self.input(try self.crossSigned(), profile: 2, anchors: 0b1_1000))
        seeds.append(self.input(try self.mesh(), profile: 2, anchors: 0b1000_0000))
        seeds.append(self.input([try Fixtures.root.authority()], profile: 0, anchors: 1, host: ""))
        seeds.append(self.input(try Array(Fixtures.chain.prefix(3)), profile: 2, anchors: 0, flags: 2))
        seeds += try self.revocation()
        seeds += try self.otherKeys()
        return seeds
    }

    private static var changes: [(Change, Change, Change)] {
        [
            ({ _ in }, { _ in }, { _ in }),
            (
                { $0.set(.basicConstraints(true, pathLength: 1)) }, { $0.set(.basicConstraints(true, pathLength: 0)) },
                { _ in }
            ),
            (
                { $0.set(.nameConstraints(permitted: [.dns("example.com")], excluded: [.dns("bad.example.com")])) },
                { $0.set(.nameConstraints(permitted: [.directory([[.cn("www.example.com")]])])) }, { _ in }
            ),
            (
                { $0.extensions += [.policies(["1.2.3", "2.5.29.32.0"]), .policyMappings([("1.2.3", "1.2.4")])] },
                { $0.extensions += [.policies(["1.2.4"]), .policyConstraints(explicit: 0, mapping: 1)] },
                { $0.extensions += [.policies(["1.2.4"]), .inhibitAnyPolicy(0)] }
            ),
            (
                { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1")) }, { $0.set(.extendedKeyUsage("2.5.29.37.0")) },
                { _ in }
            ),
            ({ $0.makeVersion1() }, { $0.makeVersion1() }, { $0.makeVersion1() }),
            (
                { $0.subject = Fixtures.root.name }, { $0.issuer = Fixtures.root.name },
                { $0.extensions = SeedExtensions.all }
            ),
            (
                { _ in }, { _ in },
                {
                    $0.set(.alternativeNames([.dns("*.example.com"), .ip([127, 0, 0, 1]), .email("a@b.example")]))
                    $0.set(TestExtension("1.2.3.4", critical: true, [5, 0]))
                }
            ),
        ]
    }

    private static func crossSigned() throws -> [CertificateView] {
        let cross = self.otherAuthorities[0]
        return [
            try Fixtures.first.leaf(Fixtures.leafKey), try Fixtures.root.authority(Fixtures.first),
            try cross.authority(Fixtures.first), try Fixtures.root.authority(), try cross.authority(),
        ]
    }

    /// Authorities of one name with two keys that certify each other.
    private static func mesh() throws -> [CertificateView] {
        let (one, two) = (Fixtures.root, self.otherAuthorities[1])
        return [
            try one.leaf(Fixtures.leafKey), try one.authority(two), try two.authority(one),
            try one.authority(one), try two.authority(two), try one.authority(two) { $0.serialNumber = DER.number(9) },
            try two.authority(one) { $0.serialNumber = DER.number(9) }, try two.authority(),
        ]
    }

    private static func revocation() throws -> [[UInt8]] {
        let chain = try [Fixtures.root.leaf(Fixtures.leafKey), Fixtures.root.authority()]
        let lists = [
            TestRevocationList(Fixtures.root), TestRevocationList(Fixtures.root, revoking: [DER.number(0x2A01)]),
        ]
        var response = TestOCSPResponse()
        (response.issuerName, response.issuerKey, response.signer) = (
            Fixtures.root.name, Fixtures.root.key, Fixtures.root.key
        )
        response.serial = DER.number(0x2A01)
        let answer = try response.view().bytes
        return try lists.map { self.input(chain, profile: 2, anchors: 2, list: try $0.view().bytes, response: []) } + [
            self.input(chain, profile: 2, anchors: 2, list: [], response: answer)
        ]
    }

    private static func otherKeys() throws -> [[UInt8]] {
        let algorithms: [(TestKey, TestAlgorithm)] = [
            (.p256(1), .ecdsaSHA256), (.p384(1), .ecdsaSHA384), (.rsa2048, .rsaSHA256), (.rsa2048, .pssSHA256),
            (.rsa2048, .rsaSHA1), (.rsa1024, .rsaSHA256),
        ]
        return try algorithms.map { key, algorithm in
            let root = CraftedAuthority("Root of another kind", key)
            let chain = [try root.leaf { $0.setAlgorithm(algorithm) }, try root.authority()]
            return self.input(chain, profile: 0, anchors: 2)
        }
    }

    private static func input(
        _ chain: [CertificateView], profile: UInt8, anchors: UInt8 = 0b1000, host: String = "www.example.com",
        flags: UInt8 = 0, list: [UInt8] = [], response: [UInt8] = []
    ) -> [UInt8] {
        let mode: UInt8 = list.isEmpty && response.isEmpty ? 0 : 2
        return FuzzInput(
            header: [flags, anchors, 0, profile, 128, 0, mode, 0],
            chunks: [Array(host.utf8), list, response] + chain.map(\.bytes)
        ).encoded
    }
}
