//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Draws chains: a good one of some shape, and some things that are wrong with it or only odd.
struct Generator {
    var random: SplitMix
    private let keys: KeyPool
    private let mutations = Mutation.all

    init(seed: UInt64) {
        self.random = SplitMix(state: seed)
        self.keys = KeyPool()
    }

    /// Keys are few: making and using them is what takes time.
    private struct KeyPool {
        let curves: [TestKey] = (1...8).map { .p256($0) } + [.p384(1), .p384(2)]
        let rsa: [TestKey] = [.rsa2048, .otherRSA2048]

        func pick(_ random: inout SplitMix) -> TestKey {
            random.chance(4) ? random.pick(self.rsa) : random.pick(self.curves)
        }
    }

    mutating func next() throws -> Scenario.Signed {
        var scenario = self.base()
        for _ in 0..<self.random.pick([0, 1, 1, 1, 1, 2, 2, 3]) {
            let mutation = self.random.pick(self.mutations)
            let count = scenario.changes.count
            mutation.change(&scenario, &self.random)
            if scenario.changes.count == count { scenario.changes.append(mutation.name) }
        }
        return try scenario.signed(&self.random)
    }

    private mutating func base() -> Scenario {
        let depth = self.random.pick([2, 2, 3, 3, 3, 4, 5])
        let names = ["Server", "First CA", "Second CA", "Third CA"].prefix(depth - 1) + ["Root CA"]
        let authorities = names.map { CraftedAuthority($0, self.keys.pick(&self.random)) }
        var chain: [CraftedCertificate] = []
        for index in 0..<depth {
            let issuer = authorities[min(index + 1, depth - 1)]
            chain.append(self.certificate(authorities[index], index, issuer))
        }
        var scenario = Scenario(chain: chain, trusted: [depth - 1])
        self.decorate(&scenario)
        return scenario
    }

    private mutating func certificate(_ subject: CraftedAuthority, _ index: Int, _ issuer: CraftedAuthority)
        -> CraftedCertificate
    {
        guard index > 0 else {
            return issuer.leafTemplate(subject.key) {
                $0.serialNumber = DER.number(1_000 + Int.random(in: 0..<10_000, using: &self.random))
                $0.extensions.append(.subjectKeyIdentifier(subject.key.identifier))
                $0.extensions.append(.policies(["2.23.140.1.2.1"]))
            }
        }
        var certificate = issuer.leafTemplate(subject.key)
        certificate.subject = subject.name
        certificate.serialNumber = DER.number(20_000 + index)
        certificate.notBefore = DER.utcTime("200101000000Z")
        certificate.notAfter = DER.utcTime("350101000000Z")
        certificate.extensions = [
            .basicConstraints(true), .keyUsage(5, 6), .subjectKeyIdentifier(subject.key.identifier),
            .authorityKeyIdentifier(issuer.key.identifier), .policies(["2.5.29.32.0"]),
        ]
        return certificate
    }

    /// What good chains also have.
    private mutating func decorate(_ scenario: inout Scenario) {
        if scenario.chain.count > 2, self.random.chance(5) {
            scenario.chain[1].set(.nameConstraints(permitted: [.dns("example.com")], excluded: [.dns("x.example.com")]))
            scenario.changes.append("constrained")
        }
        if scenario.chain.count > 2, self.random.chance(5) {
            scenario.chain[1].set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"))
        }
        if scenario.chain.count > 2, self.random.chance(5) {
            scenario.chain[1].set(.basicConstraints(true, pathLength: 0))
        }
        if self.random.chance(6) {
            scenario.address = "192.0.2.1"
            scenario.chain[0].set(.alternativeNames([.ip([192, 0, 2, 1]), .dns("www.example.com")]))
            scenario.changes.append("address")
        } else if self.random.chance(5) {
            scenario.chain[0].set(.alternativeNames([.dns("*.example.com"), .dns("example.com")]))
            scenario.changes.append("wildcard")
        }
        if scenario.chain.count > 2, self.random.chance(6) { self.crossSign(&scenario) }
    }

    /// The top intermediate, certified by another root too, which is not trusted.
    private mutating func crossSign(_ scenario: inout Scenario) {
        let other = CraftedAuthority("Other Root", self.keys.pick(&self.random))
        var cross = scenario.chain[scenario.chain.count - 2]
        (cross.issuer, cross.signer, cross.algorithm) = (other.name, other.key, other.key.algorithm)
        cross.set(.authorityKeyIdentifier(other.key.identifier))
        scenario.extras.append(cross)
        scenario.changes.append("cross-signed")
    }
}
