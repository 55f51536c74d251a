//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

@Suite("What became of everything that was given for an evaluation")
struct TrustEvidenceTests {
    private static func uses(_ trust: Trust, _ kind: TrustEvidence.Kind) -> [TrustEvidence.Use] {
        trust.evaluate().evidence.items(of: kind).map(\.use)
    }

    @Test("Certificates that were sent are used, copies, trusted already, alternatives, or strangers")
    func certificates() throws {
        let chain = try TestChain()
        let stranger = try CraftedAuthority("Stranger", .p256(77)).authority()
        let twin = try TestChain.root.authority(TestChain.second) { $0.notAfter = DER.utcTime("260520000000Z") }
        let sent = [chain.leaf, chain.second, chain.first, chain.second, chain.root, twin, stranger]
        var trust = try Trust(
            certificates: sent.map(Certificate.init), policy: .tlsServer(hostname: "www.example.com"),
            configuration: .only([Certificate(chain.root)]))
        trust.verifyDate = Date(testTime)
        #expect(
            Self.uses(trust, .certificate) == [
                .used, .used, .used, .notNeeded(.duplicate), .notNeeded(.trustedAlready), .notNeeded(.alternative),
                .notNeeded(.stranger),
            ])
    }

    @Test("Of several roots and stores the one that the path ends at is used, and counts once")
    func anchors() throws {
        let chain = try TestChain()
        let other = Certificate(try CraftedAuthority("Other", .p256(78)).authority())
        let root = Certificate(chain.root)
        let needless = TrustEvidence.Use.notNeeded(.otherAnchor)
        var trust = try TestTrust.trust(chain, anchors: .only([other, root, root]))
        #expect(Self.uses(trust, .root) == [needless, .used, .notNeeded(.duplicate)])
        trust.anchors = .store(try TrustStore([other]))
        trust.anchors.add(try TrustStore([root]))
        trust.anchors.add(try TrustStore([other, root]))
        #expect(Self.uses(trust, .store) == [needless, .used, .notNeeded(.duplicate)])
        trust.anchors.add(root)
        #expect(Self.uses(trust, .store) == [needless, .notNeeded(.duplicate), .notNeeded(.duplicate)])
        #expect(Self.uses(trust, .root) == [.used])
        trust.anchorClasses = [.system]
        #expect(Self.uses(trust, .root) == [.notNeeded(.otherClass)])
    }

    @Test("A list of another authority, and a response that ended, are told with their issuer and date")
    func revocation() throws {
        let chain = try TestChain()
        var trust = try TestTrust.trust(chain)
        let other = try TestRevocationList(CraftedAuthority("Other", .p256(78))).view()
        let own = try TestRevocationList(TestChain.second).view()
        trust.revocation = RevocationPolicy(.soft, lists: [other, own, own])
        let items = trust.evaluate().evidence.items(of: .revocationList)
        #expect(items.map(\.use) == [.notNeeded(.aboutOthers), .used, .notNeeded(.duplicate)])
        #expect(items[0].message == "not needed: its issuer, “O=Test, CN=Other”, issued no certificate of the path")
        #expect(items.map(\.code) == ["not-needed", "used", "not-needed"])
        trust.revocation.mode = .off
        #expect(Self.uses(trust, .revocationList) == Array(repeating: .notNeeded(.notChecked), count: 3))
        // Another policy looks at what the first leaves out.
        trust.policies.append(.revocation(.crlMethod))
        #expect(Self.uses(trust, .revocationList) == [.notNeeded(.aboutOthers), .used, .notNeeded(.duplicate)])
    }

    @Test("A refusal for want of a status names the list that does not tell it")
    func unknownStatus() throws {
        let chain = try TestChain()
        var trust = try TestTrust.trust(chain)
        let ended = try TestRevocationList(TestChain.second) { $0.nextUpdate = DER.utcTime("260531000000Z") }.view()
        trust.revocation = RevocationPolicy(.leaf, lists: [ended])
        let reason = try #require(trust.evaluate().failure?.primary)
        #expect(reason.code == "revocation-unknown")
        #expect(reason.unusableEvidence.map(\.position) == [0])
        #expect(reason.message.contains("revocation list (O=Test, CN=Second): it ended on 2026-05-31T00:00:00Z"))
        #expect(reason.comparison.found.contains("it ended on 2026-05-31T00:00:00Z"))
        #expect(reason.remedy.advice.hasPrefix("Get a list or response that is current"))
    }

    @Test("A stapled response that cannot be read is told with the octet")
    func unreadable() throws {
        let chain = try TestChain()
        var trust = try TestTrust.trust(chain)
        let error = #expect(throws: DERError.self) { try OCSPResponse(der: [0x02, 0x01, 0x00]) }
        trust.unreadableEvidence = [
            TrustEvidence.Item(unreadable: .stapledResponse, at: 0, try #require(error))
        ]
        let item = try #require(trust.evaluate().evidence.items(of: .stapledResponse).first)
        #expect(item.message == "unusable: it cannot be read (unexpected-tag at byte 0)")
    }

    @Test("Exceptions are used when they lift something")
    func exceptions() throws {
        let chain = try TestChain()
        var trust = try TestTrust.trust(chain, host: "other.example.com")
        trust.setExceptions(trust.currentExceptions())
        #expect(trust.evaluate().isTrusted)
        #expect(Self.uses(trust, .exceptions) == [.used])
        trust.policies = [.tlsServer(hostname: "www.example.com")]
        #expect(Self.uses(trust, .exceptions) == [.notNeeded(.nothingToLift)])
    }

    @Test("About no certificate there is no evidence and no note")
    func nothing() {
        let empty = TrustResult.empty(at: Date())
        #expect(empty.evidence.items.isEmpty)
        #expect(empty.notes.isEmpty)
    }
}
