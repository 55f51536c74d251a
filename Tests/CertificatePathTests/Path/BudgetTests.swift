//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// Sets of certificates made to keep a validator busy, and large ones that are honest.
@Suite("Work limits")
struct BudgetTests {
    static let root = TestChain.root
    static let name = CraftedAuthority("Mesh", .p256(1)).name

    /// Every certificate has one name as subject and issuer, its own key, and is signed by the next key.
    static func mesh(_ count: Int, signaturesEach: Int = 2) throws -> [CertificateView] {
        let authorities = (0..<count).map { CraftedAuthority(name: Self.name, .p256(UInt16(300 + $0))) }
        return try (0..<count).flatMap { index in
            try (1...signaturesEach).map { step in
                try authorities[(index + step) % count].authority(authorities[index]) { $0.remove("2.5.29.35") }
            }
        }
    }

    @Test("A mesh of certificates of one name is answered within the budget", arguments: [8, 16, 64])
    func mesh(count: Int) throws {
        let leaf = try CraftedAuthority(name: Self.name, .p256(300)).leaf { $0.remove("2.5.29.35") }
        let verdict = judgment(leaf, try Self.mesh(count), anchors: .certificates(try Self.root.authority()))
        #expect(verdict.isAccepted == false)
        #expect(verdict.verifiedSignatures <= 128)
        #expect(verdict.signatureCost <= 32 * SignatureCost.p256 + 100)
        #expect(verdict.path.first == leaf)
        if count == 64 { #expect(verdict.rejections.contains { $0.reason == .budgetExceeded(.pathSteps) }) }
        // Every certificate names an anchor as its issuer that signed none of them.
        let namesake = [TrustAnchor].certificates(try CraftedAuthority(name: Self.name, .p256(299)).authority())
        let named = judgment(leaf, try Self.mesh(count), anchors: namesake)
        #expect(named.isAccepted == false)
        #expect(named.signatureCost <= 33 * SignatureCost.p256 + 200)
        let tight = judgment(leaf, try Self.mesh(count), anchors: namesake) { $0.budget.signatures = 7 }
        #expect(tight.verifiedSignatures == 7)
        #expect(tight.rejections.contains { $0.reason == .budgetExceeded(.signatures) })
    }

    @Test("Every key signing every other is answered within the budget")
    func complete() throws {
        let leaf = try CraftedAuthority(name: Self.name, .p256(300)).leaf { $0.remove("2.5.29.35") }
        let verdict = judgment(
            leaf, try Self.mesh(9, signaturesEach: 8), anchors: .certificates(try Self.root.authority()))
        #expect(verdict.isAccepted == false)
        #expect(verdict.verifiedSignatures <= 128)
    }

    @Test("Two ways up at every level, which double, end with the budget for steps or paths")
    func ladder() throws {
        func authority(_ level: Int, _ side: Int) -> CraftedAuthority {
            CraftedAuthority("Level \(level)", .p256(UInt16(400 + level * 2 + side)))
        }
        var pool: [CertificateView] = []
        for level in 0..<14 {
            for (below, above) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                pool.append(try authority(level + 1, above).authority(authority(level, below)))
            }
        }
        let leaf = try authority(0, 0).leaf()
        let nowhere = judgment(leaf, pool, anchors: []) { $0.budget.pathSteps = 500 }
        #expect(nowhere.rejections.contains { $0.reason == .budgetExceeded(.pathSteps) })
        #expect(nowhere.verifiedSignatures <= 128)
        // All of them lead to a root, and to a leaf that is for another host.
        let anchors: [TrustAnchor] = try [0, 1].map { TrustAnchor(try authority(14, $0).authority()) }
        let many = judgment(leaf, pool, anchors: anchors) {
            $0.purposes = [PurposeRequirement(.server, identities: [IdentityRequirement(host: "other.example")])]
        }
        #expect(many.rejections.contains { $0.reason == .budgetExceeded(.paths) })
        #expect(many.rejections.contains { $0.reason.code == "name-mismatch" })
        #expect(judgment(leaf, pool, anchors: anchors).summary == "accepted")
    }

    @Test("Thousands of forgeries of one intermediate end within the budget, with one answer in any order")
    func forgeries() throws {
        let chain = try TestChain()
        let forgeries = try (0..<4_000).map { number in
            var bytes = chain.second.bytes
            bytes[bytes.count - 2] ^= UInt8(truncatingIfNeeded: number + 1)
            bytes[bytes.count - 3] ^= UInt8(truncatingIfNeeded: (number + 1) >> 8)
            return try CertificateView(der: bytes)
        }
        let pile = [chain.first] + forgeries
        let anchors = [TrustAnchor].certificates(chain.root)
        let verdicts = [pile, pile.reversed()].map { judgment(chain.leaf, $0, anchors: anchors) }
        #expect(verdicts.allSatisfy { !$0.isAccepted && $0.verifiedSignatures <= 100 })
        #expect(verdicts[0].summary == verdicts[1].summary)
        // The real one among a few forgeries is found.
        #expect(judgment(chain.leaf, pile.prefix(20) + [chain.second], anchors: anchors).isAccepted)
    }

    @Test("Thirty honest intermediates of one name, of which one signed, are within the budget")
    func honestIntermediates() throws {
        let intermediates = try (0..<30).map {
            try Self.root.authority(CraftedAuthority(name: Self.name, .p256(UInt16(300 + $0))))
        }
        // The order in which they are tried goes by their digests: one of these leaves is signed by the last.
        for number: UInt16 in 300..<330 {
            let leaf = try CraftedAuthority(name: Self.name, .p256(number)).leaf { $0.remove("2.5.29.35") }
            let verdict = judgment(leaf, intermediates, anchors: .certificates(try Self.root.authority()))
            #expect(verdict.summary == "accepted")
            #expect(verdict.verifiedSignatures <= 110)
        }
    }

    @Test("An intermediate cross-signed by sixty-four roots, of which one is trusted, is accepted")
    func crossSignedOften() throws {
        let issuer = CraftedAuthority("Issuer", .p256(12))
        let roots = (0..<64).map { CraftedAuthority("Root \($0)", .p256(UInt16(500 + $0))) }
        let pool = try roots.map { try $0.authority(issuer) }
        let leaf = try issuer.leaf()
        for trusted in [0, 31, 63] {
            let anchor = try roots[trusted].authority()
            for pool in [pool, pool.reversed()] {
                let verdict = judgment(leaf, pool, anchors: .certificates(anchor))
                #expect(verdict.summary == "accepted")
                #expect(
                    verdict.path == [
                        leaf, try #require(pool.first { $0.issuerDescription == anchor.subjectDescription }), anchor,
                    ])
            }
        }
    }

    @Test("A budget of nothing refuses, and says of what there was too little")
    func nothing() throws {
        let chain = try TestChain(leaf: { $0.set(.policies(["1.2.3"])) })
        #expect(
            chain.judge { $0.budget.signatures = 0 }.rejections.contains { $0.reason == .budgetExceeded(.signatures) })
        #expect(chain.judge { $0.budget.signatures = 2 }.isAccepted == false)
        #expect(chain.judge { $0.budget.signatures = 3 }.isAccepted)
        #expect(
            chain.judge { $0.budget.pathSteps = 0 }.rejections.contains { $0.reason == .budgetExceeded(.pathSteps) })
        #expect(chain.judge { $0.budget.pathSteps = 2 }.isAccepted == false)
        #expect(chain.judge { $0.budget.pathSteps = 3 }.isAccepted)
        #expect(chain.judge { $0.budget.paths = 0 }.rejections.contains { $0.reason == .budgetExceeded(.paths) })
        #expect(chain.judge { $0.budget.paths = 1 }.isAccepted)
        let named = try TestChain(first: { $0.set(.nameConstraints(permitted: [.dns("example.com")])) })
        #expect(named.judge().summary == "accepted")
        #expect(named.judge { $0.budget.nameComparisons = 0 }.has(.budgetExceeded(.nameComparisons), at: 2))
        let policies = try TestChain(
            first: { $0.set(.policies(["2.5.29.32.0"])) }, second: { $0.set(.policies(["1.2.3", "1.2.4"])) },
            leaf: { $0.set(.policies(["1.2.3"])) })
        let explicit = PolicyInputs(requiresExplicitPolicy: true)
        #expect(
            policies.judge { ($0.policies, $0.budget.policyNodes) = (explicit, 1) }.summary == "0:budget-exceeded")
        #expect(policies.judge { ($0.policies, $0.budget.policyNodes) = (explicit, 100) }.summary == "accepted")
        // Where no policy is required, no policy is worked out.
        #expect(policies.judge { $0.budget.policyNodes = 1 }.summary == "accepted")
    }

    @Test("Reading name constraints costs as much as there are, for every path they are read for")
    func subtrees() throws {
        let many = (0..<1_000).map { TestName.dns("a\($0).example") } + [.dns("example.com")]
        let chain = try TestChain(second: { $0.set(.nameConstraints(permitted: many)) })
        #expect(chain.judge { $0.budget.nameComparisons = 1_000 }.has(.budgetExceeded(.nameComparisons)))
        #expect(chain.judge { $0.budget.nameComparisons = 1_100 }.summary == "accepted")
        let twins = try (0..<8).map { number in
            try TestChain.root.authority(TestChain.second) {
                $0.serialNumber = DER.integer(UInt8(number + 1))
                $0.set(.nameConstraints(permitted: Array(many.dropLast())))
            }
        }
        let verdict = judgment(chain.leaf, twins, anchors: .certificates(chain.root)) {
            $0.budget.nameComparisons = 4_000
        }
        #expect(verdict.isAccepted == false)
    }

    @Test("A thousand stray certificates cost no signature")
    func junk() throws {
        let chain = try TestChain()
        let stray = try CraftedAuthority("Stray", .p256(30)).leaf()
        let pool = try (0..<1_000).map { number in
            // Changing the serial number spoils the signature, which is not looked at.
            var bytes = stray.bytes
            let index = try #require(bytes.firstIndex(of: 0x2A))
            (bytes[index], bytes[index + 1]) = (UInt8(number / 256), UInt8(number % 256) | 0x80)
            return try CertificateView(der: bytes)
        }
        let verdict = judgment(chain.leaf, pool + [chain.first, chain.second], anchors: .certificates(chain.root))
        #expect(verdict.summary == "accepted")
        #expect(verdict.verifiedSignatures == 3)
    }
}
