//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CryptoExtras
import TestSupport
import Testing

@testable import CertificatePath

@Suite("RSASSA-PSS parameters")
struct PSSParameterTests {
    static let sha1 = TestAlgorithm.Digest.sha1.identifier
    static let sha256 = TestAlgorithm.Digest.sha256.identifier
    static let sha384 = TestAlgorithm.Digest.sha384.identifier

    static func algorithm(_ identifier: [UInt8]) throws -> SignatureAlgorithm {
        try TestChain.second.leaf { ($0.innerAlgorithm, $0.outerAlgorithm) = (identifier, identifier) }
            .signatureAlgorithm
    }

    @Test("Parameters other than one digest for everything and a salt of its length are recognised and not verified")
    func unusual() throws {
        let good = TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 32)
        #expect(try Self.algorithm(TestAlgorithm.pssIdentifier(good)) == SignatureAlgorithm(.rsaPSS, .sha256))
        for parameters in [
            TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 20),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 0),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 31),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 33),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha384, 32),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha1, 32),
            TestAlgorithm.pssParameters(Self.sha384, Self.sha256, 48),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 32, generator: "1.2.3"),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 32, trailer: 2),
            TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 0x1_0000_0000),
            DER.element(0xA0, Self.sha256), good + [5, 0], good + good, DER.element(0xA2, DER.number(20) + [5, 0]),
            DER.element(0xA0, DER.sequence(DER.oid("2.16.840.1.101.3.4.2.4"))),
            DER.element(0xA0, DER.sequence(DER.oid("2.16.840.1.101.3.4.2.1"), [5, 1, 0])),
        ] {
            #expect(try Self.algorithm(TestAlgorithm.pssIdentifier(parameters)).scheme == .unsupported)
        }
        let root = CraftedAuthority("Root", .rsa2048)
        let odd = TestAlgorithm.pssIdentifier(TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 20))
        let leaf = try root.leaf {
            $0.algorithm = .pssSHA256
            $0.algorithm.identifier = odd
        }
        #expect(
            judgment(leaf, anchors: .certificates(try root.authority())).summary == "0:unsupported-signature-algorithm"
        )
    }

    /// The parameters of a key, and whether it may make a signature over SHA-256 with a salt of 32 octets.
    static let restrictions: [(parameters: [UInt8], isAllowed: Bool)] = [
        ([], true),
        (DER.sequence(TestAlgorithm.pssParameters(sha256, sha256, 32)), true),
        // RFC 4055 §3.3: the key's salt length is the least that a signature may have.
        (DER.sequence(TestAlgorithm.pssParameters(sha256, sha256, 20)), true),
        (DER.sequence(TestAlgorithm.pssParameters(sha256, sha256, 33)), false),
        (DER.sequence(TestAlgorithm.pssParameters(sha384, sha384, 32)), false),
        (DER.sequence(TestAlgorithm.pssParameters(sha256, sha384, 32)), false),
        (DER.sequence(TestAlgorithm.pssParameters(sha1, sha1, 20)), false),
        (DER.sequence(TestAlgorithm.pssParameters(sha256, sha256, 32, trailer: 2)), false),
        (DER.sequence(), false), ([5, 0], false), (DER.sequence([5, 0]), false), (DER.integer(7), false),
    ]

    @Test("The parameters of a key say which signatures are its own", arguments: 0..<restrictions.count)
    func keyParameters(index: Int) throws {
        let (parameters, isAllowed) = Self.restrictions[index]
        guard case .rsa(let key) = TestKey.rsa2048 else { return }
        let pkcs1 = Array(key.publicKey.pkcs1DERRepresentation)
        let root = CraftedAuthority("Root", .rsa2048)
        let restricted = try root.authority {
            $0.key = TestKey.rsaInfo(pkcs1, oid: "1.2.840.113549.1.1.10", parameters: parameters)
            $0.remove("2.5.29.14")
        }
        let leaf = try root.leaf { $0.setAlgorithm(.pssSHA256) }
        for profile in ValidationProfile.standard where profile != .rfc5280Strict && profile != .webPKI {
            let verdict = judgment(leaf, anchors: .certificates(restricted)) { $0.profile = profile }
            // No Apple system takes any of them: see SignatureAlgorithmTableTests.
            let isAccepted = isAllowed && profile.acceptsRSASSAPSS
            #expect(verdict.isAccepted == isAccepted, "\(profile.name): \(verdict.summary)")
            if !isAllowed { #expect(verdict.has(.badSignature)) }
        }
    }

    @Test("A field that is left out has SHA-1's default; no parameters at all are no algorithm")
    func defaults() throws {
        #expect(try Self.algorithm(TestAlgorithm.pssIdentifier([])) == SignatureAlgorithm(.rsaPSS, .sha1))
        let trailer = TestAlgorithm.pssParameters(Self.sha256, Self.sha256, 32, trailer: 1)
        #expect(try Self.algorithm(TestAlgorithm.pssIdentifier(trailer)) == SignatureAlgorithm(.rsaPSS, .sha256))
        let oid = DER.oid("1.2.840.113549.1.1.10")
        #expect(try Self.algorithm(DER.sequence(oid)).scheme == .unsupported)
        #expect(try Self.algorithm(DER.sequence(oid, [5, 0])).scheme == .unsupported)
    }
}
