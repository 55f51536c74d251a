//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import TestSupport
import Testing

@testable import CertificatePath

struct SignatureCase: Sendable, CustomTestStringConvertible {
    let key: TestKey
    let wrongKey: TestKey
    let algorithm: TestAlgorithm
    var testDescription: String { "\(self.algorithm.description) with \(CraftedAuthority("", self.key).keyKind)" }

    static let all: [SignatureCase] =
        Self.curves + Self.rsa
        + [SignatureCase(key: .ed25519(1), wrongKey: .ed25519(9), algorithm: .ed25519)]

    private static let curves: [SignatureCase] = {
        let algorithms: [TestAlgorithm] = [.ecdsaSHA1, .ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512]
        return algorithms.flatMap { algorithm in
            [
                SignatureCase(key: .p256(1), wrongKey: .p256(9), algorithm: algorithm),
                SignatureCase(key: .p384(1), wrongKey: .p384(9), algorithm: algorithm),
                SignatureCase(key: .p521(1), wrongKey: .p521(9), algorithm: algorithm),
            ]
        }
    }()

    /// A modulus of 1,024 bits is too small for PSS over SHA-512.
    private static let rsa: [SignatureCase] = {
        let small: [TestAlgorithm] = [.rsaSHA1, .rsaSHA256, .rsaSHA384, .rsaSHA512, .pssSHA1, .pssSHA256, .pssSHA384]
        let large = small + [.pssSHA512]
        return large.map { SignatureCase(key: .rsa2048, wrongKey: .otherRSA2048, algorithm: $0) }
            + small.map { SignatureCase(key: .rsa1024, wrongKey: .rsa2048, algorithm: $0) }
    }()
}

extension CraftedAuthority {
    var keyKind: String {
        switch self.key {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .ed25519: "Ed25519"
        case .rsa(let key): "RSA-\(key.keySizeInBits)"
        }
    }
}

@Suite("Signatures")
struct SignatureTests {
    /// The verdict on a leaf below an anchor, by the one profile that allows SHA-1 and RSA of 1,024 bits.
    static func judge(
        _ anchor: CraftedAuthority, _ leaf: CertificateView, profile: ValidationProfile = .legacy
    ) throws -> Verdict {
        try judgment(leaf, anchors: .certificates(anchor.authority())) { $0.profile = profile }
    }

    @Test("A signature by the issuer's key is good; a wrong key or damage makes it bad", arguments: SignatureCase.all)
    func algorithms(example: SignatureCase) throws {
        let root = CraftedAuthority("Root", example.key)
        var template = root.leafTemplate { $0.algorithm = example.algorithm }
        #expect(try Self.judge(root, template.view()).summary == "accepted")
        template.signer = example.wrongKey
        #expect(try Self.judge(root, template.view()).summary == "0:bad-signature")
        template.signer = example.key
        var signature = try example.key.sign(template.body(), example.algorithm)
        signature[signature.count - 1] ^= 1
        template.signature = signature
        #expect(try Self.judge(root, template.view()).summary == "0:bad-signature")
        for damaged: [UInt8] in [[], [0], Array(signature.dropLast()), signature + [0]] {
            template.signature = damaged
            #expect(try Self.judge(root, template.view()).summary == "0:bad-signature")
        }
        // The signature of another body.
        template.signature = try example.key.sign(template.body() + [0], example.algorithm)
        #expect(try Self.judge(root, template.view()).summary == "0:bad-signature")
    }

    @Test(
        "A signature over another digest than the one that is named is bad",
        arguments: [
            (TestKey.p256(1), TestAlgorithm.ecdsaSHA256, TestAlgorithm.Digest.sha384),
            (.p384(1), .ecdsaSHA384, .sha256),
            (.p521(1), .ecdsaSHA512, .sha256), (.p256(1), .ecdsaSHA256, .sha1), (.rsa2048, .rsaSHA256, .sha384),
            (.rsa2048, .rsaSHA384, .sha512), (.rsa2048, .rsaSHA512, .sha256), (.rsa2048, .pssSHA256, .sha384),
            (.rsa2048, .rsaSHA256, .sha1),
        ])
    func wrongDigest(key: TestKey, algorithm: TestAlgorithm, digest: TestAlgorithm.Digest) throws {
        let root = CraftedAuthority("Root", key)
        let leaf = try root.leaf {
            $0.algorithm = algorithm
            $0.algorithm.digest = digest
        }
        #expect(try Self.judge(root, leaf).summary == "0:bad-signature")
    }

    @Test("A key for key agreement verifies no signature, although its octets would")
    func agreementKey() throws {
        guard case .ed25519(let key) = TestKey.ed25519(1) else { return }
        let root = CraftedAuthority("Root", .ed25519(1))
        let octets = DER.bitString(Array(key.publicKey.rawRepresentation))
        let anchor = try root.authority { $0.key = DER.sequence(DER.sequence(DER.oid("1.3.101.110")), octets) }
        #expect(judgment(try root.leaf(), anchors: .certificates(anchor)).has(.badSignature))
    }

    @Test("A key for PSS alone verifies PSS alone")
    func pssKey() throws {
        guard case .rsa(let key) = TestKey.rsa2048 else { return }
        let root = CraftedAuthority("Root", .rsa2048)
        let info = TestKey.rsaInfo(
            Array(key.publicKey.pkcs1DERRepresentation), oid: "1.2.840.113549.1.1.10", parameters: [])
        let anchor = try root.authority { $0.key = info }
        #expect(
            judgment(try root.leaf { $0.algorithm = .pssSHA256 }, anchors: .certificates(anchor)).summary == "accepted"
        )
        #expect(judgment(try root.leaf(), anchors: .certificates(anchor)).summary == "0:bad-signature")
    }

    @Test("PSS is not PKCS#1, and the other way round")
    func padding() throws {
        let root = CraftedAuthority("Root", .rsa2048)
        #expect(
            try Self.judge(
                root,
                root.leaf {
                    $0.algorithm = .rsaSHA256
                    $0.algorithm.padding = .PSS
                }
            ).summary == "0:bad-signature")
        let leaf = try root.leaf {
            $0.algorithm = .pssSHA256
            $0.algorithm.padding = .insecurePKCS1v1_5
        }
        #expect(try Self.judge(root, leaf).summary == "0:bad-signature")
    }

    @Test(
        "An algorithm of another family than the issuer's key makes a bad signature",
        arguments: [
            (TestKey.p256(1), TestAlgorithm.rsaSHA256), (.p256(1), .ed25519), (.rsa2048, .ecdsaSHA256),
            (.rsa2048, .ed25519),
            (.ed25519(1), .ecdsaSHA256), (.ed25519(1), .rsaSHA256), (.p256(1), .pssSHA256), (.ed25519(1), .pssSHA256),
        ])
    func wrongFamily(key: TestKey, algorithm: TestAlgorithm) throws {
        let root = CraftedAuthority("Root", key)
        let leaf = try root.leaf {
            $0.innerAlgorithm = algorithm.identifier
            $0.outerAlgorithm = algorithm.identifier
        }
        #expect(try Self.judge(root, leaf).summary == "0:bad-signature")
    }

    @Test("An ECDSA signature is verified on the curve of the issuer's key alone")
    func wrongCurve() throws {
        let leaf = try CraftedAuthority("Root", .p384(1)).leaf { $0.algorithm = .ecdsaSHA256 }
        #expect(try Self.judge(CraftedAuthority("Root", .p256(1)), leaf).summary == "0:bad-signature")
    }

    @Test(
        "An issuer with a compressed point verifies like one without", arguments: [TestKey.p256(1), .p384(1), .p521(1)])
    func compressedPoints(key: TestKey) throws {
        let root = CraftedAuthority("Root", key)
        let anchor = try root.authority {
            $0.key = key.compressedInfo
            $0.remove("2.5.29.35")
        }
        #expect(judgment(try root.leaf(), anchors: .certificates(anchor)).summary == "accepted")
    }

    @Test(
        "A point that is not on the curve verifies nothing",
        arguments: [[], [0], [4], [2] + [UInt8](repeating: 0xFF, count: 32), [4] + [UInt8](repeating: 1, count: 64)])
    func invalidPoints(point: [UInt8]) throws {
        let root = CraftedAuthority("Root", .p256(1))
        let anchor = try root.authority { $0.key = TestKey.curveInfo("1.2.840.10045.3.1.7", point) }
        let verdict = judgment(try root.leaf(), anchors: .certificates(anchor))
        #expect(verdict.summary == "0:bad-signature 1:weak-key")
    }

    @Test("A leaf whose key is no key is refused, although nothing is verified with it")
    func invalidLeafKeys() throws {
        let root = CraftedAuthority("Root", .p256(1))
        for info in [
            TestKey.curveInfo("1.2.840.10045.3.1.7", [4] + [UInt8](repeating: 1, count: 64)),
            DER.sequence(DER.sequence(DER.oid("1.3.101.112")), DER.bitString([UInt8](repeating: 1, count: 31))),
        ] {
            let leaf = try root.leaf { $0.key = info }
            #expect(judgment(leaf, anchors: .certificates(try root.authority())).summary == "0:weak-key")
        }
    }

    @Test("Keys that cannot be verified with have a reason of their own")
    func unsupportedKeys() throws {
        let root = CraftedAuthority("Root", .p256(1))
        for (curve, kind, bits) in [("1.3.132.0.33", PublicKeyKind.p224, 224), ("1.2.840.10045.3.1.1", .p192, 192)] {
            let anchor = try root.authority {
                $0.key = TestKey.curveInfo(curve, [4] + Array(repeating: 1, count: 2 * bits / 8))
            }
            let verdict = judgment(try root.leaf(), anchors: .certificates(anchor)) { $0.profile = .legacy }
            #expect(verdict.has(.unsupportedIssuerKey(kind, bits: bits)))
        }
        let tiny = TestKey.rsaInfo(
            DER.sequence(DER.element(2, [0x55] + Array(repeating: 0x11, count: 63)), DER.number(65_537)))
        let anchor = try root.authority { $0.key = tiny }
        let leaf = try root.leaf {
            $0.innerAlgorithm = TestAlgorithm.rsaSHA256.identifier
            $0.outerAlgorithm = $0.innerAlgorithm
        }
        let verdict = judgment(leaf, anchors: .certificates(anchor)) { $0.profile = .legacy }
        #expect(verdict.has(.unsupportedIssuerKey(.rsa, bits: 511)))
        #expect(verdict.has(.weakKey(.rsa, bits: 511, minimum: 1_024), at: 1))
    }

    @Test("An RSA key with the exponent 1, with which anyone can sign, verifies nothing")
    func exponentOne() throws {
        guard case .rsa(let key) = TestKey.rsa2048 else { return }
        let modulus = try #require(try? key.publicKey.getKeyPrimitives().modulus)
        let root = CraftedAuthority("Root", .rsa2048)
        for exponent in [0, 1, 2] {
            let info = TestKey.rsaInfo(DER.sequence(DER.element(2, [0] + Array(modulus)), DER.number(exponent)))
            let anchor = try root.authority { $0.key = info }
            var template = root.leafTemplate()
            let digest: [UInt8] = Array(SHA256.hash(data: template.body()))
            let info256: [UInt8] = DER.sequence(TestAlgorithm.Digest.sha256.identifier, DER.octetString(digest))
            template.signature = [0, 1] + Array(repeating: 0xFF, count: 253 - info256.count) + [0] + info256
            let verdict = judgment(try template.view(), anchors: .certificates(anchor))
            #expect(verdict.isAccepted == false)
        }
    }

    @Test("The signed and the unsigned algorithm must be the same one")
    func mismatch() throws {
        let root = CraftedAuthority("Root", .rsa2048)
        func verdict(_ inner: TestAlgorithm, _ outer: TestAlgorithm) throws -> String {
            let leaf = try root.leaf {
                $0.innerAlgorithm = inner.identifier
                ($0.algorithm, $0.outerAlgorithm) = (outer, outer.identifier)
            }
            return try Self.judge(root, leaf).summary
        }
        #expect(try verdict(.rsaSHA256, .rsaSHA256) == "accepted")
        #expect(try verdict(.rsaSHA256, .rsaSHA384) == "0:signature-algorithm-mismatch")
        #expect(try verdict(.rsaSHA256, .pssSHA256) == "0:signature-algorithm-mismatch")
        #expect(try verdict(.pssSHA256, .pssSHA384) == "0:signature-algorithm-mismatch")
        #expect(try verdict(.ecdsaSHA256, .rsaSHA256) == "0:signature-algorithm-mismatch")
        // OIW's identifier means the same algorithm and is another identifier.
        let oiw = DER.sequence(DER.oid("1.3.14.3.2.29"))
        let leaf = try root.leaf {
            $0.algorithm = .rsaSHA1
            $0.innerAlgorithm = oiw
        }
        #expect(try Self.judge(root, leaf).summary == "0:signature-algorithm-mismatch")
        #expect(
            try Self.judge(
                root,
                root.leaf {
                    $0.algorithm = .rsaSHA1
                    $0.innerAlgorithm = oiw
                    $0.outerAlgorithm = oiw
                }
            ).isAccepted)
    }

    @Test("RSA's parameters are NULL or absent, which is the same for Apple; ECDSA's likewise")
    func parameters() throws {
        let root = CraftedAuthority("Root", .rsa2048)
        let absent = DER.sequence(DER.oid("1.2.840.113549.1.1.11"))
        #expect(try Self.judge(root, root.leaf { $0.innerAlgorithm = absent }, profile: .apple).isAccepted)
        #expect(try Self.judge(root, root.leaf { $0.outerAlgorithm = absent }, profile: .apple).isAccepted)
        let curve = CraftedAuthority("Root", .p256(1))
        let null = DER.sequence(DER.oid("1.2.840.10045.4.3.2"), [5, 0])
        #expect(try Self.judge(curve, curve.leaf { $0.outerAlgorithm = null }, profile: .apple).isAccepted)
        for (oid, parameters) in [
            ("1.2.840.113549.1.1.11", DER.sequence()), ("1.2.840.113549.1.1.11", [5, 1, 0]),
            ("1.2.840.113549.1.1.11", DER.oid("1.2.3")), ("1.2.840.10045.4.3.2", DER.oid("1.2.3")),
            ("1.3.101.112", [5, 0]),
        ] {
            let identifier = DER.sequence(DER.oid(oid), parameters)
            #expect(try parsingError { $0.innerAlgorithm = identifier } == .invalidAlgorithmParameters)
            #expect(try parsingError { $0.outerAlgorithm = identifier } == .invalidAlgorithmParameters)
        }
    }

    @Test(
        "MD2, MD4 and MD5 are known by name and refused by every profile",
        arguments: [(UInt8(2), SignatureDigest.md2), (3, .md4), (4, .md5)])
    func broken(arc: UInt8, digest: SignatureDigest) throws {
        let identifier = DER.sequence(DER.oid("1.2.840.113549.1.1.\(arc)"), [5, 0])
        let root = CraftedAuthority("Root", .rsa2048)
        let leaf = try root.leaf { ($0.innerAlgorithm, $0.outerAlgorithm) = (identifier, identifier) }
        for profile in ValidationProfile.standard {
            let verdict = judgment(leaf, anchors: .certificates(try root.authority())) { $0.profile = profile }
            #expect(verdict.has(.brokenDigest(digest)))
            #expect(verdict.has(.unsupportedSignatureAlgorithm(leaf.signatureAlgorithm)))
        }
        // On a root, whose signature proves nothing, it does not matter.
        let old = try root.authority { ($0.innerAlgorithm, $0.outerAlgorithm) = (identifier, identifier) }
        #expect(judgment(try root.leaf(), anchors: .certificates(old)).summary == "accepted")
    }

    @Test("SHA-224, DSA and Ed448 are known and cannot be verified; what is unknown has its own description")
    func unsupported() throws {
        let root = CraftedAuthority("Root", .rsa2048)
        let notSupported = "an algorithm, or RSA-PSS parameters, that are not supported"
        for (oid, description) in [
            ("1.2.840.113549.1.1.14", "RSA PKCS#1 v1.5 with SHA-224"), ("1.2.840.10040.4.3", notSupported),
            ("2.16.840.1.101.3.4.3.1", notSupported),
            ("2.16.840.1.101.3.4.3.2", notSupported),
            ("1.3.101.113", "Ed448"), ("1.2.3.4", "an unknown algorithm"),
            ("1.2.840.10045.4.3.1", "ECDSA with SHA-224"),
        ] {
            let identifier = DER.sequence(DER.oid(oid))
            let leaf = try root.leaf { ($0.innerAlgorithm, $0.outerAlgorithm) = (identifier, identifier) }
            #expect(leaf.signatureAlgorithm.description == description)
            let issuer =
                oid.hasSuffix("4.3.1") && oid.hasPrefix("1.2.840.10045") ? CraftedAuthority("Root", .p256(1)) : root
            let verdict = judgment(leaf, anchors: .certificates(try issuer.authority())) { $0.profile = .legacy }
            #expect(verdict.summary == "0:unsupported-signature-algorithm")
        }
    }
}
