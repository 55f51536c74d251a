//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension Mutation {
    static var names: [Mutation] {
        [
            Mutation("alternative names", .leaf, of: self.alternativeNames) { certificate, names in
                certificate.set(.alternativeNames(names))
            },
            Mutation("no alternative name", .leaf) { certificate, _ in certificate.remove("2.5.29.17") },
            Mutation("empty alternative name", .leaf) { certificate, _ in certificate.set(.alternativeNames([])) },
            Mutation("critical alternative name", .leaf) { certificate, _ in
                certificate.set(.alternativeNames([.dns("www.example.com")], critical: true))
            },
            Mutation("other host") { scenario, random in
                (scenario.host, scenario.address) = random.pick([
                    ("other.example.com", nil), ("a.www.example.com", nil), ("example.com", nil),
                    ("WWW.EXAMPLE.COM", nil),
                    ("", "192.0.2.2"), ("", "2001:db8::1"), ("www.example.org", nil),
                ])
            },
            Mutation("issuer written otherwise") { scenario, random in
                let index = Int.random(in: 0..<scenario.chain.count - 1, using: &random)
                let name = "First CA"
                let subject = TestDER.name([[.o("Test")], [.cn(name)]])
                let written = random.pick([
                    TestDER.name([[.o("Test", tag: 0x13)], [TestAttribute("2.5.4.3", name, tag: 0x13)]]),
                    TestDER.name([[.o("TEST")], [.cn("first ca")]]),
                    TestDER.name([[.o(" Test ")], [.cn("First  CA")]]),
                    TestDER.name([[.o("Test"), .cn(name)]]), TestDER.name([[.cn(name)], [.o("Test")]]),
                    TestDER.name([[.o("Test", tag: 0x14)], [TestAttribute("2.5.4.3", name, tag: 0x14)]]),
                ])
                (scenario.chain[index].issuer, scenario.chain[index + 1].subject) = (written, subject)
                // A root names itself the way it is named.
                if index + 1 == scenario.chain.count - 1 { scenario.chain[index + 1].issuer = subject }
            },
            Mutation("other issuer", .any) { certificate, _ in certificate.issuer = TestDER.name([[.cn("Nobody")]]) },
            Mutation("empty issuer") { scenario, _ in
                guard scenario.chain.count > 2 else { return }
                (scenario.chain[0].issuer, scenario.chain[1].subject) = (DER.sequence(), DER.sequence())
            },
        ]
    }

    static var constraints: [Mutation] {
        [
            Mutation("permitted", .any, of: self.constraintNames) { certificate, names in
                certificate.set(.nameConstraints(permitted: names))
            },
            Mutation("excluded", .any, of: self.constraintNames) { certificate, names in
                certificate.set(.nameConstraints(excluded: names))
            },
            Mutation("permitted, not critical", .any, of: self.constraintNames) { certificate, names in
                certificate.set(.nameConstraints(permitted: names, critical: false))
            },
            Mutation("empty name constraints", .issuers) { certificate, random in
                certificate.set(
                    TestExtension(
                        "2.5.29.30", critical: true, DER.sequence(random.chance(2) ? DER.element(0xA0, []) : [])))
            },
            Mutation("minimum of name constraints", .issuers) { certificate, random in
                let minimum = DER.element(0x80, [random.pick([0, 1])])
                let subtree = DER.sequence(TestName.dns("example.com").encoded, minimum)
                certificate.set(TestExtension("2.5.29.30", critical: true, DER.sequence(DER.element(0xA0, subtree))))
            },
            Mutation("explicit policy", .any) { certificate, random in
                certificate.set(.policyConstraints(explicit: random.pick([0, 0, 1, 5])))
            },
            Mutation("policies", .any) { certificate, random in
                certificate.set(
                    .policies(random.pick([["1.2.3"], ["1.2.3", "1.2.3"], ["2.23.140.1.2.1"], ["2.5.29.32.0"]])))
            },
            Mutation("no policies", .any) { certificate, _ in certificate.remove("2.5.29.32") },
            Mutation("any policy inhibited", .issuers) { certificate, random in
                certificate.set(.inhibitAnyPolicy(random.pick([0, 1])))
            },
            Mutation("policy mappings", .issuers) { certificate, random in
                certificate.set(.policyMappings([random.pick([("1.2.3", "1.2.4"), ("2.5.29.32.0", "1.2.3")])]))
            },
        ]
    }

    private static let constraintNames: [[TestName]] = [
        [.dns("example.com")], [.dns("www.example.com")], [.dns("other.test")], [.dns(".example.com")], [.dns("com")],
        [.dns("EXAMPLE.com")], [.dns("")], [.dns("xample.com")], [.dns("a.www.example.com")], [.dns("*.example.com")],
        [.ip([192, 0, 2, 0, 255, 255, 255, 0])], [.ip([10, 0, 0, 0, 255, 0, 0, 0])],
        [.ip([192, 0, 2, 0, 255, 0, 255, 0])],
        [.ip([UInt8](repeating: 0, count: 32))], [.ip([192, 0, 2, 1])], [.email("example.com")],
        [.email("a@example.com")],
        [.uri(".example.com")], [.uri("example.com")], [.directory([[.o("Test")]])],
        [.directory([[.cn("www.example.com")]])],
        [.directory([])], [.otherName], [.registeredID], [.dns("example.com"), .email("example.com")],
    ]

    private static let alternativeNames: [[TestName]] = [
        [.dns("*.example.com")], [.dns("w*.example.com")], [.dns("*w.example.com")], [.dns("www.*.com")],
        [.dns("*.*.example.com")], [.dns("*")], [.dns("*.com")], [.dns("*.www.example.com")],
        [.dns("WWW.Example.COM")], [.dns("www.example.com.")], [.dns(".example.com")], [.dns("example.com")],
        [.dns("")], [.dns("www.example.com\0.evil.test")], [.dns("www.ex ample.com"), .dns("www.example.com")],
        [.dns("xn--mnchen-3ya.example"), .dns("www.example.com")],
        [.dnsOctets([0xC3, 0xBC, 0x2E, 0x61]), .dns("www.example.com")],
        [.dnsOctets([0xFF, 0x2E, 0x61]), .dns("www.example.com")], [.dns("_a.example.com"), .dns("www.example.com")],
        [.email("www.example.com")],
        [.uri("https://www.example.com/")], [.ip([192, 0, 2, 1])], [.ip([192, 0, 2]), .dns("www.example.com")],
        [.ip([UInt8](repeating: 0, count: 16))], [.otherName, .dns("www.example.com")],
        [.registeredID, .dns("www.example.com")],
        [.directory([[.cn("www.example.com")]])], [.email("a@b@c"), .dns("www.example.com")],
    ]
}
