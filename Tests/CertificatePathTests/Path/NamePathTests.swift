//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Names along a path")
struct NamePathTests {
    static let root = TestChain.root

    @Test("Names chain whatever their case, white space, string type or the order of a set")
    func chaining() throws {
        let name: [[TestAttribute]] = [
            [.c("DE")], [.o("Test  Company"), TestAttribute("2.5.4.11", "Unit")], [.cn("Authority One")],
        ]
        let issuer = CraftedAuthority(name: TestDER.name(name), .p256(12))
        let intermediate = try Self.root.authority(issuer)
        func bmp(_ text: String) -> TestAttribute {
            let octets = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            return TestAttribute("2.5.4.3", String(decoding: octets, as: UTF8.self), tag: 0x1E)
        }
        let spellings: [([[TestAttribute]], Bool)] = [
            (name, true),
            ([[.c("de")], [.o("TEST COMPANY"), TestAttribute("2.5.4.11", "unit")], [.cn(" authority   one ")]], true),
            (
                [
                    [.c("DE")], [TestAttribute("2.5.4.11", "Unit", tag: 0x13), .o("Test Company", tag: 0x13)],
                    [.cn("Authority One")],
                ], true
            ),
            ([[.c("DE")], [.o("Test  Company"), TestAttribute("2.5.4.11", "Unit")], [bmp("Authority One")]], true),
            (
                [
                    [.c("DE")], [.o("Test Company", tag: 0x16), TestAttribute("2.5.4.11", "Unit", tag: 0x14)],
                    [.cn("Authority One")],
                ], true
            ),
            ([[.c("DE")], [.o("TestCompany"), TestAttribute("2.5.4.11", "Unit")], [.cn("Authority One")]], false),
            ([[.c("DE")], [.o("Test  Company")], [TestAttribute("2.5.4.11", "Unit")], [.cn("Authority One")]], false),
            ([[.c("DE")], [.cn("Authority One")], [.o("Test  Company"), TestAttribute("2.5.4.11", "Unit")]], false),
            ([[.o("Test  Company"), TestAttribute("2.5.4.11", "Unit")], [.cn("Authority One")]], false),
            ([[.c("DE")], [.o("Test  Company"), TestAttribute("2.5.4.11", "Unit")]], false),
            ([], false),
        ]
        for (spelling, isEqual) in spellings {
            let leaf = try issuer.leaf { $0.issuer = TestDER.name(spelling) }
            let summary = judgment(leaf, [intermediate], anchors: .certificates(try Self.root.authority())).summary
            #expect(summary == (isEqual ? "accepted" : "0:unknown-issuer"), "\(spelling)")
            // The same to find an anchor.
            #expect(judgment(leaf, anchors: .certificates(intermediate)).isAccepted == isEqual)
        }
    }

    @Test("A name constraint binds the leaf and every intermediate below, at every level, the anchor's included")
    func constraints() throws {
        let wrong = TestExtension.nameConstraints(permitted: [.dns("example.org")])
        let right = TestExtension.nameConstraints(permitted: [.dns("example.com")])
        let excluding = TestExtension.nameConstraints(excluded: [.dns("example.com")])
        for item in [wrong, excluding] {
            for chain in [
                try TestChain(root: { $0.set(item) }), try TestChain(first: { $0.set(item) }),
                try TestChain(second: { $0.set(item) }),
            ] {
                for profile in ValidationProfile.standard {
                    #expect(chain.judge { $0.profile = profile }.summary == "0:name-constraints")
                }
            }
        }
        for chain in [
            try TestChain(root: { $0.set(right) }), try TestChain(first: { $0.set(right) }),
            try TestChain(second: { $0.set(right) }),
        ] {
            #expect(chain.judge().summary == "accepted")
        }
        // One above permits, another does not: both hold.
        #expect(
            try TestChain(root: { $0.set(right) }, second: { $0.set(wrong) }).judge().summary == "0:name-constraints")
        #expect(
            try TestChain(root: { $0.set(wrong) }, second: { $0.set(right) }).judge().summary == "0:name-constraints")
        #expect(
            try TestChain(second: {
                $0.set(TestExtension.nameConstraints(permitted: [.dns("example.org")], critical: false))
            }).judge().summary == "0:name-constraints")
        // On the leaf itself it binds no certificate.
        #expect(try TestChain(leaf: { $0.set(wrong) }).judge().summary == "accepted")
        // Below an anchor that is the leaf there is nothing to bind.
        let leaf = try Self.root.leaf { $0.set(wrong) }
        #expect(judgment(leaf, anchors: .certificates(leaf)).summary == "accepted")
    }

    @Test("Intermediates keep directory constraints, self-issued ones are exempt, a self-issued leaf is not")
    func directories() throws {
        let permitted: TestName = .directory([[.o("Test")], [.cn("First")]])
        let constraint = TestExtension.nameConstraints(permitted: [permitted])
        let chain = try TestChain(
            root: { $0.set(constraint) },
            leaf: { $0.subject = TestDER.name([[.o("Test")], [.cn("First")], [.cn("x")]]) })
        #expect(chain.judge().summary == "1:name-constraints")
        let root = try Self.root.authority {
            $0.set(.nameConstraints(permitted: [.directory([[.cn("www.example.com")]])]))
        }
        let new = CraftedAuthority(name: Self.root.name, .p256(42))
        let rollover = try Self.root.authority(new)
        #expect(judgment(try new.leaf(), [rollover], anchors: .certificates(root)).summary == "accepted")
        let selfIssuedLeaf = try new.leaf { $0.subject = Self.root.name }
        #expect(judgment(selfIssuedLeaf, [rollover], anchors: .certificates(root)).summary == "0:name-constraints")
    }

    @Test("A host name in the common name is no way around constraints: it names nothing")
    func commonName() throws {
        let item = TestExtension.nameConstraints(permitted: [.dns("example.org")])
        let chain = try TestChain(second: { $0.set(item) }, leaf: { $0.remove("2.5.29.17") })
        for profile in ValidationProfile.standard {
            #expect(
                chain.judge { $0.profile = profile }.has(.nameConstraints(NameConstraintViolation(.excluded))) == false)
            #expect(chain.judge { $0.profile = profile }.isAccepted == false)
        }
        #expect(chain.judge().summary == "0:name-mismatch")
    }

    @Test(
        "Constraints on forms that cannot be compared refuse everything, or the certificates with such names, by profile"
    )
    func unknownForms() throws {
        func chain(_ isCritical: Bool, names: [TestName] = []) throws -> TestChain {
            try TestChain(
                second: { $0.set(.nameConstraints(permitted: [.registeredID], critical: isCritical)) },
                leaf: { $0.set(.alternativeNames([.dns("www.example.com")] + names)) })
        }
        #expect(try chain(true).judge { $0.profile = .apple }.summary == "1:name-constraints")
        #expect(try chain(false).judge { $0.profile = .apple }.summary == "accepted")
        #expect(try chain(false, names: [.registeredID]).judge { $0.profile = .apple }.summary == "accepted")
        #expect(try chain(true).judge().summary == "accepted")
        for isCritical in [true, false] {
            #expect(try chain(isCritical, names: [.registeredID]).judge().summary == "0:name-constraints")
        }
    }

    @Test("Too many subtrees, and a leading dot, are refused where the profile says so")
    func limits() throws {
        let many = (0..<1_023).map { TestName.dns("a\($0).example") } + [.dns("example.com")]
        let chain = try TestChain(second: { $0.set(.nameConstraints(permitted: many)) })
        #expect(
            chain.judge { $0.profile = .apple }.has(
                .nameConstraints(NameConstraintViolation(.tooManySubtrees(count: 1_024)))))
        #expect(chain.judge().summary == "accepted")
        let fewer = try TestChain(second: { $0.set(.nameConstraints(permitted: Array(many.dropFirst()))) })
        #expect(fewer.judge { $0.profile = .apple }.summary == "accepted")
        let dot = try TestChain(second: { $0.set(.nameConstraints(permitted: [.dns(".example.com")])) })
        #expect(dot.judge { $0.profile = .apple }.summary == "accepted")
        #expect(dot.judge { $0.profile = .webPKI }.summary == "0:name-constraints")
    }
}
