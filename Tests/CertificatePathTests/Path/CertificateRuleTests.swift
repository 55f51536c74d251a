//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: CertificateRules
    let testDescription: String
    /// The certificates of the path that break the rule.
    let broken: [Int]
    let chain: @Sendable () throws -> TestChain

    init(
        _ rule: CertificateRules, _ description: String, at broken: [Int],
        _ chain: @escaping @Sendable () throws -> TestChain
    ) {
        self.rule = rule
        self.testDescription = description
        self.broken = broken
        self.chain = chain
    }

    private static func serial(_ octets: [UInt8], root: Bool = false) throws -> TestChain {
        let change: CraftedAuthority.Change = { $0.serialNumber = DER.element(2, octets) }
        return root ? try TestChain(root: change) : try TestChain(leaf: change)
    }

    private static func critical(_ item: TestExtension) throws -> TestChain { try TestChain(leaf: { $0.set(item) }) }

    private static func commonName(_ name: String, _ names: [TestName]) throws -> TestChain {
        try TestChain(leaf: {
            $0.subject = TestDER.name([[.cn(name)]])
            $0.set(.alternativeNames(names + [.dns("www.example.com")]))
        })
    }

    static let rfc5280: [RuleCase] = [
        RuleCase(.serialNumber, "zero", at: [0]) { try serial([0]) },
        RuleCase(.serialNumber, "zero on an anchor", at: []) { try serial([0], root: true) },
        RuleCase(.serialNumber, "negative", at: [0]) { try serial([0x80]) },
        RuleCase(.serialNumber, "negative on an anchor", at: [3]) { try serial([0xFF], root: true) },
        RuleCase(.serialNumber, "20 octets", at: []) { try serial([0] + Array(repeating: 0x91, count: 20)) },
        RuleCase(.serialNumber, "21 octets", at: [0]) { try serial(Array(repeating: 0x11, count: 21)) },
        RuleCase(.authorityKeyIdentifier, "missing on the leaf", at: [0]) {
            try TestChain(leaf: { $0.remove("2.5.29.35") })
        },
        RuleCase(.authorityKeyIdentifier, "without a key identifier", at: [0]) {
            try TestChain(leaf: { $0.set(TestExtension("2.5.29.35", DER.sequence())) })
        },
        RuleCase(.authorityKeyIdentifier, "missing on an intermediate", at: [2]) {
            try TestChain(first: { $0.remove("2.5.29.35") })
        },
        RuleCase(.authorityKeyIdentifier, "missing on the root", at: []) {
            try TestChain(root: { $0.remove("2.5.29.35") })
        },
        RuleCase(.subjectKeyIdentifier, "missing on an intermediate", at: [1]) {
            try TestChain(second: { $0.remove("2.5.29.14") })
        },
        RuleCase(.subjectKeyIdentifier, "missing on the root", at: [3]) {
            try TestChain(root: { $0.remove("2.5.29.14") })
        },
        RuleCase(.criticality, "critical AKI", at: [0]) {
            try critical(.authorityKeyIdentifier(TestChain.second.key.identifier, critical: true))
        },
        RuleCase(.criticality, "critical SKI", at: [0]) { try critical(.subjectKeyIdentifier([1], critical: true)) },
        RuleCase(.criticality, "critical AIA", at: [0]) {
            try critical(
                TestExtension(
                    "1.3.6.1.5.5.7.1.1", critical: true,
                    DER.sequence(DER.sequence(DER.oid("1.2.3"), TestName.uri("http://a").encoded))))
        },
        RuleCase(.criticality, "policy constraints not critical", at: [1]) {
            try TestChain(second: { $0.set(TestExtension("2.5.29.36", DER.sequence([0x80, 1, 9]))) })
        },
        RuleCase(.criticality, "inhibitAnyPolicy not critical", at: [1]) {
            try TestChain(second: { $0.set(TestExtension("2.5.29.54", DER.integer(1))) })
        },
        RuleCase(.criticality, "inhibitAnyPolicy critical", at: []) {
            try TestChain(second: { $0.set(.inhibitAnyPolicy(1)) })
        },
        RuleCase(.nameConstraintsOnAuthoritiesOnly, "on the leaf", at: [0]) {
            try critical(.nameConstraints(permitted: [.dns("a")]))
        },
        RuleCase(.nameConstraintsOnAuthoritiesOnly, "on an authority", at: []) {
            try TestChain(second: { $0.set(.nameConstraints(permitted: [.dns("example.com")])) })
        },
        RuleCase(.keyCertSignOnAuthoritiesOnly, "on the leaf", at: [0]) { try critical(.keyUsage(0, 5)) },
        RuleCase(.pathLengthOnAuthoritiesOnly, "on the leaf", at: [0]) {
            try critical(.basicConstraints(false, pathLength: 0))
        },
        RuleCase(.criticalBasicConstraints, "not critical", at: [2]) {
            try TestChain(first: { $0.set(.basicConstraints(true, critical: false)) })
        },
        RuleCase(.criticalBasicConstraints, "not critical on the leaf", at: []) {
            try critical(.basicConstraints(false, critical: false))
        },
    ]

    static let web: [RuleCase] = [
        RuleCase(.keyUsageOnAuthorities, "missing", at: [1]) { try TestChain(second: { $0.remove("2.5.29.15") }) },
        RuleCase(.keyUsageOnAuthorities, "missing on the leaf", at: []) {
            try TestChain(leaf: { $0.remove("2.5.29.15") })
        },
        RuleCase(.version3, "version 1 root", at: [3]) { try TestChain(root: { $0.makeVersion1() }) },
        RuleCase(.webExtendedKeyUsage, "on the root", at: [3]) {
            try TestChain(root: { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1")) })
        },
        RuleCase(.webExtendedKeyUsage, "on an intermediate", at: []) {
            try TestChain(first: { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1")) })
        },
        RuleCase(.webExtendedKeyUsage, "critical", at: [0]) {
            try critical(.extendedKeyUsage("1.3.6.1.5.5.7.3.1", critical: true))
        },
        RuleCase(.authorityKeyIdentifierWithoutIssuer, "names a certificate", at: [0]) {
            try critical(
                TestExtension(
                    "2.5.29.35",
                    DER.sequence(
                        DER.element(0x80, TestChain.second.key.identifier),
                        DER.element(0xA1, TestName.dns("a").encoded), DER.element(0x82, [1]))))
        },
        RuleCase(.subjectAlternativeName, "critical beside a subject", at: [0]) {
            try critical(.alternativeNames([.dns("www.example.com")], critical: true))
        },
        RuleCase(.subjectAlternativeName, "critical without a subject", at: []) {
            try TestChain(leaf: {
                $0.subject = DER.sequence()
                $0.set(.alternativeNames([.dns("www.example.com")], critical: true))
            })
        },
        RuleCase(.commonNameInSubjectAlternativeName, "in another case", at: [0]) {
            try commonName("WWW.example.com", [])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "as a U-label", at: [0]) {
            try commonName("bücher.example", [.dns("xn--bcher-kva.example")])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "the A-label", at: []) {
            try commonName("xn--bcher-kva.example", [.dns("xn--bcher-kva.example")])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "something else", at: [0]) {
            try commonName("Example Company", [])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address that is there", at: []) {
            try commonName("192.0.2.1", [.ip([192, 0, 2, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address that is not", at: [0]) {
            try commonName("192.0.2.1", [])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address in hexadecimal", at: [0]) {
            try commonName("0xc0.0.2.0x1", [.ip([192, 0, 2, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address of version 6", at: []) {
            try commonName("2001:db8::1", [.ip([0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address of version 6 in long", at: [0]) {
            try commonName("2001:db8:0::1", [.ip([0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address in one number", at: [0]) {
            try commonName("3221225985", [.ip([192, 0, 2, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address with octal parts", at: [0]) {
            try commonName("0300.0.2.1", [.ip([192, 0, 2, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address with leading zeros", at: [0]) {
            try commonName("192.000.002.001", [.ip([192, 0, 2, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "an address in upper case", at: [0]) {
            try commonName("2001:DB8::1", [.ip([0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "what ends in a number", at: [0]) {
            try commonName("appliance 2.0", [])
        },
        RuleCase(.commonNameInSubjectAlternativeName, "another host", at: [0]) {
            try commonName("other.example.org", [])
        },
        RuleCase(.webExtendedKeyUsage, "anyExtendedKeyUsage on a server", at: [0]) {
            try TestChain(leaf: { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1", "2.5.29.37.0")) })
        },
        RuleCase(.preferredNameSyntax, "an underscore", at: [0]) { try commonName("x", [.dns("a_b.example.com")]) },
        RuleCase(.preferredNameSyntax, "a dot at the end", at: [0]) { try commonName("x", [.dns("a.example.com.")]) },
        RuleCase(.preferredNameSyntax, "a part of a label", at: [0]) { try commonName("x", [.dns("w*.example.com")]) },
        RuleCase(.preferredNameSyntax, "an address of three octets", at: [0]) {
            try commonName("x", [.ip([192, 0, 2])])
        },
        RuleCase(.preferredNameSyntax, "an address with its mask", at: [0]) {
            try commonName("x", [.ip([192, 0, 2, 0, 255, 255, 255, 0])])
        },
        RuleCase(.preferredNameSyntax, "an address", at: []) { try commonName("x", [.ip([192, 0, 2, 1])]) },
        RuleCase(.preferredNameSyntax, "a wildcard", at: []) { try commonName("x", [.dns("*.example.com")]) },
        RuleCase(.rootAuthorityKeyIdentifier, "another key's", at: [3]) {
            try TestChain(root: { $0.set(.authorityKeyIdentifier([1, 2, 3])) })
        },
        RuleCase(.rootAuthorityKeyIdentifier, "without a key identifier", at: [3]) {
            try TestChain(root: { $0.set(TestExtension("2.5.29.35", DER.sequence())) })
        },
        RuleCase(.signatureParameters, "NULL beside ECDSA", at: [0]) {
            let null = DER.sequence(DER.oid("1.2.840.10045.4.3.2"), [5, 0])
            return try TestChain(leaf: { ($0.innerAlgorithm, $0.outerAlgorithm) = (null, null) })
        },
        RuleCase(.knownPolicyQualifiers, "an unknown qualifier in critical policies", at: [0]) {
            try critical(
                TestExtension(
                    "2.5.29.32", critical: true,
                    DER.sequence(
                        DER.sequence(DER.oid("1.2.3"), DER.sequence(DER.sequence(DER.oid("1.2.3.4"), [5, 0]))))))
        },
        RuleCase(.knownPolicyQualifiers, "a pointer to a statement in critical policies", at: []) {
            try critical(
                TestExtension(
                    "2.5.29.32", critical: true,
                    DER.sequence(
                        DER.sequence(
                            DER.oid("1.2.3"),
                            DER.sequence(
                                DER.sequence(DER.oid("1.3.6.1.5.5.7.2.1"), DER.element(0x16, Array("http://a".utf8))))))
                ))
        },
    ]

    /// What readers refuse under every profile but Apple's.
    static let readers: [RuleCase] = [
        RuleCase(.distinctPolicies, "a policy twice", at: [0]) {
            try critical(.policies(["1.2.3", "1.2.4", "1.2.3"]))
        },
        RuleCase(.identicalSignatureAlgorithms, "NULL on one side of RSA", at: [0]) {
            try algorithm(inner: "1.2.840.113549.1.1.11", nil, outer: [5, 0])
        },
        RuleCase(.identicalSignatureAlgorithms, "NULL on the other side of RSA", at: [0]) {
            try algorithm(inner: "1.2.840.113549.1.1.11", [5, 0], outer: nil)
        },
        RuleCase(.conformingEncoding, "padding bits set in a key usage", at: [0]) {
            try critical(TestExtension("2.5.29.15", critical: true, DER.element(3, [5, 0xA1])))
        },
        RuleCase(.conformingEncoding, "a key usage of bits that are not set", at: [0]) {
            try critical(TestExtension("2.5.29.15", critical: true, DER.element(3, [0, 0])))
        },
        RuleCase(.conformingEncoding, "a key usage of two octets that are not set", at: [0]) {
            try critical(TestExtension("2.5.29.15", critical: true, DER.element(3, [7, 0, 0])))
        },
    ]

    private static func algorithm(inner oid: String, _ inner: [UInt8]?, outer: [UInt8]?) throws -> TestChain {
        try TestChain(
            second: { $0.key = TestKey.rsa2048.info },
            leaf: {
                $0.signer = .rsa2048
                $0.algorithm = .rsaSHA256
                $0.set(.authorityKeyIdentifier([]))
                $0.remove("2.5.29.35")
                $0.innerAlgorithm = DER.sequence(DER.oid(oid), inner ?? [])
                $0.outerAlgorithm = DER.sequence(DER.oid(oid), outer ?? [])
            })
    }
}

@Suite("Rules on the form of certificates")
struct CertificateRuleTests {
    @Test(
        "A certificate that breaks a rule is refused where the profile has it, and only there",
        arguments: RuleCase.rfc5280 + RuleCase.web)
    func rules(example: RuleCase) throws {
        let chain = try example.chain()
        let verdict = chain.judge { $0.profile.certificateRules = example.rule }
        let expected = example.broken.map { "\($0):certificate-rule" }.joined(separator: " ")
        #expect(verdict.summary == (expected.isEmpty ? "accepted" : expected))
        for rejection in verdict.rejections { #expect(rejection.reason == .certificateRule(example.rule)) }
        #expect(chain.judge().summary == "accepted")
    }

    @Test("A critical subject information access breaks the rule on criticality, and is not processed either")
    func criticalSubjectInformationAccess() throws {
        let item = TestExtension("1.3.6.1.5.5.7.1.11", critical: true, DER.sequence())
        let verdict = try TestChain(leaf: { $0.set(item) }).judge { $0.profile.certificateRules = .criticality }
        #expect(verdict.has(.certificateRule(.criticality)))
        #expect(verdict.summary == "0:critical-extension 0:certificate-rule")
    }

    @Test("What readers must refuse breaks a rule of every profile but Apple's", arguments: RuleCase.readers)
    func readers(example: RuleCase) throws {
        let chain = try example.chain()
        for profile in ValidationProfile.standard {
            let verdict = chain.judge { $0.profile = profile }
            let isBroken = verdict.has(.certificateRule(example.rule))
            #expect(isBroken == (profile != .apple), "\(profile.name): \(verdict.summary)")
            if profile == .apple { #expect(verdict.summary == "accepted") }
        }
    }

    @Test("An issuer without a name breaks a rule of its own")
    func emptyIssuer() throws {
        let nameless = CraftedAuthority(name: DER.sequence(), .p256(12))
        let anchor = try nameless.authority()
        let verdict = judgment(try nameless.leaf(), anchors: .certificates(anchor)) {
            $0.profile.certificateRules = .nonEmptyIssuer
        }
        #expect(verdict.has(.certificateRule(.nonEmptyIssuer)))
    }

    @Test("A server's certificate without alternative names breaks a rule, whatever names are asked for")
    func alternativeNames() throws {
        let verdict = try TestChain(leaf: { $0.remove("2.5.29.17") }).judge {
            $0.purposes = [PurposeRequirement(.server)]
            $0.profile.certificateRules = .subjectAlternativeName
        }
        #expect(verdict.summary == "0:certificate-rule")
        #expect(
            try TestChain(leaf: { $0.remove("2.5.29.17") }).judge {
                $0.purposes = [PurposeRequirement(.client)]
                $0.purposes[0].identities = []
                $0.profile.certificateRules = .subjectAlternativeName
            }.summary == "0:eku")
    }

    @Test("A path length without keyCertSign breaks a rule on an authority too")
    func pathLength() throws {
        let verdict = try TestChain(second: {
            $0.set(.basicConstraints(true, pathLength: 0))
            $0.set(.keyUsage(6))
        })
        .judge { $0.profile.certificateRules = .pathLengthOnAuthoritiesOnly }
        #expect(verdict.has(.certificateRule(.pathLengthOnAuthoritiesOnly), at: 1))
    }

    @Test("The profile of the web has every rule but key usage on authorities, which roots older than it lack")
    func webRules() {
        let all = CertificateRules(rawValue: (1 << 24) - 1)
        #expect(ValidationProfile.webPKI.certificateRules == all.subtracting(.keyUsageOnAuthorities))
        #expect(ValidationProfile.apple.certificateRules.isEmpty)
        #expect([ValidationProfile.rfc5280, .legacy].allSatisfy { $0.certificateRules == .readers })
        #expect(ValidationProfile.webPKI.certificateRules.isSuperset(of: .rfc5280))
        #expect(ValidationProfile.rfc5280Strict.certificateRules == .rfc5280)
    }
}
