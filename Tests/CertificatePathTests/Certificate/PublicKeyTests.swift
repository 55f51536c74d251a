//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Public keys")
struct PublicKeyTests {
    static func key(_ info: [UInt8]) throws -> CertificateView { try TestChain.second.leaf { $0.key = info } }
    static func rsa(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1], extra: [UInt8] = []) -> [UInt8] {
        TestKey.rsaInfo(DER.sequence(DER.element(2, modulus), DER.element(2, exponent), extra))
    }

    @Test("An RSA key that is no pair of positive integers cannot be read")
    func malformedRSA() throws {
        for (info, code) in [
            (Self.rsa([0x80, 1]), DERError.Code.invalidPublicKey), (Self.rsa([0x11], [0x80]), .invalidPublicKey),
            (Self.rsa([]), .invalidInteger), (Self.rsa([0, 1]), .invalidInteger),
            (Self.rsa([0x11], []), .invalidInteger),
            (Self.rsa([0x11], extra: [5, 0]), .trailingBytes), (TestKey.rsaInfo([]), .truncated),
            (TestKey.rsaInfo(DER.set()), .unexpectedTag), (TestKey.rsaInfo(DER.sequence(DER.integer(1))), .truncated),
            (TestKey.rsaInfo(DER.sequence(DER.integer(1), DER.integer(3)) + [0]), .trailingBytes),
            (
                TestKey.rsaInfo(DER.sequence(DER.integer(1), DER.integer(3)), parameters: DER.sequence()),
                .invalidAlgorithmParameters
            ),
            (
                TestKey.rsaInfo(DER.sequence(DER.integer(1), DER.integer(3)), parameters: [5, 1, 0]),
                .invalidAlgorithmParameters
            ),
        ] {
            #expect(try parsingError { $0.key = info } == code)
        }
    }

    @Test(
        "The size of an RSA key is that of its modulus",
        arguments: [
            ([0], 0), ([1], 1), ([0, 0x80], 8), ([0x40], 7), ([0, 0x80] + Array(repeating: 0, count: 255), 2_048),
            ([0x7F] + Array(repeating: 0xFF, count: 255), 2_047), ([1] + Array(repeating: 0, count: 256), 2_049),
        ] as [([UInt8], Int)])
    func rsaBits(modulus: [UInt8], bits: Int) throws {
        let certificate = try Self.key(Self.rsa(modulus))
        #expect(certificate.publicKeyKind == .rsa)
        #expect(certificate.publicKeyBits == bits)
        #expect(
            try Self.key(TestKey.rsaInfo(DER.sequence(DER.element(2, modulus), DER.integer(3)), parameters: []))
                .publicKeyBits == bits)
    }

    @Test(
        "An RSA key whose modulus or exponent is even, or whose exponent is 1, is no key, a leaf's and an authority's",
        arguments: [
            (1, [1, 0, 1], true), (1, [3], true), (0, [3], false), (1, [0], false), (1, [1], false), (1, [2], false),
            (1, [4], false), (1, [1, 0, 0], false), (2, [1, 0, 1], false),
        ] as [(UInt8, [UInt8], Bool)])
    func oddNumbers(last: UInt8, exponent: [UInt8], isKey: Bool) throws {
        let info = Self.rsa([0, 0x80] + Array(repeating: 0, count: 254) + [last], exponent)
        #expect(try Self.key(info).hasMalformedKey == !isKey)
        let leaf = try testRoot.leaf { $0.key = info }
        for profile in ValidationProfile.standard {
            let verdict = judgment(leaf, anchors: .certificates(try testRoot.authority())) { $0.profile = profile }
            #expect(verdict.summary == (isKey ? "accepted" : "0:weak-key"), "\(profile.name)")
        }
    }

    @Test("The kind of a key is told by its identifier and curve")
    func kinds() throws {
        let explicit = DER.sequence(DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.sequence()), DER.bitString([4]))
        let unnamed = DER.sequence(DER.sequence(DER.oid("1.2.840.10045.2.1")), DER.bitString([4]))
        func raw(_ oid: String, _ parameters: [UInt8] = []) -> [UInt8] {
            DER.sequence(DER.sequence(DER.oid(oid), parameters), DER.bitString([1]))
        }
        for (info, kind, bits) in [
            (TestKey.p256(1).info, PublicKeyKind.p256, 256), (TestKey.p384(1).info, .p384, 384),
            (TestKey.p521(1).info, .p521, 521),
            (TestKey.curveInfo("1.3.132.0.33", [4]), .p224, 224),
            (TestKey.curveInfo("1.2.840.10045.3.1.1", [4]), .p192, 192),
            (TestKey.curveInfo("1.3.132.0.10", [4]), .otherCurve, 0), (explicit, .explicitCurve, 0),
            (unnamed, .unknown, 0),
            (TestKey.ed25519(1).info, .ed25519, 256), (raw("1.3.101.113"), .ed448, 448),
            (raw("1.3.101.112", [5, 0]), .unknown, 0),
            (raw("1.3.101.113", [5, 0]), .unknown, 0), (raw("1.3.101.110"), .unknown, 0),
            (raw("1.2.840.10040.4.1"), .unknown, 0),
        ] {
            let certificate = try Self.key(info)
            #expect(certificate.publicKeyKind == kind)
            #expect(certificate.publicKeyBits == bits)
            #expect(certificate.subjectPublicKeyInfo == info)
        }
        for kind in PublicKeyKind.allCases {
            #expect(
                kind.isEllipticCurve == [.p192, .p224, .p256, .p384, .p521, .otherCurve, .explicitCurve].contains(kind))
        }
    }

    @Test("Keys of kinds that none can be made of are weak for every profile and purpose")
    func unusable() throws {
        let explicit = DER.sequence(DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.sequence()), DER.bitString([4]))
        let x25519 = DER.sequence(DER.sequence(DER.oid("1.3.101.110")), DER.bitString([1]))
        for info in [explicit, x25519, TestKey.curveInfo("1.3.132.0.10", [4])] {
            let chain = try TestChain(leaf: { $0.key = info })
            for profile in ValidationProfile.standard {
                for purpose in PurposeRequirement.Purpose.allCases {
                    let verdict = chain.judge { ($0.profile, $0.purposes) = (profile, [PurposeRequirement(purpose)]) }
                    #expect(verdict.rejections.contains { $0.reason.code == "weak-key" && $0.certificateIndex == 0 })
                }
            }
        }
    }
}
