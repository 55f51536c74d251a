//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport

/// Chains in which fields of certificates are changed by chance.
enum ChangedChain {
    private typealias Change = @Sendable (inout CraftedCertificate, inout SeededGenerator) -> Void

    private static let hosts = [
        "www.example.com", "a.b.example.com", "shop.co.uk", "192.0.2.7", "xn--bcher-kva.example",
    ]

    /// The question about a changed chain.
    static func trust(_ chance: inout SeededGenerator) throws -> Trust {
        let root = try TestChain.root.authority(nil, Self.change(&chance, Self.ofAuthorities, once: 8))
        let first = try TestChain.root.authority(TestChain.first, Self.change(&chance, Self.ofAuthorities, once: 3))
        var issuer = TestChain.first
        // An issuer without a name breaks a rule of its own.
        if chance.chance(30) { issuer.name = DER.sequence() }
        let leaf = try issuer.leaf(.p256(100), Self.change(&chance, Self.ofLeaves + Self.ofForm, once: 1))
        var trust = try Trust(
            certificates: [leaf, first].map(Certificate.init),
            policy: .tlsServer(hostname: Self.hosts.randomElement(using: &chance)),
            configuration: .only([Certificate(root)]))
        trust.verifyDate = Date(testTime)
        return trust
    }

    static func policies(_ chance: inout SeededGenerator) -> PolicyInputs {
        PolicyInputs(
            initialPolicies: [nil, ["1.2.3"], ["1.2.4", "1.2.5"], ["2.5.29.32.0"]].randomElement(using: &chance)??
                .compactMap { OID($0) }.reduce(into: Set()) { $0.insert($1) },
            requiresExplicitPolicy: chance.chance(3), inhibitsPolicyMapping: chance.chance(3),
            inhibitsAnyPolicy: chance.chance(3))
    }

    /// One to three changes, or none but once in so many times.
    private static func change(
        _ chance: inout SeededGenerator, _ changes: [Change], once count: Int
    ) -> CraftedAuthority.Change {
        guard chance.chance(count) else { return { _ in } }
        let chosen = (0..<Int.random(in: 1...3, using: &chance)).compactMap { _ in changes.randomElement(using: &chance)
        }
        var own = SeededGenerator(state: chance.next())
        let state = own.next()
        return { certificate in
            var generator = SeededGenerator(state: state)
            for change in chosen { change(&certificate, &generator) }
            // Version 1 has no extensions, whatever was set later.
            if certificate.version.isEmpty { certificate.extensions = [] }
        }
    }

    // MARK: What a server's certificate has

    private static let ofLeaves: [Change] = [
        { certificate, chance in certificate.set(.alternativeNames(Self.names(&chance), critical: chance.chance(4))) },
        { certificate, chance in certificate.set(.alternativeNames(Self.names(&chance))) },
        { certificate, _ in certificate.remove("2.5.29.17") },
        { certificate, chance in
            let usages = ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "2.5.29.37.0", "1.2.3.4"]
            certificate.set(
                .extendedKeyUsage(usages.randomElement(using: &chance) ?? "", critical: chance.chance(2)))
        },
        { certificate, _ in certificate.remove("2.5.29.37") },
        { certificate, chance in certificate.set(.keyUsage(Int.random(in: 0...8, using: &chance))) },
        { certificate, chance in
            certificate.subject = TestDER.name([[.cn(Self.hosts.randomElement(using: &chance) ?? "")]])
        },
        { certificate, _ in certificate.subject = DER.sequence() },
        { certificate, chance in
            certificate.set(.basicConstraints(chance.chance(2), pathLength: chance.chance(2) ? 3 : nil))
        },
        { certificate, _ in certificate.set(.nameConstraints(permitted: [.dns("example.com")])) },
    ]

    private static func names(_ chance: inout SeededGenerator) -> [TestName] {
        let odd: [TestName] = [
            .dns("www.example.com."), .dns("https://www.example.com"), .dns("www.example.com:443"),
            .dns(" www.example.com"), .dns("www_2.example.com"), .dns("w*.example.com"), .dns("*.example.com"),
            .dns("*.co.uk"), .dns("*.com"), .dns("bücher.example"), .dns("192.0.2.7"), .ip([192, 0, 2]),
            .ip([192, 0, 2, 7, 255, 255, 255, 255]), .ip([192, 0, 2, 7]), .otherName,
            .dnsOctets(Array("b".utf8) + [0xFC] + Array("cher.example".utf8)), .dns("other.example.org"),
        ]
        let all = odd + Self.hosts.map(TestName.dns)
        return (0..<Int.random(in: 1...4, using: &chance)).compactMap { _ in all.randomElement(using: &chance) }
    }

    // MARK: What an authority has

    private static let ofAuthorities: [Change] =
        [
            { certificate, _ in certificate.remove("2.5.29.19") },
            { certificate, chance in certificate.set(.basicConstraints(chance.chance(2), critical: false)) },
            { certificate, chance in
                certificate.set(.basicConstraints(true, pathLength: Int.random(in: 0...1, using: &chance)))
            },
            { certificate, chance in certificate.set(.keyUsage(Int.random(in: 0...8, using: &chance))) },
            { certificate, _ in certificate.remove("2.5.29.15") },
            { certificate, _ in certificate.remove("2.5.29.14") },
            { certificate, chance in
                let names: [TestName] = [.dns("*.example.com"), .dns(".example.com"), .dns("example.org"), .otherName]
                let permitted = [names.randomElement(using: &chance) ?? .otherName]
                certificate.set(.nameConstraints(permitted: permitted, excluded: chance.chance(3) ? [.dns("uk")] : []))
            },
            { certificate, chance in
                certificate.set(.policyConstraints(explicit: chance.chance(2) ? 0 : nil, mapping: 0))
                certificate.set(.policyMappings([("1.2.3", "1.2.4")]))
            },
            { certificate, _ in certificate.set(TestExtension("2.5.29.36", DER.sequence([0x80, 1, 9]))) },
            { certificate, _ in certificate.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.2")) },
            { certificate, _ in certificate.makeVersion1() },
        ] + Self.ofForm

    // MARK: What either has

    private static let ofForm: [Change] =
        [
            { certificate, chance in
                let days = (0...1).map { _ in String(Int.random(in: 10...28, using: &chance)) }
                certificate.notBefore = DER.utcTime("2\(Int.random(in: 1...8, using: &chance))05\(days[0])000000Z")
                certificate.notAfter = DER.utcTime("2\(Int.random(in: 1...9, using: &chance))08\(days[1])000000Z")
            },
            { certificate, _ in certificate.notAfter = DER.utcTime("2608010000Z") },
            { certificate, chance in
                let rest = (0..<Int.random(in: 0...24, using: &chance)).map { _ in
                    UInt8.random(in: 0...255, using: &chance)
                }
                let octets = [chance.chance(2) ? 0x41 : 0x81] + rest
                certificate.serialNumber = DER.element(0x02, octets)
            },
            { certificate, _ in certificate.set(.authorityKeyIdentifier([1, 2, 3], critical: true)) },
            { certificate, _ in certificate.set(TestExtension("2.5.29.35", DER.sequence())) },
            { certificate, _ in certificate.remove("2.5.29.35") },
            { certificate, _ in
                let names = DER.element(0xA1, TestName.dns("a").encoded) + DER.element(0x82, [1])
                certificate.set(TestExtension("2.5.29.35", DER.sequence(DER.element(0x80, [1]), names)))
            },
            { certificate, chance in
                let all = ["1.2.3", "1.2.4", "2.5.29.32.0", "1.2.3"]
                certificate.set(.policies((0...2).compactMap { _ in all.randomElement(using: &chance) }))
            },
            { certificate, chance in
                certificate.set(.policies([["1.2.3", "1.2.4", "2.5.29.32.0"].randomElement(using: &chance) ?? ""]))
            },
            { certificate, _ in
                let qualifiers = DER.sequence(DER.sequence(DER.oid("1.2.3.4"), [5, 0]))
                let policy = DER.sequence(DER.sequence(DER.oid("1.2.3"), qualifiers))
                certificate.set(TestExtension("2.5.29.32", critical: true, policy))
            },
            { certificate, _ in certificate.set(TestExtension("1.2.3.4", critical: true, [5, 0])) },
            { certificate, _ in certificate.extensions.append(.keyUsage(0)) },
            { certificate, _ in certificate.set(TestExtension("2.5.29.15", [1])) },
            { certificate, _ in
                certificate.set(TestExtension("2.5.29.15", critical: true, DER.element(3, [5, 0xA1])))
            },
        ] + Self.ofKeys

    private static let ofKeys: [Change] = [
        { certificate, chance in
            certificate.outerAlgorithm =
                [TestAlgorithm.ecdsaSHA384, .rsaSHA256, .pssSHA256, .ed25519]
                .randomElement(using: &chance)?.identifier
        },
        { certificate, _ in
            let parameters = DER.sequence(DER.oid("1.2.840.10045.4.3.2"), [5, 0])
            certificate.outerAlgorithm = parameters
        },
        { certificate, _ in
            let parameters = DER.sequence(DER.oid("1.2.840.10045.4.3.2"), [5, 0])
            (certificate.innerAlgorithm, certificate.outerAlgorithm) = (parameters, parameters)
        },
        { certificate, chance in
            let unknown = ["1.2.3.4.5", "1.2.840.10040.4.3", "1.2.3.4.6"].map { DER.sequence(DER.oid($0)) }
            certificate.innerAlgorithm = unknown.randomElement(using: &chance)
            certificate.outerAlgorithm = unknown.randomElement(using: &chance)
        },
        { certificate, _ in certificate.setAlgorithm(.ecdsaSHA1) },
        { certificate, _ in certificate.signer = .p256(398) },
        { certificate, chance in
            let curves = ["1.2.840.10045.3.1.7", "1.3.132.0.10", "1.3.132.0.33"]
            let point = [4] + [UInt8](repeating: 7, count: 64)
            certificate.key = TestKey.curveInfo(curves.randomElement(using: &chance) ?? "", point)
        },
        { certificate, chance in
            let (bits, exponent) = (Int.random(in: 60...270, using: &chance), UInt8.random(in: 0...3, using: &chance))
            let modulus = [UInt8](repeating: UInt8.random(in: 1...127, using: &chance), count: bits)
            certificate.key = TestKey.rsaInfo(DER.sequence(DER.element(2, modulus), DER.integer(exponent)))
        },
        { certificate, _ in certificate.key = TestKey.ed25519(7).info },
        { certificate, _ in certificate.key = TestKey.p521(7).info },
    ]
}
