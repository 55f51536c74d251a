//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// What crafted input may cost. Time is measured in Benchmarks; here the work is counted.
@Suite("Cost of crafted input")
struct CostTests {
    static let root = TestChain.root
    /// Sixty P-256 verifications are the most that 98 KB may cost; signatures take at most two thirds of them.
    static let limit = 40 * SignatureCost.p256

    /// Keys of every kind that costs more than the one before.
    enum Kind: CaseIterable {
        case p256, p384, p521

        func key(_ number: UInt16) -> TestKey {
            switch self {
            case .p256: .p256(number)
            case .p384: .p384(number)
            case .p521: .p521(number)
            }
        }
    }

    @Test("A certificate that names two signature algorithms is told for it with nothing left to spend")
    func twoAlgorithms() throws {
        let leaf = try Self.root.leaf { $0.outerAlgorithm = TestAlgorithm.ecdsaSHA1.identifier }
        for signatures in [0, 1, 110] {
            let verdict = judgment(leaf, anchors: .certificates(try Self.root.authority())) {
                $0.budget = Budget(signatures: signatures)
            }
            #expect(verdict.has(.signatureAlgorithmMismatch, at: 0), "\(verdict.summary)")
            #expect(verdict.verifiedSignatures == 0)
        }
    }

    @Test(
        "Look-alikes of an issuer cost no more than the budget, whatever their keys, under every profile",
        arguments: Kind.allCases, [1, 0])
    func lookAlikes(kind: Kind, identifiers: Int) throws {
        let name = CraftedAuthority("Look-alike", .p256(1)).name
        let forger = CraftedAuthority(name: Self.root.name, .p256(666))
        let pile = try (0..<100).map { number in
            try forger.authority(CraftedAuthority(name: name, kind.key(UInt16(1_000 + number)))) {
                guard identifiers == 0 else { return }
                $0.remove("2.5.29.14")
                $0.remove("2.5.29.35")
            }
        }
        let leaf = try CraftedAuthority(name: name, kind.key(999)).leaf { $0.remove("2.5.29.35") }
        for profile in ValidationProfile.standard {
            let verdict = judgment(leaf, pile, anchors: .certificates(try Self.root.authority())) {
                $0.profile = profile
            }
            #expect(verdict.isAccepted == false)
            #expect(verdict.signatureCost <= Self.limit, "\(kind) under \(profile.name)")
        }
    }

    @Test("A long untrusted chain of costly keys costs no more than the budget", arguments: Kind.allCases)
    func untrustedChain(kind: Kind) throws {
        let authorities = (0..<30).map { CraftedAuthority("CA \($0)", kind.key(UInt16(200 + $0))) }
        let pile = try (1..<30).map { try authorities[$0].authority(authorities[$0 - 1]) }
        let leaf = try authorities[0].leaf()
        for anchors: [TrustAnchor] in [[], .certificates(try CraftedAuthority("CA 29", .p256(7)).authority())] {
            let verdict = judgment(leaf, pile, anchors: anchors)
            #expect(verdict.isAccepted == false)
            #expect(verdict.signatureCost <= Self.limit)
        }
        let trusted = judgment(leaf, pile, anchors: .certificates(try authorities[29].authority()))
        #expect(trusted.summary == "accepted", "An honest chain is not held to the budget for others")
    }

    @Test("A chain of sixteen intermediates of one name that key identifiers tell apart costs one signature each")
    func sixteenOfOneName() throws {
        let name = CraftedAuthority("One name", .p256(1)).name
        let authorities = (0..<16).map { CraftedAuthority(name: name, .p256(UInt16(300 + $0))) }
        var pile = try (1..<16).map { try authorities[$0].authority(authorities[$0 - 1]) }
        pile.append(try Self.root.authority(authorities[15]))
        let leaf = try authorities[0].leaf()
        for pile in [pile, pile.reversed()] {
            let verdict = judgment(leaf, pile, anchors: .certificates(try Self.root.authority()))
            #expect(verdict.summary == "accepted")
            #expect(verdict.verifiedSignatures == 17)
        }
    }

    @Test("Sixteen intermediates of one name without key identifiers cost one signature each, and one more")
    func sixteenWithoutIdentifiers() throws {
        let name = CraftedAuthority("One name", .p256(1)).name
        let pile = try (0..<16).map { number in
            try Self.root.authority(CraftedAuthority(name: name, .p256(UInt16(300 + number)))) {
                $0.remove("2.5.29.14")
            }
        }
        for number: UInt16 in 300..<316 {
            let leaf = try CraftedAuthority(name: name, .p256(number)).leaf { $0.remove("2.5.29.35") }
            let verdict = judgment(leaf, pile, anchors: .certificates(try Self.root.authority()))
            #expect(verdict.summary == "accepted")
            #expect(verdict.verifiedSignatures <= 18)
        }
    }

    @Test("Where key identifiers need not agree, an issuer whose identifier contradicts is found at last")
    func contradictedIssuer() throws {
        let issuer = CraftedAuthority("Issuer", .p256(12))
        let honest = try Self.root.authority(issuer) { $0.set(.subjectKeyIdentifier([1, 2, 3])) }
        let leaf = try issuer.leaf()
        let anchors = [TrustAnchor].certificates(try Self.root.authority())
        #expect(judgment(leaf, [honest], anchors: anchors).summary == "accepted")
        let strict = judgment(leaf, [honest], anchors: anchors) { $0.profile = .apple }
        #expect(strict.summary == "0:key-identifier-mismatch")
        let other = try Self.root.authority(CraftedAuthority("Issuer", .p256(13)))
        let second = try Self.root.authority(issuer)
        for pile in [[honest, other, second], [second, other, honest]] {
            let verdict = judgment(leaf, pile, anchors: anchors) { $0.profile = .apple }
            #expect(verdict.path.dropFirst().first == second)
        }
    }

    @Test("A key verifies nothing before it is proven: look-alikes with dear keys cost what the root's key costs")
    func provenKeysOnly() throws {
        let name = CraftedAuthority("Look-alike", .p256(1)).name
        let forger = CraftedAuthority(name: Self.root.name, .p256(666))
        let dear = CraftedAuthority(name: name, .p521(1))
        let pile = try (0..<20).map { number in
            try forger.authority(dear) { $0.serialNumber = DER.integer(UInt8(number + 1)) }
        }
        let verdict = judgment(try dear.leaf(), pile, anchors: .certificates(try Self.root.authority()))
        #expect(verdict.isAccepted == false)
        #expect(verdict.signatureCost <= 21 * SignatureCost.p256 + 1_000)
    }

    @Test("A leaf is judged once, however many paths lead up from it")
    func leafOnce() throws {
        let issuer = CraftedAuthority("Issuer", .p256(12))
        let twins = try (0..<90).map { number in
            try Self.root.authority(issuer) { $0.serialNumber = DER.integer(UInt8(number + 1)) }
        }
        let names = (0..<2_000).map { TestName.dns("a\($0).example") }
        let leaf = try issuer.leaf { $0.set(.alternativeNames(names)) }
        var findings = LeafFindings()
        let request = ValidationRequest(
            time: testTime,
            purposes: [PurposeRequirement(.server, identities: [IdentityRequirement(host: "www.example.com")])],
            profile: .webPKI)
        var budget = request.budget
        let root = TrustAnchor(try Self.root.authority())
        let paths = twins.map { CandidatePath(certificates: [leaf, $0], anchor: root, deadEnd: nil) }
        let first = PathChecks.run(paths[0], request, budget: &budget, leaf: &findings)
        #expect(first.contains { $0.reason.code == "name-mismatch" })
        #expect(findings.identities?.count == 1)
        findings.identities = []
        let second = PathChecks.run(paths[1], request, budget: &budget, leaf: &findings)
        #expect(second.contains { $0.reason.code == "name-mismatch" } == false, "The findings were used again")
    }

    @Test("Certificates whose unknown extensions all look alike are read in one walk")
    func manyExtensions() throws {
        let chain = try TestChain(leaf: { leaf in
            for number in 0..<200 { leaf.set(TestExtension("1.2.3.\(128 * (number + 1)).5", critical: false, [4, 0])) }
        })
        #expect(chain.leaf.fields.extensions.duplicate.isEmpty)
        #expect(chain.judge().summary == "accepted")
    }

    @Test("A cache that knows the authorities refuses nothing that was accepted without it", arguments: Kind.allCases)
    func warmCache(kind: Kind) throws {
        let chain = try Self.revocableChain(kind)
        let cache = SignatureCache()
        for _ in 0..<3 {
            let verdict = chain.judge {
                $0.signatureCache = cache
                $0.revocation = chain.evidence
            }
            #expect(verdict.summary == "accepted")
        }
    }

    @Test(
        "Honest lists of authorities with dear keys cost nothing of the budget for strangers", arguments: Kind.allCases)
    func honestLists(kind: Kind) throws {
        let chain = try Self.revocableChain(kind)
        #expect(chain.judge { $0.revocation = chain.evidence }.summary == "accepted")
    }

    @Test("The same list a hundred times is one list, and no order of lists changes the answer")
    func repeatedLists() throws {
        let chain = try Self.revocableChain(.p384)
        var generator = SeededGenerator(state: 9)
        for _ in 0..<3 {
            var evidence = chain.evidence
            evidence.lists = (0..<20).flatMap { _ in chain.evidence.lists }.shuffled(using: &generator)
            let verdict = chain.judge { $0.revocation = evidence }
            #expect(verdict.summary == "accepted")
            #expect(verdict.verifiedSignatures == chain.judge { $0.revocation = chain.evidence }.verifiedSignatures)
        }
    }

    struct RevocableChain {
        let leaf: CertificateView
        let issuer: CertificateView
        let root: CertificateView
        let evidence: RevocationPolicy

        func judge(_ change: (inout ValidationRequest) -> Void) -> Verdict {
            judgment(self.leaf, [self.issuer], anchors: .certificates(self.root), change)
        }
    }

    /// A chain with many lists of each authority, and every certificate's status demanded.
    static func revocableChain(_ kind: Kind) throws -> RevocableChain {
        let (root, issuer) = (
            CraftedAuthority("Dear root", kind.key(40)), CraftedAuthority("Dear issuer", kind.key(41))
        )
        let lists = try [root, issuer].flatMap { authority in
            try (0..<6).map { number in
                try TestRevocationList(authority) { $0.set(.listNumber(number + 1)) }.view()
            }
        }
        return RevocableChain(
            leaf: try issuer.leaf(), issuer: try root.authority(issuer), root: try root.authority(),
            evidence: RevocationPolicy(.hard, lists: lists))
    }

    @Test("Roots of one name without key identifiers are told apart, whatever their keys", arguments: Kind.allCases)
    func rollOver(kind: Kind) throws {
        let name = CraftedAuthority("Root of one name", .p256(1)).name
        let roots = try (0..<4).map { number in
            try CraftedAuthority(name: name, kind.key(UInt16(60 + number))).authority { $0.remove("2.5.29.14") }
        }
        for number: UInt16 in 60..<64 {
            let leaf = try CraftedAuthority(name: name, kind.key(number)).leaf { $0.remove("2.5.29.35") }
            let verdict = judgment(leaf, anchors: roots.map { TrustAnchor($0) })
            #expect(verdict.summary == "accepted")
        }
    }

    @Test("Where the budget ends the search, no issuer is blamed that may not be the right one")
    func untriedIssuer() throws {
        let name = CraftedAuthority("One name", .p256(1)).name
        let pile = try (0..<64).map { number in
            try Self.root.authority(CraftedAuthority(name: name, .p384(UInt16(300 + number)))) {
                $0.remove("2.5.29.14")
            }
        }
        let leaf = try CraftedAuthority(name: name, .p384(999)).leaf { $0.remove("2.5.29.35") }
        let verdict = judgment(leaf, pile, anchors: .certificates(try Self.root.authority())) {
            $0.budget.signatures = 20
        }
        #expect(verdict.rejections.contains { $0.reason == .budgetExceeded(.signatures) })
        #expect(verdict.rejections.allSatisfy { $0.reason != .badSignature })
        #expect(verdict.rejections.filter { $0.reason == .budgetExceeded(.signatures) }.count == 1)
    }

    @Test("A weak key is refused in an anchor that is a name and a key as in a certificate")
    func weakAnchorKey() throws {
        let root = CraftedAuthority("Weak root", .rsa1024)
        let leaf = try root.leaf()
        let anchor = try TrustAnchor(subject: root.name, subjectPublicKeyInfo: root.key.info)
        for profile in ValidationProfile.standard {
            let verdict = judgment(leaf, anchors: [anchor]) { $0.profile = profile }
            #expect(verdict.isAccepted == (profile == .legacy), "\(profile.name): \(verdict.summary)")
        }
    }

    @Test("A budget for paths of no length refuses and does not trap")
    func noLength() throws {
        let chain = try TestChain()
        #expect(chain.judge { $0.budget.pathLength = 0 }.isAccepted == false)
        #expect(chain.judge { $0.budget.pathLength = .min }.isAccepted == false)
    }

    @Test("The searches for a list's signer end soon, however many look-alikes of one are sent and however they chain")
    func listSigners() throws {
        let issuer = CraftedAuthority("Issuer", .p256(12))
        let forgers = (0..<6).map { CraftedAuthority("Issuer", .p256(UInt16(667 + $0))) }
        let pile = try (0..<120).map { number in
            try forgers[number % 6].authority(forgers[(number / 6) % 6]) {
                $0.serialNumber = DER.integer(UInt8(number + 1))
                $0.remove("2.5.29.14")
                $0.remove("2.5.29.35")
            }
        }
        let lists = try forgers.map { try TestRevocationList($0).view() }
        let leaf = try issuer.leaf()
        let sent = [try Self.root.authority(issuer)] + pile
        var request = ValidationRequest(time: testTime, purposes: [PurposeRequirement(.server)], profile: .apple)
        request.revocation = RevocationPolicy(.soft, lists: lists)
        let anchors = TrustAnchorSet([TrustAnchor(try Self.root.authority())])
        let validator = PathValidator(request, anchors: [anchors])
        var memo = validator.memo(for: leaf, sent)
        let verdict = validator.validate(leaf, intermediates: sent, depth: 0, memo: &memo)
        #expect(memo.signerSteps > 0, "Signers are looked for")
        #expect(memo.signerSteps <= 1_100)
        #expect(verdict.verifiedSignatures <= 100)
        #expect(verdict.signatureCost <= Self.limit)
    }

    @Test(
        "A path through eight keys that an authority rolled over to is accepted with the list of any", arguments: 0..<8)
    func manyRollOvers(signer: Int) throws {
        let keys = (0..<8).map {
            CraftedAuthority(name: CraftedAuthority("Issuer", .p256(1)).name, .p256(UInt16(700 + $0)))
        }
        var sent = [try Self.root.authority(keys[0])]
        for (old, new) in zip(keys, keys.dropFirst()) { sent.append(try old.authority(new)) }
        let leaf = try keys[7].leaf()
        let lists = try [Self.root, keys[signer]].map { try TestRevocationList($0).view() }
        let verdict = judgment(leaf, sent, anchors: .certificates(try Self.root.authority())) {
            $0.revocation = RevocationPolicy(.soft, lists: lists)
        }
        #expect(verdict.summary == "accepted")
    }

    @Test("Copies of genuine intermediates with other signatures cost nothing", arguments: Kind.allCases)
    func copies(kind: Kind) throws {
        let authorities = (0..<3).map { CraftedAuthority("CA \($0)", kind.key(UInt16(800 + $0))) }
        let root = CraftedAuthority("Dear root", kind.key(803))
        func chain() throws -> [CertificateView] {
            try zip([root] + authorities, authorities).map { try $0.authority($1) }
        }
        // The signature of the same octets is another one each time.
        let (genuine, copies) = (try chain(), try (0..<8).flatMap { _ in try chain() })
        #expect(Set(genuine + copies).count == 27)
        let leaf = try authorities[2].leaf()
        let anchors = [TrustAnchor].certificates(try root.authority())
        let honest = judgment(leaf, genuine, anchors: anchors)
        #expect(honest.summary == "accepted")
        for identity in ["www.example.com", "other.example"] {
            let verdict = judgment(leaf, copies + genuine, anchors: anchors) {
                $0.purposes = [PurposeRequirement(.server, identities: [IdentityRequirement(host: identity)])]
            }
            #expect(verdict.isAccepted == (identity != "other.example"))
            #expect(verdict.isAccepted || verdict.summary.contains("0:name-mismatch"))
            #expect(verdict.signatureCost == honest.signatureCost)
        }
    }

    @Test(
        "Genuine certificates of one name with dear keys, of which none signed the leaf, cost no more than sixty",
        arguments: Kind.allCases, [57, 20])
    func genuineLookAlikes(kind: Kind, count: Int) throws {
        let authority = CraftedAuthority("Authority", .p256(70))
        let name = CraftedAuthority("One name", .p256(1)).name
        let pile = try (0..<count).map { number in
            try authority.authority(CraftedAuthority(name: name, kind.key(UInt16(900 + number)))) {
                $0.remove("2.5.29.14")
            }
        }
        let leaf = try CraftedAuthority(name: name, kind.key(899)).leaf { $0.remove("2.5.29.35") }
        for profile in ValidationProfile.standard {
            let verdict = judgment(
                leaf, pile + [try Self.root.authority(authority)], anchors: .certificates(try Self.root.authority())
            ) { $0.profile = profile }
            #expect(!verdict.isAccepted)
            #expect(verdict.signatureCost <= 60 * SignatureCost.p256, "\(kind) under \(profile.name)")
        }
    }

    @Test("A thousand look-alikes before the genuine issuer are a limit that is told, and no bad signature")
    func cutCandidates() throws {
        let issuer = CraftedAuthority("Issuer", .p256(12))
        let forger = CraftedAuthority(name: Self.root.name, .p256(666))
        let pile = try (0..<1_000).map { number in
            try forger.authority(issuer) {
                $0.serialNumber = DER.number(number + 1)
                $0.notBefore = DER.utcTime("260530000000Z")
            }
        }
        let verdict = judgment(
            try issuer.leaf(), pile + [try Self.root.authority(issuer)],
            anchors: .certificates(try Self.root.authority()))
        #expect(!verdict.isAccepted)
        #expect(verdict.rejections.allSatisfy { $0.reason != .badSignature })
        #expect(verdict.rejections.contains { $0.reason.code == "budget-exceeded" })
    }
}
