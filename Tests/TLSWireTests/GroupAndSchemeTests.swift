//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import Testing

private struct GroupFacts: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: NamedGroup.Kind
    let bits: Int?
    let strength: Int?
    let isOld: Bool
    let isNew: Bool

    var testDescription: String { self.name }

    init(_ name: String, _ kind: NamedGroup.Kind, _ bits: Int?, _ strength: Int?, old isOld: Bool, new isNew: Bool) {
        self.name = name
        self.kind = kind
        self.bits = bits
        self.strength = strength
        self.isOld = isOld
        self.isNew = isNew
    }
}

private let groups: [GroupFacts] = [
    GroupFacts("sect163k1", .ellipticCurve, 163, 81, old: true, new: false),
    GroupFacts("secp256k1", .ellipticCurve, 256, 128, old: true, new: false),
    GroupFacts("secp256r1", .ellipticCurve, 256, 128, old: true, new: true),
    GroupFacts("secp521r1", .ellipticCurve, 521, 256, old: true, new: true),
    GroupFacts("brainpoolP384r1", .ellipticCurve, 384, 192, old: true, new: false),
    GroupFacts("brainpoolP384r1tls13", .ellipticCurve, 384, 192, old: false, new: true),
    GroupFacts("x25519", .ellipticCurve, 255, 128, old: true, new: true),
    GroupFacts("x448", .ellipticCurve, 448, 224, old: true, new: true),
    GroupFacts("GC512A", .ellipticCurve, 512, 256, old: true, new: true),
    GroupFacts("curveSM2", .ellipticCurve, 256, 128, old: false, new: true),
    GroupFacts("ffdhe2048", .finiteField, 2048, 112, old: true, new: true),
    GroupFacts("ffdhe8192", .finiteField, 8192, 200, old: true, new: true),
    GroupFacts("MLKEM512", .postQuantum, nil, 128, old: false, new: true),
    GroupFacts("MLKEM1024", .postQuantum, nil, 256, old: false, new: true),
    GroupFacts("X25519MLKEM768", .hybrid, 255, 192, old: false, new: true),
    GroupFacts("SecP256r1MLKEM768", .hybrid, 256, 192, old: false, new: true),
    GroupFacts("SecP384r1MLKEM1024", .hybrid, 384, 256, old: false, new: true),
    GroupFacts("curveSM2MLKEM768", .hybrid, 256, 192, old: false, new: true),
    GroupFacts("X25519Kyber768Draft00", .hybrid, 255, 192, old: false, new: true),
    GroupFacts("arbitrary_explicit_char2_curves", .ellipticCurve, nil, nil, old: true, new: false),
]

private let schemes: [(UInt16, String, SignatureScheme.SignatureKind, isTLS13: Bool)] = [
    (0x0101, "rsa_pkcs1_md5", .rsaPKCS1, false), (0x0201, "rsa_pkcs1_sha1", .rsaPKCS1, false),
    (0x0202, "dsa_sha1", .dsa, false), (0x0203, "ecdsa_sha1", .ecdsa, false),
    (0x0301, "rsa_pkcs1_sha224", .rsaPKCS1, false), (0x0303, "ecdsa_sha224", .ecdsa, false),
    (0x0401, "rsa_pkcs1_sha256", .rsaPKCS1, false), (0x0402, "dsa_sha256", .dsa, false),
    (0x0403, "ecdsa_secp256r1_sha256", .ecdsa, true), (0x0420, "rsa_pkcs1_sha256_legacy", .rsaPKCS1, false),
    (0x0704, "eccsi_sha256", .identityBased, true), (0x0708, "sm2sig_sm3", .sm2, true),
    (0x070F, "gostr34102012_512c", .gost, true), (0x0804, "rsa_pss_rsae_sha256", .rsaPSS, true),
    (0x0807, "ed25519", .eddsa, true), (0x080B, "rsa_pss_pss_sha512", .rsaPSS, true),
    (0x081A, "ecdsa_brainpoolP256r1tls13_sha256", .ecdsa, true), (0x0840, "gostr34102012_256", .gost, false),
    (0x0905, "mldsa65", .mldsa, true),
]

@Suite("Groups and signature schemes")
struct GroupAndSchemeTests {
    @Test("Nothing is claimed of what is not known")
    func unknown() {
        let group = NamedGroup(rawValue: 0xFFFE)
        #expect(group.name == nil && group.kind == nil && group.bits == nil && group.securityBits == nil)
        #expect(!group.isPostQuantum && !group.isUsableInTLS13 && !group.isUsableBeforeTLS13)
        #expect("\(group)" == "0xfffe")
        let scheme = SignatureScheme(rawValue: 0x0909)
        #expect(scheme.name == nil && scheme.signatureKind == nil && !scheme.usesSHA1 && !scheme.usesMD5)
        #expect(!scheme.isUsableInTLS13 && "\(scheme)" == "0x0909")
    }

    @Test("A group's name says what it is", arguments: groups)
    private func group(facts: GroupFacts) throws {
        let group = try #require(NamedGroup(name: facts.name))
        #expect(group.kind == facts.kind)
        #expect(group.bits == facts.bits)
        #expect(group.securityBits == facts.strength)
        #expect(group.isUsableBeforeTLS13 == facts.isOld && group.isUsableInTLS13 == facts.isNew)
        #expect(group.isPostQuantum == (facts.kind == .postQuantum || facts.kind == .hybrid))
    }

    @Test("The groups with a name in Swift are those of the registry")
    func statics() {
        #expect(
            "\(NamedGroup.secp256r1) \(NamedGroup.secp384r1) \(NamedGroup.secp521r1)" == "secp256r1 secp384r1 secp521r1"
        )
        #expect("\(NamedGroup.x25519) \(NamedGroup.x448)" == "x25519 x448")
        #expect("\(NamedGroup.mlkem768) \(NamedGroup.mlkem1024)" == "MLKEM768 MLKEM1024")
        #expect("\(NamedGroup.x25519MLKEM768) \(NamedGroup.secp256r1MLKEM768)" == "X25519MLKEM768 SecP256r1MLKEM768")
        #expect("\(NamedGroup.secp384r1MLKEM1024)" == "SecP384r1MLKEM1024")
    }

    @Test("Every group and every scheme is understood")
    func complete() {
        #expect(NamedGroup.known.allSatisfy { $0.kind != nil && ($0.isUsableInTLS13 || $0.isUsableBeforeTLS13) })
        #expect(NamedGroup.known.filter { $0.securityBits == nil }.map(\.rawValue) == [0xFF01, 0xFF02])
        #expect(SignatureScheme.known.allSatisfy { $0.signatureKind != nil })
        #expect(SignatureScheme.known.filter(\.usesSHA1).map(\.rawValue) == [0x0201, 0x0202, 0x0203])
        #expect(SignatureScheme.known.filter(\.usesMD5).map(\.rawValue) == [0x0101, 0x0102, 0x0103])
    }

    @Test("A scheme's name says what it is", arguments: schemes)
    func scheme(number: UInt16, name: String, kind: SignatureScheme.SignatureKind, isTLS13: Bool) {
        let scheme = SignatureScheme(rawValue: number)
        #expect(scheme.description == name && scheme.signatureKind == kind && scheme.isUsableInTLS13 == isTLS13)
    }

    @Test("SSL 3.0 comes before every version of TLS")
    func ssl() {
        #expect(TLSProtocolVersion.ssl30 < .tls10 && "\(TLSProtocolVersion.ssl30)" == "SSL 3.0")
    }
}
