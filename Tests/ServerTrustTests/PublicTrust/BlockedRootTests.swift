//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// A root that is blocked, another that is not, and the certificates of both.
private struct BlockedScene {
    let root = CraftedAuthority("Blocked root", .p256(81))
    let other = CraftedAuthority("Other root", .p256(82))
    let middle = CraftedAuthority("Middle", .p256(83))
    let rootCertificate: Certificate
    let otherCertificate: Certificate
    let middleCertificate: Certificate
    let leaf: Certificate
    let blocked: BlockedRoots

    init() throws {
        self.rootCertificate = Certificate(try self.root.authority())
        self.otherCertificate = Certificate(try self.other.authority())
        self.middleCertificate = Certificate(try self.root.authority(self.middle))
        self.leaf = Certificate(try self.middle.leaf())
        self.blocked = BlockedRoots([self.rootCertificate], source: "a test, as of 2026-01-02")
    }

    /// The blocked root's key, certified by the other root.
    func crossCertificate() throws -> Certificate { Certificate(try self.other.authority(self.root)) }

    func trust(_ sent: [Certificate], _ anchors: TrustAnchors, blocked: BlockedRoots? = nil) throws -> Trust {
        var anchors = anchors
        anchors.blockedRoots = blocked ?? self.blocked
        var trust = try Trust(
            certificates: [self.leaf] + sent, policy: .tlsServer(hostname: "www.example.com"),
            configuration: TrustConfiguration(anchors: anchors))
        trust.verifyDate = try Date("2026-06-01T00:00:00Z", strategy: .iso8601)
        return trust
    }
}

@Suite("Roots that are blocked")
struct BlockedRootTests {
    private let scene: BlockedScene

    init() throws { self.scene = try BlockedScene() }

    /// Whatever makes the root an anchor.
    private func anchors() throws -> [TrustAnchors] {
        let root = self.scene.rootCertificate
        var added = TrustAnchors.store(try TrustStore([self.scene.otherCertificate], anchorClass: .system))
        added.add(root, as: .user)
        return [
            .only([root]), .store(try TrustStore([root], anchorClass: .system)),
            .store(try TrustStore([root], anchorClass: .user)), added, .none,
        ]
    }

    @Test("A chain below a blocked root is refused for it, however the root is trusted, whether it is sent or not")
    func refused() throws {
        for anchors in try self.anchors() {
            for sent in [[self.scene.middleCertificate], [self.scene.middleCertificate, self.scene.rootCertificate]] {
                let result = try self.scene.trust(sent, anchors).evaluate()
                let failure = try #require(result.failure)
                #expect(failure.primary.code == "blocked-root")
                #expect(failure.osStatus.rawValue == -67820 && failure.primary.rules.first?.severity == .fatal)
                #expect(
                    failure.primary.message
                        == "Apple blocks the root “Blocked root” (a test, as of 2026-01-02).")
                #expect(failure.primary.certificateIndex == 2)
            }
        }
    }

    @Test("Without the list the same chains are trusted where the root is")
    func unblocked() throws {
        for anchors in try self.anchors().dropLast() {
            let trust = try self.scene.trust([self.scene.middleCertificate], anchors, blocked: .dangerouslyNone)
            #expect(trust.evaluate().isTrusted)
        }
    }

    @Test("The key of a blocked root is blocked in a certificate of another root")
    func crossCertified() throws {
        let sent = [self.scene.middleCertificate, try self.scene.crossCertificate()]
        let anchors = TrustAnchors.only([self.scene.otherCertificate])
        let failure = try #require(try self.scene.trust(sent, anchors).evaluate().failure)
        #expect(failure.primary.code == "blocked-root")
        // Without the blocked root itself as the end of another path.
        var request = ValidationRequest(time: Timestamp(try Date("2026-06-01T00:00:00Z", strategy: .iso8601)))
        request.blockedRoots = self.scene.blocked
        let set = TrustAnchorSet([TrustAnchor(self.scene.otherCertificate.view)])
        let verdict = PathValidator(request, anchors: [set]).validate(
            self.scene.leaf.view, intermediates: sent.map(\.view))
        #expect(verdict.rejections.map(\.reason.code) == ["blocked-root"])
        for case .blockedRoot(let blocked) in verdict.rejections.map(\.reason) {
            #expect(blocked.match == .key && blocked.source == "a test, as of 2026-01-02")
        }
        #expect(try self.scene.trust(sent, anchors, blocked: .dangerouslyNone).evaluate().isTrusted)
    }

    @Test("A root that is known by its fingerprint alone is blocked by key, too, once it is given")
    func fingerprintAlone() throws {
        let blocked = BlockedRoots(
            fingerprints: [self.scene.rootCertificate.sha256Fingerprint], source: "a test, as of 2026-01-02")
        let sent = [self.scene.middleCertificate, try self.scene.crossCertificate()]
        // The other root comes first, so that the path over the cross-certificate is there.
        var anchors = TrustAnchors.only([self.scene.otherCertificate])
        #expect(try self.scene.trust(sent, anchors, blocked: blocked).evaluate().isTrusted)
        anchors.blockedRoots = blocked
        var (added, stored) = (anchors, anchors)
        added.add(self.scene.rootCertificate)
        stored.add(try TrustStore([self.scene.rootCertificate]))
        // The same where the list comes with a store, before or after the certificate.
        var store = try TrustStore([self.scene.otherCertificate])
        store.blockedRoots = blocked
        var (before, after) = (TrustAnchors.store(store), TrustAnchors.only([self.scene.rootCertificate]))
        before.add(self.scene.rootCertificate)
        after.add(store)
        for anchors in [added, stored, before, after] {
            let trust = try self.scene.trust(sent, anchors, blocked: anchors.blockedRoots)
            #expect(trust.evaluate().failure?.primary.code == "blocked-root")
        }
    }

    @Test("An anchor without a certificate is blocked by its key")
    func subjectAndKey() throws {
        let root = self.scene.rootCertificate.view
        let anchor = try TrustAnchor(subject: self.scene.root.name, subjectPublicKeyInfo: self.scene.root.key.info)
        let time = Timestamp(try Date("2026-06-01T00:00:00Z", strategy: .iso8601))
        var request = ValidationRequest(time: time)
        let sent = [self.scene.middleCertificate.view]
        #expect(
            PathValidator(request, anchors: [TrustAnchorSet([anchor])]).validate(
                self.scene.leaf.view, intermediates: sent
            ).rejections.isEmpty)
        request.blockedRoots = BlockedRoots(fingerprints: [root.fingerprint], certificates: [root], source: "a test")
        let verdict = PathValidator(request, anchors: [TrustAnchorSet([anchor])]).validate(
            self.scene.leaf.view, intermediates: sent)
        #expect(verdict.rejections.map(\.reason.code) == ["blocked-root"])
    }

    @Test("A path to another root is taken where there is one")
    func otherPath() throws {
        let crossMiddle = Certificate(try self.scene.other.authority(self.scene.middle))
        for sent in [[self.scene.middleCertificate, crossMiddle], [crossMiddle, self.scene.middleCertificate]] {
            let result = try self.scene.trust(sent, .only([self.scene.otherCertificate])).evaluate()
            #expect(result.isTrusted && result.path.last == self.scene.otherCertificate)
        }
    }

    @Test("Evaluators that trust certificates of their own keep the list, and exceptions do not lift it")
    func evaluators() throws {
        let root = self.scene.rootCertificate
        let trust = try self.scene.trust([self.scene.middleCertificate], .only([root]))
        let evaluators: [ServerTrustEvaluator] = [
            .anchored([root]), .anchored([root], keepsOthers: true), .pinnedCertificates([root]), .default,
        ]
        for evaluator in evaluators {
            let decision = evaluator.evaluate(trust, forHost: "www.example.com")
            #expect(!decision.isTrusted && "\(decision.failure.map { "\($0)" } ?? "")".contains("Apple blocks"))
        }
        var excepted = trust
        excepted.setExceptions(trust.currentExceptions())
        #expect(excepted.evaluate().failure?.primary.code == "blocked-root")
    }

    @Test("Clients below a blocked root are refused, too")
    func clients() throws {
        var trust = try self.scene.trust([self.scene.middleCertificate], .only([self.scene.rootCertificate]))
        trust.policies = [.basicX509]
        #expect(trust.evaluate().failure?.primary.code == "blocked-root")
    }

    @Test("Without a list of its own an evaluation has the built-in one, or that of a store of Apple's roots")
    func defaults() throws {
        let builtIn = AppleTrustData.builtIn.blockedRoots
        #expect(builtIn.fingerprints.count == 11 && builtIn.certificates.count == 10)
        for anchors in [TrustAnchors.none, .only([self.scene.rootCertificate]), .store(try .apple(.builtIn))] {
            #expect(anchors.blockedRoots == builtIn)
        }
        let released = AppleTrustData.builtIn.dangerouslyTrustingBlockedRoots()
        #expect(TrustAnchors.store(try .apple(released)).blockedRoots == .dangerouslyNone)
        #expect(released.serverRoots.count == 146 && AppleTrustData.builtIn.serverRoots.count == 142)
        let names = Set(released.serverRoots.map(\.subjectSummary)).subtracting(
            AppleTrustData.builtIn.serverRoots.map(\.subjectSummary))
        #expect(
            names == [
                "Chambers of Commerce Root - 2008", "Global Chambersign Root - 2008", "ComSign Global Root CA",
                "NetLock Arany (Class Gold) Főtanúsítvány", "GLOBALTRUST 2020", "Security Communication ECC RootCA1",
            ])
        let added = AppleTrustData.builtIn.serverRoots.filter { !released.serverRoots.contains($0) }
        #expect(added.map(\.subjectSummary).sorted() == ["SECOM TLS ECC Root CA 2024", "SECOM TLS RSA Root CA 2024"])
    }
}
