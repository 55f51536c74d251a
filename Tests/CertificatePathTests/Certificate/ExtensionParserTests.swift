//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// Values of one kind of extension.
struct ExtensionCase: Sendable, CustomTestStringConvertible {
    let kind: ExtensionKind
    let good: [[UInt8]]
    let bad: [[UInt8]]
    var testDescription: String { "\(self.kind)" }

    init(_ kind: ExtensionKind, good: [[UInt8]], bad: [[UInt8]]) {
        self.kind = kind
        self.good = good
        self.bad = bad
    }

    private static let name = TestName.dns("a.example").encoded
    private static let extra: [UInt8] = [5, 0]
    private static let uri = TestName.uri("http://a.example").encoded

    static let all: [ExtensionCase] = [
        ExtensionCase(
            .authorityKeyIdentifier,
            good: [
                DER.sequence(), DER.sequence(DER.element(0x80, [1])),
                DER.sequence(DER.element(0x80, [1]), DER.element(0xA1, name), DER.element(0x82, [1])),
                DER.sequence(DER.element(0xA1, name), DER.element(0x82, [1])),
            ],
            bad: [
                [], DER.set(), DER.sequence() + extra, DER.sequence(DER.element(0x80, [1]), extra),
                DER.sequence(DER.element(0xA1, name)), DER.sequence(DER.element(0x82, [1])),
                DER.sequence(DER.element(0xA1, []), DER.element(0x82, [1])),
                DER.sequence(DER.element(0xA1, [0x89, 0]), DER.element(0x82, [1])),
            ]),
        ExtensionCase(
            .subjectKeyIdentifier, good: [DER.octetString([1]), DER.octetString([])],
            bad: [[], [1, 2, 3], DER.integer(1), DER.octetString([1]) + extra]),
        ExtensionCase(
            .keyUsage,
            good: [
                DER.bitString([0x80]), DER.element(3, [7, 0x80]), DER.element(3, [7, 0x06, 0x80]),
                // Padding that is set breaks a rule on the form of certificates.
                DER.element(3, [1, 0x81]),
            ],
            bad: [
                [], DER.octetString([1]), DER.element(3, [0]), DER.element(3, []), DER.element(3, [8, 0]),
                DER.bitString([0, 0, 0]), DER.bitString([0x80]) + extra,
            ]),
        ExtensionCase(
            .certificatePolicies,
            good: [
                DER.sequence(DER.sequence(DER.oid("1.2.3"))),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), DER.sequence(DER.oid("1.2.4")))),
            ],
            bad: [
                [], DER.sequence(), DER.sequence(DER.oid("1.2.3")), DER.sequence(DER.sequence()),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), extra)),
                DER.sequence(DER.sequence(DER.oid("1.2.3"))) + extra,
            ]),
        ExtensionCase(
            .policyMappings, good: [DER.sequence(DER.sequence(DER.oid("1.2.3"), DER.oid("1.2.4")))],
            bad: [
                [], DER.sequence(), DER.sequence(DER.sequence(DER.oid("1.2.3"))),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), DER.oid("1.2.4"), extra)),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), DER.oid("1.2.4"))) + extra,
            ]),
        ExtensionCase(
            .subjectAlternativeName,
            good: [DER.sequence(name), DER.sequence(name, uri), DER.sequence(DER.element(0xA6, DER.ia5("http://a")))],
            bad: [
                [], DER.sequence(), name, DER.sequence(name) + extra, DER.sequence([0x89, 0]), DER.sequence([0x80, 0]),
                DER.sequence([0xA2, 0]), DER.sequence([0x84, 0]), DER.sequence(DER.element(0xA4, [])),
                DER.sequence(DER.element(0xA4, DER.sequence(DER.set()))),
                DER.sequence(DER.element(0xA4, DER.sequence() + extra)),
                DER.sequence(DER.element(0xA6, DER.ia5("a") + extra)), DER.sequence(DER.element(0xA6, DER.utf8("a"))),
                DER.sequence([0x82, 5, 0x61]),
            ]),
        ExtensionCase(.issuerAlternativeName, good: [DER.sequence(name), []], bad: []),
        ExtensionCase(
            .basicConstraints,
            good: [
                DER.sequence(), DER.sequence([1, 1, 0xFF]), DER.sequence([1, 1, 0]),
                DER.sequence([1, 1, 0xFF], DER.integer(0)),
                DER.sequence(DER.integer(0)), DER.sequence([1, 1, 0xFF], DER.number(0xFFFF_FFFF)),
            ],
            bad: [
                [], DER.set(), DER.sequence([1, 1, 1]), DER.sequence([1, 1, 0xFF], [2, 1, 0xFF]),
                DER.sequence([1, 1, 0xFF], [2, 2, 0, 1]), DER.sequence([1, 1, 0xFF], DER.number(0x1_0000_0000)),
                DER.sequence([1, 1, 0xFF], DER.integer(0), extra), DER.sequence() + extra,
                DER.sequence([1, 1, 0xFF], extra),
                DER.sequence(DER.integer(0), [1, 1, 0xFF]),
            ]),
        ExtensionCase(
            .nameConstraints,
            good: [
                TestDER.nameConstraints(permitted: [.dns("a")]), TestDER.nameConstraints(excluded: [.dns("a")]),
                DER.sequence(DER.element(0xA0, DER.sequence(name, [0x80, 1, 0]))),
            ],
            bad: [
                [], DER.sequence(), DER.sequence(DER.element(0xA0, [])),
                DER.sequence(DER.element(0xA0, DER.sequence())),
                DER.sequence(DER.element(0xA0, DER.sequence(name, [0x80, 1, 1]))),
                DER.sequence(DER.element(0xA0, DER.sequence(name, [0x81, 1, 1]))),
                DER.sequence(DER.element(0xA0, DER.sequence(name, [0x80, 1, 0], [0x81, 1, 1]))),
                DER.sequence(DER.element(0xA1, DER.sequence(name)), DER.element(0xA0, DER.sequence(name))),
                TestDER.nameConstraints(permitted: [.dns("a")]) + extra,
                DER.sequence(DER.element(0xA2, DER.sequence(name))),
            ]),
        ExtensionCase(
            .policyConstraints,
            good: [
                DER.sequence([0x80, 1, 0]), DER.sequence([0x81, 1, 0]), DER.sequence([0x80, 1, 0], [0x81, 1, 0]),
            ],
            bad: [
                [], DER.sequence(), DER.sequence([0x80, 1, 0xFF]), DER.sequence([0x81, 1, 0], [0x80, 1, 0]),
                DER.sequence([0x82, 1, 0]), DER.sequence([0x80, 0]), DER.sequence([0x80, 1, 0]) + extra,
            ]),
        ExtensionCase(
            .extendedKeyUsage,
            good: [DER.sequence(DER.oid("1.2.3")), DER.sequence(DER.oid("1.2.3"), DER.oid("1.2.4"))],
            bad: [
                [], DER.sequence(), DER.sequence(DER.integer(1)), DER.sequence(DER.oid("1.2.3")) + extra,
                DER.oid("1.2.3"),
            ]),
        ExtensionCase(
            .crlDistributionPoints,
            good: [
                DER.sequence(DER.sequence(DER.element(0xA0, DER.element(0xA0, uri)))),
                DER.sequence(DER.sequence(DER.element(0xA0, DER.element(0xA1, [])))),
                DER.sequence(DER.sequence(DER.element(0xA2, name))),
                DER.sequence(
                    DER.sequence(DER.element(0xA0, DER.element(0xA0, uri)), [0x81, 2, 0, 1], DER.element(0xA2, name))),
            ],
            bad: [
                [], DER.sequence(), DER.sequence(DER.sequence()), DER.sequence(DER.sequence([0x81, 2, 0, 1])),
                DER.sequence(DER.sequence(DER.element(0xA0, DER.element(0xA0, [])))),
                DER.sequence(DER.sequence(DER.element(0xA0, DER.element(0xA2, uri)))),
                DER.sequence(DER.sequence(DER.element(0xA0, DER.element(0xA0, uri) + extra))),
                DER.sequence(DER.sequence(DER.element(0xA2, []))),
                DER.sequence(DER.sequence(DER.element(0xA2, name), extra)),
            ]),
        ExtensionCase(
            .inhibitAnyPolicy, good: [DER.integer(0), DER.number(1_000)],
            bad: [[], [2, 1, 0xFF], DER.integer(0) + extra, DER.octetString([0]), [2, 2, 0, 0]]),
        ExtensionCase(
            .authorityInformationAccess, good: [DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1"), uri))],
            bad: [
                [], DER.sequence(), DER.sequence(DER.sequence()), DER.sequence(DER.sequence(DER.oid("1.2.3"))),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), uri, extra)),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), [0x89, 0])),
            ]),
        ExtensionCase(.subjectInformationAccess, good: [DER.sequence(), []], bad: []),
        ExtensionCase(.privateKeyUsagePeriod, good: [DER.sequence(), []], bad: []),
        ExtensionCase(.netscapeCertificateType, good: [DER.bitString([0x40]), []], bad: []),
        ExtensionCase(.entrustVersionInformation, good: [DER.sequence(), []], bad: []),
        ExtensionCase(.noRevocationAvailable, good: [[5, 0]], bad: [[], [5, 1, 0], [5, 0, 5, 0], [4, 0]]),
        ExtensionCase(.ocspNoCheck, good: [[5, 0], []], bad: []),
        ExtensionCase(
            .qualifiedCertificateStatements,
            good: [
                DER.sequence(DER.sequence(DER.oid("0.4.0.1862.1.1"))),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), extra)),
                DER.sequence(DER.sequence(DER.oid("0.4.0.1862.1.6"), DER.sequence(DER.oid("0.4.0.1862.1.6.3")))),
            ],
            bad: [
                [], DER.sequence(), DER.sequence(DER.sequence()),
                DER.sequence(DER.sequence(DER.oid("1.2.3"), extra, extra)),
                DER.sequence(DER.sequence(DER.oid("0.4.0.1862.1.6"), DER.sequence())),
                DER.sequence(
                    DER.sequence(DER.oid("0.4.0.1862.1.6"), DER.sequence(DER.oid("1.2.3"), DER.oid("1.2.4")))),
            ]),
        ExtensionCase(
            .tlsFeature, good: [DER.sequence(DER.integer(5)), DER.sequence()],
            bad: [[], DER.integer(5), DER.sequence(DER.oid("1.2.3")), DER.sequence(DER.integer(5)) + extra]),
    ]
}

@Suite("Extensions")
struct ExtensionParserTests {
    @Test("There is a case for every kind")
    func everyKind() {
        #expect(Set(ExtensionCase.all.map(\.kind)) == Set(ExtensionKind.allCases))
    }

    @Test("Every kind is found by its identifier, and no other", arguments: ExtensionKind.allCases)
    func identifiers(kind: ExtensionKind) throws {
        let contents = kind.objectIdentifier.contents
        #expect(try Self.kind(of: contents) == kind)
        #expect(try Self.kind(of: contents + [1]) == nil)
        #expect(try Self.kind(of: Array(contents.dropLast()) + [0x81, 0x01]) == nil)
        #expect(try Self.kind(of: Array(contents.dropLast())) == nil)
    }

    private static func kind(of identifier: [UInt8]) throws -> ExtensionKind? {
        let der = DER.element(0x06, identifier)
        var reader = DERReader(all: der.span)
        return try reader.extensionIdentifier(in: der.span).kind
    }

    @Test(
        "Extended key usages are known by their identifiers",
        arguments: [
            ("1.3.6.1.5.5.7.3.1", .serverAuth), ("1.3.6.1.5.5.7.3.2", .clientAuth), ("1.3.6.1.5.5.7.3.9", .ocspSigning),
            ("2.5.29.37.0", .any), ("1.3.6.1.4.1.311.10.3.3", .microsoftServerGatedCrypto),
            ("2.16.840.1.113730.4.1", .netscapeServerGatedCrypto), ("1.3.6.1.5.5.7.3.3", .other),
        ] as [(String, ExtendedKeyUsageFlags)])
    func usages(oid: String, flag: ExtendedKeyUsageFlags) throws {
        #expect(ExtendedKeyUsageFlags(PackedOID(try #require(OID(oid)).contents)) == flag)
    }

    @Test("A known extension of the right form is read, and is not unknown when critical", arguments: ExtensionCase.all)
    func good(example: ExtensionCase) throws {
        for value in example.good {
            for isCritical in [false, true] {
                let item = TestExtension("\(example.kind.objectIdentifier)", critical: isCritical, value)
                let certificate = try TestChain.second.leaf { $0.extensions = [item] }
                #expect(certificate.has(example.kind))
                #expect(certificate.fields.extensions.isCritical(example.kind) == isCritical)
                #expect(certificate.fields.extensions.firstMalformed == nil, "\(value)")
                #expect(certificate.fields.extensions.unknownCritical.isEmpty)
            }
        }
    }

    @Test("One of another form ends parsing when critical, and the path when not", arguments: ExtensionCase.all)
    func bad(example: ExtensionCase) throws {
        for value in example.bad {
            let oid = "\(example.kind.objectIdentifier)"
            #expect(
                try parsingError { $0.set(TestExtension(oid, critical: true, value)) } == .malformedCriticalExtension,
                "\(value)")
            let chain = try TestChain(leaf: { $0.set(TestExtension(oid, value)) })
            for profile in ValidationProfile.standard {
                let verdict = chain.judge { $0.profile = profile }
                #expect(verdict.has(.malformedExtension(example.kind.objectIdentifier)), "\(value)")
            }
        }
    }

    @Test("An extension with more elements than any has is malformed")
    func elements() throws {
        let usages = (0..<4_097).map { DER.oid("1.2.3.\($0)") }
        let good = try TestChain.second.leaf { $0.set(TestExtension("2.5.29.37", DER.list(usages.dropLast()))) }
        #expect(good.fields.extensions.firstMalformed == nil)
        for (oid, value) in [
            ("2.5.29.37", DER.list(usages)), ("2.5.29.32", DER.list(usages.map { DER.sequence($0) })),
            ("2.5.29.33", DER.list(usages.map { DER.sequence($0, $0) })),
            ("2.5.29.31", DER.list(usages.map { _ in DER.sequence(DER.element(0xA2, TestName.dns("a").encoded)) })),
            ("1.3.6.1.5.5.7.1.1", DER.list(usages.map { DER.sequence($0, TestName.dns("a").encoded) })),
            ("1.3.6.1.5.5.7.1.3", DER.list(usages.map { DER.sequence($0) })),
            ("1.3.6.1.5.5.7.1.24", DER.list(usages.map { _ in DER.integer(5) })),
        ] {
            let certificate = try TestChain.second.leaf { $0.set(TestExtension(oid, value)) }
            #expect(certificate.fields.extensions.firstMalformed?.objectIdentifier.description == oid)
        }
    }

    @Test("Key usage bits are the named ones", arguments: 0..<9)
    func keyUsageBits(bit: Int) throws {
        let certificate = try TestChain.second.leaf { $0.set(.keyUsage(bit)) }
        #expect(certificate.keyUsage == KeyUsage(rawValue: 1 << UInt16(bit)))
        let table: [KeyUsage] = [
            .digitalSignature, .contentCommitment, .keyEncipherment, .dataEncipherment, .keyAgreement, .keyCertSign,
            .cRLSign, .encipherOnly, .decipherOnly,
        ]
        #expect(certificate.keyUsage == table[bit])
        #expect(try TestChain.second.leaf { $0.remove("2.5.29.15") }.keyUsage == nil)
    }

    @Test("A GeneralName with another tag is refused in every place")
    func generalNames() {
        for tag: UInt8 in [0x80, 0xA1, 0xA2, 0x83, 0x84, 0x85, 0xA7, 0xA8, 0x89, 0x8A, 0x30] {
            let bytes: [UInt8] = [tag, 0]
            var reader = DERReader(all: bytes.span)
            #expect(throws: DERError(.invalidGeneralName, at: 0)) { _ = try reader.generalName(in: bytes.span) }
        }
    }

    @Test("An extension that occurs twice ends every path, known or unknown, critical or not")
    func duplicates() throws {
        let known = TestExtension.keyUsage(0)
        let unknown = TestExtension("1.2.3", [1])
        for (item, again) in [
            (known, known), (known, TestExtension.keyUsage(1, critical: false)), (unknown, unknown),
            (unknown, TestExtension("1.2.3", [2])),
        ] {
            let chain = try TestChain(leaf: {
                $0.remove(item.oid)
                $0.extensions = [item] + $0.extensions + [TestExtension("1.2.4", []), again]
            })
            for profile in ValidationProfile.standard {
                let verdict = chain.judge { $0.profile = profile }
                #expect(verdict.has(.duplicateExtension(try #require(OID(item.oid)))))
            }
        }
        #expect(try TestChain(leaf: { $0.extensions += [unknown, TestExtension("1.2.4", [1])] }).judge().isAccepted)
    }

    @Test("Of two extensions of one kind the first is read, which changes nothing: the path is refused")
    func firstOfDuplicates() throws {
        let chain = try TestChain(second: { $0.extensions.append(.basicConstraints(false)) })
        #expect(chain.judge().summary == "1:duplicate-extension")
    }
}
