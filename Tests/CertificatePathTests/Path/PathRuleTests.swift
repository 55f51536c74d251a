//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("RFC 5280 path validation")
struct PathRuleTests {
    @Test("A path that keeps every rule is accepted by every profile", arguments: ValidationProfile.standard)
    func accepted(profile: ValidationProfile) throws {
        let chain = try TestChain()
        for anchorClass in AnchorClass.allCases {
            let verdict = chain.judge(anchorClass: anchorClass) { $0.profile = profile }
            #expect(verdict.summary == "accepted")
            #expect(verdict.names == ["www.example.com", "Second", "First", "Root"])
            #expect(verdict.anchor?.anchorClass == anchorClass)
            #expect(verdict.verifiedSignatures == 3)
        }
    }

    @Test("Validity has two ends, both inclusive, on every certificate and the anchor", arguments: 0...3)
    func validity(index: Int) throws {
        let narrow: CraftedAuthority.Change = {
            $0.notBefore = DER.utcTime("260531235900Z")
            $0.notAfter = DER.utcTime("260601000100Z")
        }
        let none: CraftedAuthority.Change = { _ in }
        func change(_ position: Int) -> CraftedAuthority.Change { position == index ? narrow : none }
        let chain = try TestChain(root: change(3), first: change(2), second: change(1), leaf: change(0))
        func summary(_ offset: Int64) -> String {
            chain.judge { $0.time = Timestamp(secondsSinceEpoch: testTime.secondsSinceEpoch + offset) }.summary
        }
        #expect(summary(-61) == "\(index):not-yet-valid")
        #expect(summary(-60) == "accepted")
        #expect(summary(60) == "accepted")
        #expect(summary(61) == "\(index):expired")
        let verdict = chain.judge { $0.time = Timestamp(secondsSinceEpoch: testTime.secondsSinceEpoch + 61) }
        let reason = RejectionReason.expired(
            notAfter: Timestamp(secondsSinceEpoch: testTime.secondsSinceEpoch + 60),
            at: Timestamp(secondsSinceEpoch: testTime.secondsSinceEpoch + 61))
        #expect(verdict.has(reason, at: index))
    }

    @Test("A signature is verified at every level", arguments: 0...2)
    func signatures(index: Int) throws {
        let forge: CraftedAuthority.Change = { $0.signer = .p256(66) }
        let none: CraftedAuthority.Change = { _ in }
        func change(_ position: Int) -> CraftedAuthority.Change { position == index ? forge : none }
        let chain = try TestChain(first: change(2), second: change(1), leaf: change(0))
        #expect(chain.judge().summary == "\(index):bad-signature")
        for profile in ValidationProfile.standard {
            #expect(chain.judge { $0.profile = profile }.isAccepted == false)
        }
    }

    @Test("Every rule about issuers holds at every level, the anchor's included", arguments: 1...3)
    func issuers(index: Int) throws {
        let faults: [(String, CraftedAuthority.Change)] = [
            ("basic-constraints-missing", { $0.remove("2.5.29.19") }),
            ("not-a-ca", { $0.set(.basicConstraints(false)) }),
            ("not-a-ca", { $0.set(.basicConstraints(false, critical: false)) }),
            ("key-usage", { $0.set(.keyUsage(0, 6)) }),
            ("key-usage", { $0.set(.keyUsage(0, critical: false)) }),
            ("critical-extension", { $0.set(TestExtension("1.2.3.4", critical: true, [])) }),
        ]
        for (code, fault) in faults {
            let none: CraftedAuthority.Change = { _ in }
            func change(_ position: Int) -> CraftedAuthority.Change { position == index ? fault : none }
            let chain = try TestChain(root: change(3), first: change(2), second: change(1))
            for profile in ValidationProfile.standard {
                let verdict = chain.judge { $0.profile = profile }
                #expect(verdict.rejections.contains { $0.certificateIndex == index && $0.reason.code == code })
            }
            #expect(chain.judge().summary == "\(index):\(code)")
        }
    }

    @Test("An authority without key usage may sign, and so may one with basic constraints that are not critical")
    func lenientIssuers() throws {
        #expect(try TestChain(second: { $0.remove("2.5.29.15") }).judge().summary == "accepted")
        #expect(
            try TestChain(second: { $0.set(.basicConstraints(true, critical: false)) }).judge().summary == "accepted")
    }

    @Test("A version 1 intermediate is no authority; a version 1 anchor is whatever it is trusted for")
    func oldVersions() throws {
        #expect(try TestChain(second: { $0.makeVersion1() }).judge().has(.oldVersionIssuer(version: 1), at: 1))
        let version2: CraftedAuthority.Change = {
            $0.makeVersion1()
            $0.version = DER.element(0xA0, DER.integer(1))
        }
        #expect(try TestChain(first: version2).judge().has(.oldVersionIssuer(version: 2), at: 2))
        #expect(try TestChain(root: { $0.makeVersion1() }).judge().summary == "accepted")
        #expect(try TestChain(root: version2).judge().summary == "accepted")
        #expect(try TestChain(leaf: { $0.makeVersion1() }).judge().summary == "0:name-mismatch")
    }

    @Test("Path length counts the intermediates below that are not self-issued, the anchor's own included")
    func pathLength() throws {
        func limit(_ length: Int) -> CraftedAuthority.Change { { $0.set(.basicConstraints(true, pathLength: length)) } }
        #expect(try TestChain(second: limit(0)).judge().summary == "accepted")
        #expect(try TestChain(first: limit(0)).judge().has(.pathLengthExceeded(limit: 0, actual: 1), at: 2))
        #expect(try TestChain(first: limit(1)).judge().summary == "accepted")
        #expect(try TestChain(root: limit(0)).judge().has(.pathLengthExceeded(limit: 0, actual: 2), at: 3))
        #expect(try TestChain(root: limit(1)).judge().summary == "3:path-length")
        #expect(try TestChain(root: limit(2)).judge().summary == "accepted")
        #expect(try TestChain(root: limit(0xFFFF_FFFF)).judge().summary == "accepted")
        // A path length without cA says nothing about paths; the missing cA is refused instead.
        #expect(
            try TestChain(first: { $0.set(.basicConstraints(false, pathLength: 0)) }).judge().summary == "2:not-a-ca")
    }

    @Test("A self-issued intermediate is not counted, a self-issued leaf never is")
    func selfIssuedPathLength() throws {
        let root = TestChain.root
        let new = CraftedAuthority(name: root.name, .p256(42))
        let rollover = try root.authority(new)
        let anchor = try root.authority { $0.set(.basicConstraints(true, pathLength: 0)) }
        #expect(judgment(try new.leaf(), [rollover], anchors: .certificates(anchor)).path.count == 3)
        #expect(judgment(try new.leaf(), [rollover], anchors: .certificates(anchor)).summary == "accepted")
        let issuer = CraftedAuthority("Issuer", .p256(12))
        let named = try root.authority(issuer) { $0.set(.basicConstraints(true, pathLength: 0)) }
        let leaf = try issuer.leaf { $0.subject = issuer.name }
        #expect(judgment(leaf, [named], anchors: .certificates(try root.authority())).summary == "accepted")
    }

    @Test("The caller's limit counts intermediates, neither leaf nor anchor nor self-issued ones")
    func maximumIntermediates() throws {
        let chain = try TestChain()
        #expect(chain.judge { $0.maximumIntermediates = 2 }.summary == "accepted")
        #expect(chain.judge { $0.maximumIntermediates = 1 }.has(.tooManyIntermediates(limit: 1, actual: 2), at: 3))
        #expect(chain.judge { $0.maximumIntermediates = 0 }.isAccepted == false)
        let new = CraftedAuthority(name: TestChain.root.name, .p256(42))
        let verdict = judgment(
            try new.leaf(), [try TestChain.root.authority(new)], anchors: .certificates(chain.root)
        ) { $0.maximumIntermediates = 0 }
        #expect(verdict.summary == "accepted")
        let anchor = try TrustAnchor(subject: TestChain.root.name, subjectPublicKeyInfo: TestChain.root.key.info)
        #expect(
            judgment(chain.leaf, [chain.first, chain.second], anchors: [anchor]) { $0.maximumIntermediates = 2 }
                .isAccepted)
        #expect(
            !judgment(chain.leaf, [chain.first, chain.second], anchors: [anchor]) { $0.maximumIntermediates = 1 }
                .isAccepted)
    }

    @Test("A critical extension that is not known refuses a leaf; one that is not critical does not")
    func criticalExtensions() throws {
        let oid = try #require(OID("1.2.3.4"))
        let chain = try TestChain(leaf: { $0.extensions.append(TestExtension("1.2.3.4", critical: true, [])) })
        for profile in ValidationProfile.standard {
            #expect(chain.judge { $0.profile = profile }.has(.unknownCriticalExtension(oid)))
        }
        #expect(try TestChain(leaf: { $0.extensions.append(TestExtension("1.2.3.4", [])) }).judge().isAccepted)
        #expect(
            try TestChain(leaf: { $0.extensions.append(TestExtension("2.5.29.99", critical: true, [])) }).judge()
                .summary == "0:critical-extension")
        let long = "2.5.29.19.1.1.1.1.1.1.1.1.1.1.1.1.1.1"
        #expect(
            try TestChain(leaf: { $0.extensions.append(TestExtension(long, critical: true, [])) }).judge().summary
                == "0:critical-extension")
    }

    @Test(
        "Critical extensions of Apple's and the Car Connectivity Consortium's are known by their arcs, and no others",
        arguments: [
            ("1.2.840.113635.100.6.1", true), ("1.2.840.113635.100.11.1", true), ("1.2.840.113635.100.12.1", true),
            ("1.2.840.113635.100.13.1", true), ("1.2.840.113635.100.15.1", true), ("1.2.840.113635.100.5.1", false),
            ("1.2.840.113635.100.6", false), ("1.2.840.113635.100", false), ("1.2.840.113635.101.6.1", false),
            ("1.3.6.1.4.1.41577.5.1", true), ("1.3.6.1.4.1.41577.5.8", true), ("1.3.6.1.4.1.41577.5.9", true),
            ("1.3.6.1.4.1.41577.5.2", false), ("1.3.6.1.4.1.41577.5.1.1", false), ("1.3.6.1.4.1.41577.5", false),
        ])
    func vendorExtensions(oid: String, isKnown: Bool) throws {
        let chain = try TestChain(leaf: { $0.extensions.append(TestExtension(oid, critical: true, [])) })
        #expect(chain.judge { $0.profile = .apple }.summary == (isKnown ? "accepted" : "0:critical-extension"))
        for profile in ValidationProfile.standard where profile != .apple {
            #expect(chain.judge { $0.profile = profile }.summary == "0:critical-extension")
        }
    }

    @Test(
        "A critical extension that is known and not processed is accepted by Apple's profile alone",
        arguments: [
            "2.5.29.18", "1.3.6.1.5.5.7.1.11", "2.5.29.16", "2.16.840.1.113730.1.1", "1.2.840.113533.7.65.0",
            "1.3.6.1.5.5.7.48.1.5",
        ])
    func unprocessed(oid: String) throws {
        let chain = try TestChain(leaf: {
            $0.extensions.append(TestExtension(oid, critical: true, DER.sequence(DER.element(0x82, [0x61]))))
        })
        for profile in ValidationProfile.standard {
            let verdict = chain.judge { $0.profile = profile }
            let isRefused = verdict.rejections.contains { $0.reason.code == "critical-extension" }
            #expect(isRefused == (profile != .apple), "\(profile.name): \(verdict.summary)")
        }
        #expect(try TestChain(leaf: { $0.extensions.append(TestExtension(oid, DER.sequence())) }).judge().isAccepted)
    }

    @Test("A critical promise of TLS features is refused by every profile unless it is enforced")
    func criticalFeatures() throws {
        let feature = TestExtension("1.3.6.1.5.5.7.1.24", critical: true, DER.sequence(DER.integer(5)))
        let chain = try TestChain(leaf: { $0.extensions.append(feature) })
        for profile in ValidationProfile.standard {
            #expect(chain.judge { $0.profile = profile }.summary == "0:critical-extension")
            let enforced = chain.judge {
                $0.profile = profile
                $0.revocation.enforcesTLSFeature = true
            }
            #expect(enforced.summary == "0:must-staple")
        }
    }

    @Test("An authority has a subject. A leaf without one is named in a critical alternative name")
    func emptySubjects() throws {
        let names = TestExtension.alternativeNames([.dns("www.example.com")], critical: true)
        let empty = DER.sequence()
        #expect(try TestChain(leaf: { $0.subject = empty }).judge().summary == "0:empty-subject")
        #expect(
            try TestChain(leaf: {
                $0.subject = empty
                $0.set(names)
            }).judge().summary == "accepted")
        #expect(
            try TestChain(leaf: {
                $0.subject = empty
                $0.set(names)
                $0.set(.basicConstraints(true))
            }).judge().summary
                == "0:empty-subject")
        let nameless = CraftedAuthority(name: empty, .p256(12))
        let issuer = try TestChain.root.authority(nameless)
        let verdict = judgment(try nameless.leaf(), [issuer], anchors: .certificates(try TestChain.root.authority()))
        #expect(verdict.summary == "1:empty-subject")
    }

    @Test("Key identifiers that contradict each other matter where the profile links by them")
    func keyIdentifiers() throws {
        let chain = try TestChain(leaf: { $0.set(.authorityKeyIdentifier([1, 2, 3])) })
        #expect(chain.judge().summary == "accepted")
        #expect(chain.judge { $0.profile = .legacy }.summary == "accepted")
        for profile in [ValidationProfile.apple, .webPKI] {
            #expect(chain.judge { $0.profile = profile }.summary == "0:key-identifier-mismatch")
            let second = try TestChain(second: { $0.set(.authorityKeyIdentifier([1])) })
            #expect(second.judge { $0.profile = profile }.summary == "1:key-identifier-mismatch")
        }
        // One of them alone links nothing.
        #expect(try TestChain(leaf: { $0.remove("2.5.29.35") }).judge { $0.profile = .apple }.summary == "accepted")
        #expect(try TestChain(second: { $0.remove("2.5.29.14") }).judge { $0.profile = .apple }.summary == "accepted")
    }
}
