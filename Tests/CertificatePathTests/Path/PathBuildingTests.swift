//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Path building")
struct PathBuildingTests {
    static let root = TestChain.root
    static let other = CraftedAuthority("Other", .p256(11))
    static let issuer = CraftedAuthority("Issuer", .p256(12))

    @Test("A path that lacks a certificate, or whose end is not trusted, is refused with the reason")
    func incomplete() throws {
        let chain = try TestChain()
        let trusted = [TrustAnchor].certificates(chain.root)
        #expect(judgment(chain.leaf, anchors: trusted).summary == "0:unknown-issuer")
        #expect(judgment(chain.leaf, [chain.second], anchors: trusted).summary == "1:unknown-issuer")
        #expect(judgment(chain.leaf, [chain.first], anchors: trusted).summary == "0:unknown-issuer")
        #expect(
            judgment(chain.leaf, [chain.first, chain.second, chain.root], anchors: []).summary == "3:untrusted-root")
        let stranger = try Self.other.authority()
        #expect(
            judgment(chain.leaf, [chain.first, chain.second, chain.root], anchors: .certificates(stranger)).summary
                == "3:untrusted-root")
        #expect(judgment(chain.leaf, [chain.first, chain.second], anchors: []).summary == "2:unknown-issuer")
    }

    @Test("A self-signed certificate is no anchor by itself, nor for sharing a name or a key with one")
    func selfSigned() throws {
        let root = try Self.root.authority()
        let sameName = try CraftedAuthority(name: Self.root.name, .p256(50)).authority()
        let twin = try Self.root.authority { $0.serialNumber = DER.integer(9) }
        let leaf = try Self.root.leaf {
            $0.issuer = $0.subject
            $0.signer = .p256(100)
            $0.remove("2.5.29.35")
        }
        #expect(judgment(leaf, anchors: []).summary == "0:untrusted-root")
        #expect(judgment(leaf, anchors: .certificates(root)).summary == "0:untrusted-root")
        func verdict(_ certificate: CertificateView) -> String {
            judgment(certificate, anchors: .certificates(root)) { $0.purposes = [PurposeRequirement(.any)] }.summary
        }
        #expect(verdict(root) == "accepted")
        #expect(verdict(sameName) == "0:untrusted-root")
        #expect(verdict(twin) == "0:untrusted-root")
        let below = try CraftedAuthority(name: Self.root.name, .p256(50)).leaf()
        #expect(judgment(below, [sameName], anchors: .certificates(root)).isAccepted == false)
        #expect(judgment(below, anchors: .certificates(root)).summary == "0:bad-signature")
    }

    @Test("A self-issued certificate with a bad signature is not self-signed: it lacks an issuer")
    func selfIssuedNotSelfSigned() throws {
        let certificate = try Self.root.authority { $0.signer = .p256(77) }
        #expect(
            judgment(certificate, anchors: []) { $0.purposes = [PurposeRequirement(.any)] }.summary
                == "0:unknown-issuer")
        let linked = try Self.root.authority { $0.set(.authorityKeyIdentifier([1, 2, 3])) }
        #expect(
            judgment(linked, anchors: []) { $0.purposes = [PurposeRequirement(.any)] }.summary == "0:unknown-issuer")
    }

    @Test("The verdict and the path do not depend on the order or number of the certificates sent")
    func order() throws {
        let chain = try TestChain()
        let cross = try Self.other.authority(TestChain.first)
        let junk = [try Self.other.authority(), try Self.issuer.authority(), try Self.issuer.leaf(), chain.leaf, cross]
        let twins = [
            try TestChain.first.authority(TestChain.second) { $0.notAfter = DER.utcTime("300101000000Z") },
            try TestChain.root.authority(TestChain.first) { $0.notBefore = DER.utcTime("210101000000Z") },
        ]
        let pool = [chain.first, chain.second, chain.root, chain.first, chain.second] + junk + twins
        var generator = SeededGenerator(state: 7)
        for anchors: [TrustAnchor] in [
            .certificates(chain.root), .certificates(chain.root, try Self.other.authority()), [],
        ] {
            let expected = judgment(chain.leaf, pool, anchors: anchors)
            #expect(expected.isAccepted == !anchors.isEmpty)
            for _ in 0..<20 {
                let verdict = judgment(
                    chain.leaf, pool.shuffled(using: &generator), anchors: anchors.shuffled(using: &generator))
                #expect(verdict.path == expected.path)
                #expect(verdict.rejections == expected.rejections)
                #expect(verdict.verifiedSignatures == expected.verifiedSignatures)
            }
        }
    }

    @Test("The first path tried does not depend on the order either")
    func firstPath() throws {
        let leaf = try Self.issuer.leaf()
        let twins = try (1...6).map { number in
            try Self.root.authority(Self.issuer) { $0.serialNumber = DER.integer(UInt8(number)) }
        }
        var generator = SeededGenerator(state: 8)
        let root = try Self.root.authority()
        let expected = judgment(leaf, twins, anchors: .certificates(root)) { $0.budget.paths = 1 }
        for _ in 0..<20 {
            let verdict = judgment(leaf, twins.shuffled(using: &generator), anchors: .certificates(root)) {
                $0.budget.paths = 1
            }
            #expect(verdict.path == expected.path)
        }
    }

    @Test("Of several roots with one name the one that signed is found, in whatever order they are trusted")
    func rootsOfOneName() throws {
        let leaf = try CraftedAuthority(name: Self.root.name, .p256(25)).leaf()
        let roots = try (20..<30).map { try CraftedAuthority(name: Self.root.name, .p256($0)).authority() }
        for anchors in [roots, roots.reversed()] {
            let verdict = judgment(leaf, anchors: anchors.map { TrustAnchor($0) })
            #expect(verdict.summary == "accepted")
            #expect(verdict.path.last == roots[5])
        }
        let absent = roots[..<5] + roots[6...]
        #expect(judgment(leaf, anchors: absent.map { TrustAnchor($0) }).summary == "0:bad-signature")
    }

    @Test("Of several intermediates with one name the one whose key signed is found")
    func intermediatesOfOneName() throws {
        let name = Self.issuer.name
        let intermediates = try (20..<30).map { try Self.root.authority(CraftedAuthority(name: name, .p256($0))) }
        for number in UInt16(20)..<30 {
            // Without a key identifier, only the signature tells.
            let leaf = try CraftedAuthority(name: name, .p256(number)).leaf { $0.remove("2.5.29.35") }
            let verdict = judgment(leaf, intermediates, anchors: .certificates(try Self.root.authority()))
            #expect(verdict.summary == "accepted")
            #expect(verdict.path.dropFirst().first == intermediates[Int(number) - 20])
            #expect(
                judgment(leaf, intermediates.reversed(), anchors: .certificates(try Self.root.authority())).isAccepted)
        }
    }

    @Test("An expired intermediate beside a valid one of the same key does not stand in the way")
    func expiredTwin() throws {
        let expired = try Self.root.authority(Self.issuer) { $0.notAfter = DER.utcTime("250101000000Z") }
        let valid = try Self.root.authority(Self.issuer) { $0.notAfter = DER.utcTime("270101000000Z") }
        let leaf = try Self.issuer.leaf()
        let root = try Self.root.authority()
        for pool in [[expired, valid], [valid, expired]] {
            let verdict = judgment(leaf, pool, anchors: .certificates(root))
            #expect(verdict.summary == "accepted")
            #expect(verdict.path == [leaf, valid, root])
        }
        #expect(judgment(leaf, [expired], anchors: .certificates(root)).summary == "1:expired")
        // The same below anchors: one root, two certificates for it.
        let old = try Self.root.authority { $0.notAfter = DER.utcTime("250101000000Z") }
        for anchors: [TrustAnchor] in [.certificates(old, root), .certificates(root, old)] {
            #expect(judgment(leaf, [valid], anchors: anchors).summary == "accepted")
        }
    }

    @Test("Twins that differ in what they may do are tried one after the other")
    func backtracking() throws {
        let leaf = try Self.issuer.leaf()
        let root = try Self.root.authority()
        let good = try Self.root.authority(Self.issuer)
        let twins: [CraftedAuthority.Change] = [
            { $0.set(.basicConstraints(false)) }, { $0.set(.keyUsage(0)) },
            { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.2")) },
            { $0.set(.nameConstraints(permitted: [.dns("example.org")])) },
            { $0.set(TestExtension("1.2.3", critical: true, [])) },
        ]
        for twin in twins {
            let bad = try Self.root.authority(Self.issuer) {
                twin(&$0)
                $0.notBefore = DER.utcTime("250101000000Z")
            }
            #expect(judgment(leaf, [bad], anchors: .certificates(root)).isAccepted == false)
            #expect(judgment(leaf, [bad, good], anchors: .certificates(root)).path == [leaf, good, root])
        }
    }

    @Test("A certificate cross-signed by two authorities leads to whichever is trusted")
    func crossSigned() throws {
        let leaf = try Self.issuer.leaf()
        let pool = [try Self.root.authority(Self.issuer), try Self.other.authority(Self.issuer)]
        let (root, other) = (try Self.root.authority(), try Self.other.authority())
        #expect(judgment(leaf, pool, anchors: .certificates(root)).path == [leaf, pool[0], root])
        #expect(judgment(leaf, pool, anchors: .certificates(other)).path == [leaf, pool[1], other])
        #expect(judgment(leaf, pool + [root, other], anchors: .certificates(other)).path == [leaf, pool[1], other])
        // A root that is sent self-signed and untrusted, and also cross-signed by one that is trusted.
        let below = try Self.root.leaf()
        let cross = try Self.other.authority(Self.root)
        #expect(judgment(below, [root, cross], anchors: .certificates(other)).path == [below, cross, other])
    }

    @Test("Certificates that sign each other in circles end the search, and hide no way out")
    func loops() throws {
        let (a, b) = (CraftedAuthority("A", .p256(31)), CraftedAuthority("B", .p256(32)))
        let pool = [try a.authority(b), try b.authority(a)]
        let leaf = try a.leaf()
        let verdict = judgment(leaf, pool, anchors: [])
        #expect(verdict.summary == "2:unknown-issuer")
        #expect(verdict.verifiedSignatures < 8)
        let root = try Self.root.authority()
        let out = try Self.root.authority(b)
        #expect(judgment(leaf, pool + [out], anchors: .certificates(root)).path == [leaf, pool[1], out, root])
    }

    @Test("A root's new key certified by its old one, and the other way round, both lead to the one that is trusted")
    func keyRollover() throws {
        let old = CraftedAuthority("Root", .p256(41))
        let new = CraftedAuthority("Root", .p256(42))
        let newWithOld = try old.authority(new)
        let oldWithNew = try new.authority(old)
        let leaf = try new.leaf()
        let oldRoot = try old.authority()
        let newRoot = try new.authority()
        let pool = [newWithOld, oldWithNew]
        #expect(judgment(leaf, pool, anchors: .certificates(oldRoot)).path == [leaf, newWithOld, oldRoot])
        #expect(judgment(leaf, pool, anchors: .certificates(newRoot)).path == [leaf, newRoot])
        #expect(judgment(try old.leaf(), pool, anchors: .certificates(newRoot)).summary == "accepted")
    }

    @Test("Any certificate can be an anchor: a leaf, an intermediate, a version 1 root")
    func anyAnchor() throws {
        let chain = try TestChain()
        #expect(judgment(chain.leaf, anchors: .certificates(chain.leaf)).path == [chain.leaf])
        let stray = try chain.leaf == TestChain().leaf
        #expect(stray == false, "ECDSA signatures differ, so these are twins")
        #expect(judgment(try TestChain().leaf, anchors: .certificates(chain.leaf)).summary == "0:unknown-issuer")
        let pool = [chain.second, chain.first, chain.root]
        #expect(judgment(chain.leaf, pool, anchors: .certificates(chain.second)).path == [chain.leaf, chain.second])
        #expect(judgment(chain.leaf, [], anchors: .certificates(chain.second)).path == [chain.leaf, chain.second])
        let old = try Self.root.authority { $0.makeVersion1() }
        #expect(judgment(chain.leaf, pool, anchors: .certificates(old)).summary == "accepted")
    }

    @Test("A leaf that is an anchor still has to keep every rule about leaves")
    func leafAnchorRules() throws {
        let leaf = try Self.root.leaf { $0.notAfter = DER.utcTime("260601000000Z") }
        #expect(judgment(leaf, anchors: .certificates(leaf)).summary == "accepted")
        #expect(
            judgment(leaf, anchors: .certificates(leaf)) { $0.time = Timestamp(secondsSinceEpoch: 1_780_272_001) }
                .summary == "0:expired")
        let client = try Self.root.leaf { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.2")) }
        #expect(judgment(client, anchors: .certificates(client)).summary == "0:eku")
        let other = try Self.root.leaf { $0.set(.alternativeNames([.dns("other.example")])) }
        #expect(judgment(other, anchors: .certificates(other)).summary == "0:name-mismatch")
    }

    @Test("A name and a key are an anchor without dates, constraints or usages")
    func subjectAndKey() throws {
        let chain = try TestChain()
        let anchor = try TrustAnchor(subject: Self.root.name, subjectPublicKeyInfo: Self.root.key.info)
        let verdict = judgment(chain.leaf, [chain.first, chain.second, chain.root], anchors: [anchor])
        #expect(verdict.summary == "accepted")
        #expect(verdict.path == [chain.leaf, chain.second, chain.first])
        #expect(verdict.anchor == anchor)
        let wrongKey = try TrustAnchor(subject: Self.root.name, subjectPublicKeyInfo: TestKey.p256(99).info)
        #expect(judgment(chain.leaf, [chain.first, chain.second], anchors: [wrongKey]).summary == "2:bad-signature")
        let wrongName = try TrustAnchor(subject: Self.other.name, subjectPublicKeyInfo: Self.root.key.info)
        #expect(judgment(chain.leaf, [chain.first, chain.second], anchors: [wrongName]).summary == "2:unknown-issuer")
        // Below such an anchor the path's own rules still hold.
        let expired = try TestChain(first: { $0.notAfter = DER.utcTime("250101000000Z") })
        #expect(judgment(expired.leaf, [expired.first, expired.second], anchors: [anchor]).summary == "2:expired")
        for (subject, key) in [
            (Self.root.name + [0], Self.root.key.info), (Self.root.name, Self.root.key.info + [0]),
            ([], Self.root.key.info),
            (DER.set(), Self.root.key.info), (Self.root.name, [UInt8](repeating: 0, count: 5 << 20)),
        ] {
            #expect(throws: DERError.self) { try TrustAnchor(subject: subject, subjectPublicKeyInfo: key) }
        }
    }

    @Test("Anchors are counted once, and earlier sets come first")
    func anchorSets() throws {
        let root = try Self.root.authority()
        var set = TrustAnchorSet([TrustAnchor(root), TrustAnchor(root, anchorClass: .system)])
        #expect(set.count == 1)
        set.insert(TrustAnchor(try Self.other.authority()))
        #expect(set.count == 2)
        let leaf = try Self.root.leaf()
        let request = ValidationRequest(time: testTime, profile: .rfc5280)
        for anchorClass in AnchorClass.allCases {
            let first = TrustAnchorSet([TrustAnchor(root, anchorClass: anchorClass)])
            let verdict = PathValidator(request, anchors: [first, set]).validate(leaf)
            #expect(verdict.anchor?.anchorClass == anchorClass)
            #expect(PathValidator(request, anchors: [first, set]).validate(root).anchor?.anchorClass == anchorClass)
        }
    }

    @Test(
        "A root of the system stays subject to the rules for the system's, whatever made it an anchor besides",
        arguments: [AnchorClass.application, .user])
    func classOfSystemRoot(anchorClass: AnchorClass) throws {
        let root = try Self.root.authority()
        let long = try Self.root.leaf {
            $0.notBefore = DER.utcTime("260401000000Z")
            $0.notAfter = DER.utcTime("280301000000Z")
        }
        var request = ValidationRequest(
            time: testTime,
            purposes: [PurposeRequirement(.server, identities: [IdentityRequirement(host: "www.example.com")])],
            profile: .apple)
        let given = TrustAnchorSet([TrustAnchor(root, anchorClass: anchorClass)])
        let system = TrustAnchorSet([TrustAnchor(root, anchorClass: .system)])
        #expect(!PathValidator(request, anchors: [given]).validate(long).summary.contains("lifetime"))
        for anchors in [[given, system], [system, given], [system]] {
            #expect(PathValidator(request, anchors: anchors).validate(long).summary.contains("lifetime"))
        }
        // It counts as what made it an anchor all the same.
        request.anchorClasses = [anchorClass]
        let verdict = PathValidator(request, anchors: [given, system]).validate(try Self.root.leaf())
        #expect(verdict.anchor?.anchorClass == anchorClass && verdict.isAccepted, "\(verdict.summary)")
    }

    @Test("A path of 32 certificates below its anchor is found, a longer one is refused for its length")
    func depth() throws {
        let authorities = (0..<40).map { CraftedAuthority("CA \($0)", .p256(200 + $0)) }
        func verdict(_ length: Int) throws -> Verdict {
            let pool = try (1..<length).map { try authorities[$0].authority(authorities[$0 - 1]) }
            let leaf = try authorities[0].leaf()
            return judgment(leaf, pool, anchors: .certificates(try authorities[length - 1].authority()))
        }
        #expect(try verdict(25).summary == "accepted")
        #expect(try verdict(32).summary == "accepted")
        #expect(try verdict(33).summary == "31:path-too-long")
        #expect(try verdict(40).summary == "31:path-too-long")
        #expect(try verdict(40).has(.pathTooLong(limit: 32), at: 31))
    }

    @Test("A path that only lacks a status is told before a better one that breaks a rule")
    func lackingStatus() throws {
        let (first, second) = (CraftedAuthority("First", .p256(301)), CraftedAuthority("Second", .p256(302)))
        let middle = CraftedAuthority("Middle", .p256(303))
        let pool = [
            try first.authority(Self.issuer) { $0.set(.nameConstraints(excluded: [.dns("example.com")])) },
            try middle.authority(Self.issuer), try second.authority(middle),
        ]
        for certificates in [pool, pool.reversed()] {
            let anchors = [TrustAnchor].certificates(try first.authority(), try second.authority())
            let verdict = judgment(try Self.issuer.leaf(), certificates, anchors: anchors) {
                $0.revocation = RevocationPolicy(.hard)
            }
            #expect(verdict.rejections.allSatisfy { $0.reason.isAboutRevocation }, "\(verdict.summary)")
            #expect(verdict.path.count == 4)
        }
    }

    @Test("Of several paths that are refused the most telling is reported")
    func bestRefusal() throws {
        // A path to an anchor that is merely expired says more than one that leads nowhere.
        let leaf = try Self.issuer.leaf { $0.notAfter = DER.utcTime("260502000000Z") }
        let pool = [try Self.other.authority(Self.issuer), try Self.root.authority(Self.issuer)]
        let verdict = judgment(leaf, pool, anchors: .certificates(try Self.root.authority()))
        #expect(verdict.summary == "0:expired")
        #expect(verdict.names.last == "Root")
        // One whose signatures hold says more than one whose do not, in date or not.
        let twins = [
            try Self.root.authority(Self.issuer) { $0.signer = .p256(97) },
            try Self.other.authority(Self.issuer) { $0.notAfter = DER.utcTime("260502000000Z") },
        ]
        let anchors = [TrustAnchor].certificates(try Self.root.authority(), try Self.other.authority())
        #expect(judgment(try Self.issuer.leaf(), twins, anchors: anchors).summary == "1:expired")
        let forged = try Self.root.leaf { $0.signer = .p256(98) }
        #expect(judgment(forged, anchors: .certificates(try Self.root.authority())).summary == "0:bad-signature")
    }

    @Test(
        "An added anchor refuses nothing that was trusted: a new key that the old one certified",
        arguments: ValidationProfile.standard)
    func rollOverAsAnchor(profile: ValidationProfile) throws {
        let name = CraftedAuthority("Authority", .p256(1)).name
        let (old, new) = (CraftedAuthority(name: name, .p256(80)), CraftedAuthority(name: name, .p256(81)))
        let rollOver = try old.authority(new)
        let leaf = try new.leaf()
        let root = TrustAnchor(try old.authority())
        for anchors in [
            [root], [TrustAnchor(rollOver)], [root, TrustAnchor(rollOver)], [TrustAnchor(rollOver), root],
        ] {
            let verdict = judgment(leaf, [rollOver], anchors: anchors) { $0.profile = profile }
            #expect(verdict.summary == "accepted", "\(profile.name), \(anchors.count) anchors")
        }
    }

    @Test("An intermediate that is an anchor besides hides no longer path: its policy mappings still hold")
    func intermediateAsAnchor() throws {
        let issuing = CraftedAuthority("Issuing", .p256(82))
        let intermediate = try TestChain.root.authority(issuing) {
            $0.set(.policies(["1.2.5"]))
            $0.set(.policyMappings([("1.2.5", "1.2.6")]))
        }
        let leaf = try issuing.leaf { $0.set(.policies(["1.2.6"])) }
        let root = TrustAnchor(try TestChain.root.authority())
        for anchors in [[root], [root, TrustAnchor(intermediate)], [TrustAnchor(intermediate), root]] {
            let verdict = judgment(leaf, [intermediate], anchors: anchors) {
                $0.policies.initialPolicies = OID("1.2.5").map { [$0] }
                $0.policies.requiresExplicitPolicy = true
            }
            #expect(verdict.summary == "accepted", "\(anchors.count) anchors")
        }
    }
}
