//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TestSupport
import Testing

@testable import CertificatePath

/// What each scope makes of a pin on each certificate of leaf, second, first and root.
private let scopes: [(PinRequirement.Scope, pinned: Int, summary: String)] = [
    (.path, 0, "accepted"), (.path, 1, "accepted"), (.path, 2, "accepted"), (.path, 3, "accepted"),
    (.leaf, 0, "accepted"), (.leaf, 1, "0:leaf-key-not-pinned"), (.leaf, 3, "0:leaf-key-not-pinned"),
    (.authorities, 0, "3:authority-key-not-pinned"), (.authorities, 1, "accepted"), (.authorities, 3, "accepted"),
    (.anchor, 0, "3:anchor-not-pinned"), (.anchor, 2, "3:anchor-not-pinned"), (.anchor, 3, "accepted"),
]

@Suite("Pins")
struct PinTests {
    @Test("A scope says which certificates of a path a pin may be on", arguments: scopes)
    func scope(scope: PinRequirement.Scope, pinned: Int, summary: String) throws {
        let chain = try TestChain()
        let certificate = [chain.leaf, chain.second, chain.first, chain.root][pinned]
        let byKey = PinRequirement(keyDigests: [certificate.subjectPublicKeyInfoDigest, [1]], scope: scope)
        let byBytes = PinRequirement(keyDigests: [], certificateDigests: [certificate.fingerprint], scope: scope)
        #expect(chain.judge { $0.purposes[0].pins = [byKey] }.summary == summary)
        #expect(chain.judge { $0.purposes[0].pins = [byBytes] }.summary == summary)
    }

    @Test("No pins at all refuse everything, of several requirements each must be met")
    func emptyAndSeveral() throws {
        let chain = try TestChain()
        let leaf = PinRequirement(keyDigests: [chain.leaf.subjectPublicKeyInfoDigest], scope: .leaf)
        let other = PinRequirement(keyDigests: [Array(repeating: 7, count: 32)], scope: .authorities)
        for scope in PinRequirement.Scope.allCases {
            let nothing = PinRequirement(keyDigests: [], scope: scope)
            #expect(chain.judge { $0.purposes[0].pins = [nothing] }.isAccepted == false)
        }
        #expect(chain.judge { $0.purposes[0].pins = [leaf] }.isAccepted)
        #expect(chain.judge { $0.purposes[0].pins = [leaf, other] }.summary == "3:authority-key-not-pinned")
    }

    @Test("Digests are kept as they are, and what has not 32 octets matches nothing")
    func digests() throws {
        let digests: Set<[UInt8]> = [Array(0..<32), Array(repeating: 0xFF, count: 32), Array((0..<32).reversed())]
        let pins = PinRequirement(keyDigests: digests, certificateDigests: digests)
        #expect(pins.keyDigests == digests && pins.certificateDigests == digests)
        #expect(PinRequirement(keyDigests: [[], [1], Array(repeating: 0, count: 33)]).keyDigests.isEmpty)
    }

    @Test("What is pinned is the SHA-256 digest of the SubjectPublicKeyInfo")
    func digest() throws {
        #expect(try TestChain().leaf.subjectPublicKeyInfoDigest == Array(SHA256.hash(data: TestKey.p256(100).info)))
    }

    @Test("A leaf that is its own anchor has no authorities")
    func alone() throws {
        let leaf = try TestChain().leaf
        func summary(_ scope: PinRequirement.Scope) -> String {
            judgment(leaf, anchors: .certificates(leaf)) {
                $0.purposes[0].pins = [PinRequirement(keyDigests: [leaf.subjectPublicKeyInfoDigest], scope: scope)]
            }.summary
        }
        #expect(summary(.authorities) == "0:authority-key-not-pinned")
        #expect(summary(.leaf) == "accepted")
        #expect(summary(.anchor) == "accepted")
    }

    @Test("An anchor of a name and a key has a key to pin and no certificate")
    func nameAndKey() throws {
        let chain = try TestChain()
        let anchor = try TrustAnchor(
            subject: TestChain.root.name, subjectPublicKeyInfo: TestChain.root.key.info)
        func isAccepted(_ scope: PinRequirement.Scope, _ digest: [UInt8]) -> Bool {
            judgment(chain.leaf, [chain.first, chain.second], anchors: [anchor]) {
                $0.purposes[0].pins = [PinRequirement(keyDigests: [digest], scope: scope)]
            }.isAccepted
        }
        let key = chain.root.subjectPublicKeyInfoDigest
        #expect(isAccepted(.anchor, key) && isAccepted(.authorities, key) && isAccepted(.path, key))
        #expect(!isAccepted(.leaf, key) && !isAccepted(.anchor, chain.first.subjectPublicKeyInfoDigest))
    }

    @Test("Certificates that were only sent do not count: a genuine one appended to a forged chain changes nothing")
    func appended() throws {
        let chain = try TestChain()
        let forger = CraftedAuthority("Forger", .p256(66))
        let (root, forged) = (try forger.authority(), try forger.leaf(.p256(101)))
        for genuine in [chain.leaf, chain.second, chain.first, chain.root] {
            let pins = PinRequirement(keyDigests: [genuine.subjectPublicKeyInfoDigest])
            let verdict = judgment(
                forged, [genuine, root, chain.first, chain.second], anchors: .certificates(root, chain.root)
            ) { $0.purposes[0].pins = [pins] }
            #expect(verdict.summary == "0:path-not-pinned")
        }
    }

    @Test("Of several paths one with a pin is found, though another would be chosen without")
    func search() throws {
        let chain = try TestChain()
        let other = CraftedAuthority("Other", .p256(11))
        let (otherRoot, cross) = (try other.authority(), try other.authority(TestChain.first))
        let anchors = [TrustAnchor].certificates(chain.root, otherRoot)
        for pinned in [chain.root, otherRoot] {
            let verdict = judgment(chain.leaf, [chain.second, chain.first, cross], anchors: anchors) {
                $0.purposes[0].pins = [PinRequirement(keyDigests: [pinned.subjectPublicKeyInfoDigest], scope: .anchor)]
            }
            #expect(verdict.isAccepted && verdict.path.last == pinned)
        }
    }

    @Test("A pinned root above another anchor is found, whether the anchor below it was sent or not")
    func pinnedAboveAnchor() throws {
        let chain = try TestChain()
        let pin = PinRequirement(keyDigests: [chain.root.subjectPublicKeyInfoDigest])
        func verdict(_ supplied: [CertificateView], _ anchors: [TrustAnchor]) -> Verdict {
            judgment(chain.leaf, supplied, anchors: anchors) { $0.purposes[0].pins = [pin] }
        }
        let whole = [chain.leaf, chain.second, chain.first, chain.root]
        let both = [TrustAnchor].certificates(chain.first, chain.root)
        #expect(verdict([chain.second], both).path == whole)
        #expect(verdict([chain.second, chain.first], both).path == whole)
        #expect(verdict([chain.second, chain.first, chain.root], both.reversed()).path == whole)
        #expect(verdict([], .certificates(chain.second, chain.first, chain.root)).path == whole)
        // The root alone is sent and not trusted: what is pinned counts on a path to an anchor only.
        #expect(verdict([chain.second, chain.first, chain.root], .certificates(chain.first)).isAccepted == false)
        // Without pins the path ends at the first anchor.
        #expect(judgment(chain.leaf, [chain.second], anchors: both).path == Array(whole.dropLast()))
    }

    @Test("Paths to exempt anchors need no pin, others do", arguments: AnchorClass.allCases)
    func exempt(anchorClass: AnchorClass) throws {
        var pins = PinRequirement(keyDigests: [])
        pins.exemptAnchors = [.user]
        let verdict = try TestChain().judge(anchorClass: anchorClass) { $0.purposes[0].pins = [pins] }
        #expect(verdict.isAccepted == (anchorClass == .user))
    }
}
