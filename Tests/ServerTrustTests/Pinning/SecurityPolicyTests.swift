//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// Every way to get a policy without saying anything dangerous.
private let defaultPolicies: [(name: String, policy: @Sendable () throws -> SecurityPolicy)] = [
    ("default", { .default }),
    ("init(pinningMode: .none)", { try SecurityPolicy(pinningMode: .none) }),
    ("without pins", { try SecurityPolicy(pinningMode: .none, pinnedCertificates: []) }),
    (
        "of a key",
        { try SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: PinnedServer.all[0].roots) }
    ),
    (
        "of a certificate",
        { try SecurityPolicy(pinningMode: .certificate, pinnedCertificates: PinnedServer.all[0].roots) }
    ),
    (
        "decoded",
        { try JSONDecoder().decode(SecurityPolicy.self, from: JSONEncoder().encode(SecurityPolicy.default)) }
    ),
]

@Suite struct SecurityPolicyTests {
    @Test(arguments: defaultPolicies.indices)
    func `Every policy made without a word of danger refuses self-signed and wrongly named servers`(index: Int) throws {
        let policy = try defaultPolicies[index].policy()
        for server in PinnedServer.all where !server.isValid || !server.nameMatches {
            #expect(!policy.evaluate(try server.trust, forDomain: "www.example.com").isTrusted, "\(server)")
        }
        let genuine = PinnedServer.all[0]
        #expect(policy.evaluate(try genuine.trust, forDomain: "www.example.com").isTrusted)
        #expect(policy.evaluate(try genuine.trust, forHost: "WWW.example.com.").isTrusted)
    }

    // MARK: AFNetworking's surprises (reference: AFSecurityPolicy.m of 4.0.1)

    @Test func `Allowing everything without a pin cannot be said, nor pins without a mode, nor a mode without pins`()
        throws
    {
        let leaf = Certificate(try TestChain().leaf)
        func code(_ mode: SecurityPolicy.PinningMode, _ pins: [Certificate], _ allow: Bool) -> SecurityPolicyError.Code?
        {
            do {
                _ = try SecurityPolicy(pinningMode: mode, pinnedCertificates: pins, allowInvalidCertificates: allow)
                return nil
            } catch {
                #expect("\(error)".contains("write") || "\(error)".contains("pin "))
                return error.code
            }
        }
        #expect(code(.none, [], true) == .anythingAllowed)
        #expect(code(.none, [leaf], false) == .pinsWithoutMode)
        #expect(code(.none, [leaf], true) == .pinsWithoutMode)
        #expect(code(.publicKey, [], false) == .modeWithoutPins)
        #expect(code(.certificate, [], true) == .modeWithoutPins)
        #expect(code(.none, [], false) == nil)
    }

    @Test func `A missing domain is a refusal, not a name that is not checked`() throws {
        let server = PinnedServer.all[0]
        for cell in SecurityPolicyCell.all where cell.validatesDomain && cell.domain == nil {
            guard let policy = try? cell.policy(server, .secure) else { continue }
            let decision = policy.evaluate(try server.trust, forDomain: nil)
            #expect(decision.failure?.code == "no-host")
        }
    }

    @Test func `A common name never stands for a name, whatever is allowed`() throws {
        let leaf = try CraftedAuthority("Other", .p256(11)).leaf {
            $0.issuer = $0.subject
            $0.signer = .p256(100)
            $0.remove("2.5.29.17")
            $0.remove("2.5.29.35")
        }
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            let policy = try SecurityPolicy(
                pinningMode: mode, pinnedCertificates: [Certificate(leaf)], allowInvalidCertificates: true)
            var trust = try Trust(certificates: [Certificate(leaf)], policies: [], configuration: .only([]))
            trust.verifyDate = Date(testTime)
            #expect(!policy.evaluate(trust, forDomain: "www.example.com").isTrusted)
            #expect(!policy.evaluate(trust, forDomain: "foobar.com").isTrusted)
        }
    }

    @Test func `An evaluation changes nothing of what the caller holds`() throws {
        let server = PinnedServer.all[0]
        let trust = try server.trust
        let before = trust.evaluate()
        for cell in SecurityPolicyCell.all {
            for semantics in SecurityPolicy.Semantics.allCases {
                guard let policy = try? cell.policy(server, semantics) else { continue }
                _ = policy.evaluate(trust, forDomain: "www.example.com")
            }
        }
        #expect(trust.policies.isEmpty && trust.anchors.certificates == server.roots)
        #expect(trust.evaluate().path == before.path)
    }

    @Test func `A pinned key vouches only for what it signed, through issuers that may issue`() throws {
        // The holder of a pinned leaf's key could sign; a leaf is no authority for that.
        let chain = try TestChain()
        let minion = try CraftedAuthority(name: TestDER.name([[.cn("www.example.com")]]), .p256(100)).leaf(.p256(102))
        let policy = try SecurityPolicy(
            pinningMode: .publicKey, pinnedCertificates: [Certificate(chain.second)], allowInvalidCertificates: true)
        var trust = try Trust(
            certificates: [minion, chain.leaf, chain.second].map(Certificate.init), policies: [],
            configuration: .only([]))
        trust.verifyDate = Date(testTime)
        let decision = policy.evaluate(trust, forDomain: "www.example.com")
        #expect(!decision.isTrusted)
    }

    @Test func `What is allowed of invalid certificates is age and form, never a forgeable digest or a revoked key`()
        throws
    {
        let weak = try TestChain(leaf: { $0.setAlgorithm(.ecdsaSHA1) })
        let policy = try SecurityPolicy(
            pinningMode: .publicKey, pinnedCertificates: [Certificate(weak.second)], allowInvalidCertificates: true)
        var trust = try Trust(
            certificates: [weak.leaf, weak.second].map(Certificate.init), policies: [], configuration: .only([]))
        trust.verifyDate = Date(testTime)
        #expect(policy.evaluate(trust, forDomain: "www.example.com").failure?.code == "weak-signature")
        trust.verifyDate = Date(Timestamp(secondsSinceEpoch: 4_000_000_000))
        let fine = try TestChain()
        var late = try Trust(
            certificates: [fine.leaf, fine.second].map(Certificate.init), policies: [], configuration: .only([]))
        late.verifyDate = trust.verifyDate
        #expect(policy.evaluate(late, forDomain: "www.example.com").isTrusted)
        #expect(!policy.evaluate(late, forDomain: "other.example").isTrusted)
    }

    @Test func `Keys of unknown kinds, and chains of anything, are refused and never a crash`() throws {
        let strange = try TestChain(leaf: {
            $0.key = DER.sequence(
                DER.sequence(DER.element(6, [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x01])), DER.element(3, [0, 1, 2, 3]))
        })
        let server = PinnedServer.all[0]
        let chains = [[strange.leaf], [strange.leaf, strange.second, strange.first], [strange.leaf, strange.leaf]]
        for (cell, sent) in SecurityPolicyCell.all.flatMap({ cell in chains.map { (cell, $0) } }) {
            var trust = try Trust(
                certificates: sent.map(Certificate.init), policies: [], configuration: .only(server.roots))
            trust.verifyDate = Date(testTime)
            // Where AFNetworking crashed; what it decides otherwise is in the truth table.
            _ = try cell.policy(server, .dangerouslyLikeAFNetworking).evaluate(trust, forDomain: cell.domain)
            guard let policy = try? cell.policy(server, .secure) else { continue }
            #expect(!policy.evaluate(trust, forDomain: cell.domain).isTrusted)
        }
    }

    // MARK: Coding and copying

    @Test(arguments: SecurityPolicy.PinningMode.allCases, SecurityPolicy.Semantics.allCases)
    func `A policy comes back from coding as it was`(
        mode: SecurityPolicy.PinningMode, semantics: SecurityPolicy.Semantics
    ) throws {
        let pins = mode == .none ? [] : [Certificate(try TestChain().leaf), Certificate(try TestChain().root)]
        let policy = try SecurityPolicy(
            pinningMode: mode, pinnedCertificates: pins, allowInvalidCertificates: mode != .none,
            validatesDomainName: false, semantics: semantics)
        #expect(try JSONDecoder().decode(SecurityPolicy.self, from: JSONEncoder().encode(policy)) == policy)
        let list = try PropertyListEncoder().encode(policy)
        #expect(try PropertyListDecoder().decode(SecurityPolicy.self, from: list) == policy)
    }

    @Test(arguments: [
        "{}", #"{"SSLPinningMode":1,"allowInvalidCertificates":false,"validatesDomainName":true}"#,
        #"{"SSLPinningMode":1,"pinnedCertificates":[],"allowInvalidCertificates":false,"validatesDomainName":true}"#,
        #"{"SSLPinningMode":2,"pinnedCertificates":["AAAA"],"allowInvalidCertificates":false,"validatesDomainName":true}"#,
        #"{"SSLPinningMode":3,"pinnedCertificates":[],"allowInvalidCertificates":false,"validatesDomainName":true}"#,
        #"{"SSLPinningMode":0,"pinnedCertificates":[],"allowInvalidCertificates":true,"validatesDomainName":true}"#,
        #"{"SSLPinningMode":0,"pinnedCertificates":[],"validatesDomainName":true}"#,
        #"{"SSLPinningMode":0,"pinnedCertificates":[],"allowInvalidCertificates":false}"#,
        #"{"SSLPinningMode":"1","pinnedCertificates":[],"allowInvalidCertificates":false,"validatesDomainName":true}"#,
        #"{"SSLPinningMode":0,"pinnedCertificates":[],"allowInvalidCertificates":false,"validatesDomainName":true,"semantics":"x"}"#,
    ])
    func `A decode that loses a setting or a pin fails, and leaves no policy`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SecurityPolicy.self, from: Data(text.utf8))
        }
    }

    // MARK: Bundles

    @Test func `The certificates of a folder are its .cer, .crt and .der files in any case, in DER or PEM`() throws {
        let chain = try TestChain()
        let certificates = [chain.leaf, chain.second, chain.first, chain.root].map(Certificate.init)
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.path)
        _ = try folder.write("a.cer", certificates[0].derRepresentation)
        _ = try folder.write("b.DER", certificates[1].derRepresentation)
        _ = try folder.write("c.Crt", certificates[2].pemRepresentation + certificates[3].pemRepresentation)
        _ = try folder.write("d.pem", "nothing")
        #expect(try SecurityPolicy.certificates(in: url) == Set(certificates))
        let broken = try folder.write("e.cer", "nothing")
        #expect {
            try SecurityPolicy.certificates(in: url)
        } throws: { error in
            guard let error = error as? SecurityPolicyError, case .notACertificate(broken, _) = error.code else {
                return false
            }
            return "\(error)".contains("e.cer")
        }
        #expect(throws: SecurityPolicyError.self) {
            try SecurityPolicy.certificates(in: URL(filePath: "/nowhere/at/all"))
        }
    }

    @Test func `A mode that pins is refused where the bundle has nothing to pin`() {
        #expect(throws: SecurityPolicyError(.modeWithoutPins)) { try SecurityPolicy(pinningMode: .publicKey) }
        #expect(throws: SecurityPolicyError(.modeWithoutPins)) { try SecurityPolicy(pinningMode: .certificate) }
    }
}
