//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

private let policy = "2.23.140.1.1"
private let other = "1.2.3.4.5"
private let anyPolicy = "2.5.29.32.0"

/// A chain with extended validation in which something is changed.
struct EVChain: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var root: @Sendable (inout CraftedCertificate) -> Void = { _ in }
    var issuer: @Sendable (inout CraftedCertificate) -> Void = { _ in }
    var leaf: @Sendable (inout CraftedCertificate) -> Void = { _ in }
    var issuerKey = TestKey.p256(12)
    var hasIssuer = true
    /// The authorities whose revocation lists are at hand.
    var lists = ["Root", "Issuer"]
    var timestamps: [TestTimestamp] = [TestTimestamp(901), TestTimestamp(902)]
    var request: @Sendable (inout ValidationRequest) -> Void = { _ in }

    init(_ description: String, _ change: (inout EVChain) -> Void = { _ in }) {
        self.testDescription = description
        change(&self)
    }

    func status(policies: Set<String> = [policy]) throws -> ExtendedValidationStatus {
        let (root, issuer) = (CraftedAuthority("Root", .p256(1)), CraftedAuthority("Issuer", self.issuerKey))
        let signer = self.hasIssuer ? issuer : root
        let anchor = try root.authority(nil, self.root)
        let intermediate = try root.authority(issuer) {
            $0.set(.policies([anyPolicy]))
            $0.set(.distributionPoints([Point.uri("http://crl.example/")]))
            self.issuer(&$0)
        }
        var leaf = signer.leafTemplate {
            $0.set(.policies([policy]))
            self.leaf(&$0)
        }
        let entry = TestTimestamp.entry(leaf, issuer: signer.key)
        if !self.timestamps.isEmpty { leaf.set(.timestamps(try TestTimestamp.list(self.timestamps, entry))) }
        let lists = try zip([root, issuer], ["Root", "Issuer"]).filter { self.lists.contains($1) }
            .map { try TestRevocationList($0.0).view() }
        let server = PurposeRequirement(.server, identities: [IdentityRequirement(host: "www.example.com")])
        var request = ValidationRequest(time: testTime, purposes: [server], profile: .rfc5280)
        request.revocation = RevocationPolicy(.soft, lists: lists)
        request.transparency = TransparencyRequest(
            logs: TransparencyLogs(try [TransparencyTests.log(901), TransparencyTests.log(902)]))
        self.request(&request)
        let validator = PathValidator(request, anchors: [TrustAnchorSet([TrustAnchor(anchor, anchorClass: .system)])])
        let verdict = validator.validate(try leaf.view(), intermediates: [intermediate])
        #expect(verdict.isAccepted, "\(verdict.summary)")
        let program = ExtendedValidationProgram(policies: [anchor.fingerprint: Set(policies.compactMap { OID($0) })])
        return validator.extendedValidation(of: verdict, in: program, intermediates: [intermediate])
    }
}

@Suite("Extended validation (SecPolicyServer.c SecPolicyCheckEV)")
struct ExtendedValidationTests {
    @Test(
        "A path that breaks one rule has no extended validation",
        arguments: [
            EVChain("another policy in the leaf") { $0.leaf = { $0.set(.policies([other])) } },
            EVChain("no policy in the leaf") { $0.leaf = { $0.remove("2.5.29.32") } },
            EVChain("any policy beside it in the leaf") { $0.leaf = { $0.set(.policies([policy, anyPolicy])) } },
            EVChain("another policy in the intermediate") { $0.issuer = { $0.set(.policies([other])) } },
            EVChain("no policy in the intermediate") { $0.issuer = { $0.remove("2.5.29.32") } },
            EVChain("an intermediate without distribution points") { $0.issuer = { $0.remove("2.5.29.31") } },
            EVChain("an intermediate that signs no lists") {
                $0.issuer = { $0.set(.keyUsage(5)) }
                $0.lists = ["Root"]
            },
            EVChain("an intermediate on P-224's size: RSA of 1,024 bits") {
                $0.issuerKey = .rsa1024
                $0.request = { $0.profile = .legacy }
            },
            EVChain("a leaf of 2026 that the root signed") { $0.hasIssuer = false },
            EVChain("a root of 2020 without key usage") { $0.root = { $0.remove("2.5.29.15") } },
            EVChain("a root of 2020 that signs no lists") {
                $0.root = { $0.set(.keyUsage(5)) }
                $0.lists = ["Issuer"]
            },
            EVChain("no timestamps, where none are required") {
                $0.timestamps = []
                $0.request = { $0.transparency?.publicRoots = .fingerprints([]) }
            },
            EVChain("no request for transparency") { $0.request = { $0.transparency = nil } },
        ])
    func none(chain: EVChain) throws {
        #expect(try chain.status() == .none)
    }

    @Test(
        "A path that meets the rules, all of which are known not to be revoked, has extended validation",
        arguments: [
            EVChain("as it should be"),
            EVChain("the policy in the intermediate") { $0.issuer = { $0.set(.policies([other, policy])) } },
            EVChain("other policies in the leaf") { $0.leaf = { $0.set(.policies([other, policy])) } },
            EVChain("an intermediate of RSA") { $0.issuerKey = .rsa2048 },
            EVChain("a root of August 2006 without key usage") {
                $0.root = {
                    $0.notBefore = DER.utcTime("060831235959Z")
                    $0.remove("2.5.29.15")
                }
            },
            EVChain("no timestamps, with an old list of logs") {
                $0.timestamps = []
                $0.request = { $0.transparency?.isListCurrent = false }
            },
        ])
    func proven(chain: EVChain) throws {
        #expect(try chain.status() == .proven)
    }

    @Test("What is not known of revocation leaves it open", arguments: [["Root"], ["Issuer"], []])
    func unknown(lists: [String]) throws {
        #expect(try EVChain("lists") { $0.lists = lists }.status() == .revocationUnknown)
    }

    @Test("Roots of other policies, and roots that the program does not have, give none")
    func program() throws {
        #expect(try EVChain("of another policy").status(policies: [other]) == .none)
        #expect(try EVChain("of no policy").status(policies: []) == .none)
        #expect(try EVChain("of two").status(policies: [other, policy]) == .proven)
    }

    @Test(
        "The rules that depend on dates hold from the second on",
        arguments: [("160701000000Z", true), ("160701000001Z", false)])
    func rootSigned(notBefore: String, isProven: Bool) throws {
        let chain = EVChain("signed by the root") {
            $0.hasIssuer = false
            $0.leaf = { $0.notBefore = DER.utcTime(notBefore) }
            $0.timestamps = []
            $0.request = {
                $0.transparency?.isListCurrent = false
                $0.profile = .legacy
            }
        }
        #expect(try chain.status() == (isProven ? .proven : .none))
    }
}
