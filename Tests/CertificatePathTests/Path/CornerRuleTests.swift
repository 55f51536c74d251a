//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Rules at their corners")
struct CornerRuleTests {
    private static let root = TestChain.root

    @Test(
        "A constraint on mail addresses is about the subject beside alternative names for Apple alone",
        arguments: ValidationProfile.standard)
    func subjectMailboxes(profile: ValidationProfile) throws {
        let issuing = CraftedAuthority("Issuing", .p256(30))
        let intermediate = try Self.root.authority(issuing) {
            $0.set(.nameConstraints(permitted: [.email("example.org")], critical: true))
        }
        let subject = TestDER.name([[.email("a@example.com")], [.cn("www.example.com")]])
        for hasNames in [true, false] {
            let leaf = try issuing.leaf {
                $0.subject = subject
                if !hasNames { $0.remove("2.5.29.17") }
            }
            let verdict = judgment(leaf, [intermediate], anchors: .certificates(try Self.root.authority())) {
                $0.profile = profile
            }
            let isConstrained = verdict.rejections.contains { $0.reason.code == "name-constraints" }
            #expect(isConstrained == (!hasNames || profile.name == "apple"), "\(profile.name), \(hasNames)")
        }
    }

    /// RFC 9608.
    private static func noRevocation(_ certificate: inout CraftedCertificate) {
        certificate.set(TestExtension("2.5.29.56", [5, 0]))
    }

    @Test("A certificate without any status needs none, its issuer does, and one that is listed is revoked")
    func noRevocationAvailable() throws {
        let issuing = CraftedAuthority("Issuing", .p256(31))
        let leaf = try issuing.leaf {
            Self.noRevocation(&$0)
            $0.serialNumber = DER.number(77)
        }
        let good = try TestRevocationList(Self.root).view()
        func verdict(_ lists: [CertificateList], issuer: Bool = false) throws -> Verdict {
            let intermediate = try Self.root.authority(issuing) { if issuer { Self.noRevocation(&$0) } }
            return judgment(leaf, [intermediate], anchors: .certificates(try Self.root.authority())) {
                $0.revocation = RevocationPolicy(.hard, lists: lists)
            }
        }
        #expect(try verdict([good]).summary == "accepted")
        #expect(try verdict([]).has(.revocationStatusUnknown(.noInformation), at: 1))
        #expect(try verdict([], issuer: true).has(.revocationStatusUnknown(.noInformation), at: 1))
        let revoking = try TestRevocationList(issuing, revoking: [DER.number(77)]).view()
        #expect(try verdict([good, revoking]).rejections.contains { $0.reason.code == "revoked" })
    }

    @Test("That there is no status is not critical", arguments: ValidationProfile.standard)
    func criticalNoStatus(profile: ValidationProfile) throws {
        let leaf = try Self.root.leaf { $0.set(TestExtension("2.5.29.56", critical: true, [5, 0])) }
        let verdict = judgment(leaf, anchors: .certificates(try Self.root.authority())) { $0.profile = profile }
        #expect(verdict.rejections.contains { $0.reason.code == "critical-extension" })
    }

    @Test("A certificate that says where its status is to be had contradicts itself if it says that it has no status")
    func contradictoryStatus() throws {
        let leaf = try Self.root.leaf {
            Self.noRevocation(&$0)
            $0.set(.distributionPoints([Point.uri("http://example.com/a.crl")]))
        }
        let verdict = judgment(leaf, anchors: .certificates(try Self.root.authority())) {
            $0.revocation = RevocationPolicy(.hard)
        }
        #expect(verdict.has(.revocationStatusUnknown(.noInformation)))
    }

    @Test(
        "Unique identifiers in a version 1 certificate are refused by all but Apple",
        arguments: [0x81, 0x82] as [UInt8])
    func uniqueIdentifiers(tag: UInt8) throws {
        for profile in ValidationProfile.standard {
            let leaf = try Self.root.leaf {
                $0.version = []
                $0.extensionField = []
                $0.uniqueIdentifiers = DER.element(tag, [0, 1])
            }
            let verdict = judgment(leaf, anchors: .certificates(try Self.root.authority())) { $0.profile = profile }
            #expect(verdict.has(.certificateRule(.conformingEncoding)) == (profile.name != "apple"), "\(profile.name)")
        }
    }

    @Test("The extension of timestamps may be critical in a response: it is known")
    func criticalTimestamps() throws {
        let serial = DER.number(4_711)
        for (type, isUnderstood) in [("1.3.6.1.4.1.11129.2.4.5", true), ("1.3.6.1.4.1.11129.2.4.6", false)] {
            var response = TestOCSPResponse()
            response.singleExtensions = [TestExtension(type, critical: true, DER.octetString([0, 0]))]
            let view = try response.view()
            let verdict = judgment(
                try testRoot.leaf { $0.serialNumber = serial }, anchors: .certificates(try testRoot.authority())
            ) { $0.revocation = RevocationPolicy(.hard, responses: [view]) }
            #expect(verdict.isAccepted == isUnderstood)
        }
    }

    @Test("A forged signature stands before what else is wrong with its certificate")
    func worstFirst() throws {
        let forger = CraftedAuthority(name: Self.root.name, .p256(666))
        let verdict = judgment(try forger.leaf(), anchors: .certificates(try Self.root.authority())) {
            $0.profile = .apple
        }
        #expect(verdict.summary == "0:bad-signature 0:key-identifier-mismatch")
    }

    @Test("One missing serverAuth is one reason", arguments: ValidationProfile.standard)
    func oneReason(profile: ValidationProfile) throws {
        let leaf = try Self.root.leaf { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.2")) }
        let verdict = judgment(
            leaf, anchors: [TrustAnchor(try Self.root.authority(), anchorClass: .system)]
        ) {
            $0.profile = profile
            $0.purposes = [PurposeRequirement(.server)]
        }
        let reasons = verdict.rejections.map(\.reason.code).filter { ["eku", "server-auth-missing"].contains($0) }
        #expect(reasons == ["eku"])
    }

    @Test("What will fail below a root that is trusted is told before it is")
    func nextReason() throws {
        let own = CraftedAuthority("www.example.com", .p256(35))
        let leaf = try own.leaf {
            $0.subject = own.name
            $0.key = own.key.info
            $0.remove("2.5.29.37")
            $0.remove("2.5.29.35")
        }
        let verdict = judgment(leaf, anchors: []) {
            $0.profile = .apple
            $0.purposes = [PurposeRequirement(.server)]
        }
        #expect(verdict.rejections.map(\.reason.code).sorted() == ["server-auth-missing", "untrusted-root"])
    }
}
