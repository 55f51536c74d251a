//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport
import Testing

@Suite("Signatures of keys")
struct KeySignatureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let key: TestKey
        let algorithm: TestAlgorithm
        let scheme: SignatureAlgorithm.Scheme
        let digest: SignatureDigest

        var testDescription: String { "\(self.algorithm)" }
    }

    static let rows = [
        Row(key: .rsa2048, algorithm: .rsaSHA1, scheme: .rsaPKCS1, digest: .sha1),
        Row(key: .rsa2048, algorithm: .rsaSHA256, scheme: .rsaPKCS1, digest: .sha256),
        Row(key: .rsa2048, algorithm: .pssSHA384, scheme: .rsaPSS, digest: .sha384),
        Row(key: .p256(1), algorithm: .ecdsaSHA256, scheme: .ecdsa, digest: .sha256),
        Row(key: .p384(1), algorithm: .ecdsaSHA512, scheme: .ecdsa, digest: .sha512),
        Row(key: .ed25519(1), algorithm: .ed25519, scheme: .ed25519, digest: .intrinsic),
    ]

    @Test("A key tells its own signatures from others, whatever is given for one", arguments: rows)
    func signatures(row: Row) throws {
        let content: [UInt8] = Array("what is signed".utf8)
        let signature = try row.key.sign(content, row.algorithm)
        let key = try PublicKey(der: row.key.info)
        #expect(key.isValidSignature(signature, over: content, scheme: row.scheme, digest: row.digest))
        #expect(!key.isValidSignature(signature, over: content + [0], scheme: row.scheme, digest: row.digest))
        #expect(!key.isValidSignature([], over: content, scheme: row.scheme, digest: row.digest))
        #expect(!key.isValidSignature(signature.dropLast(), over: content, scheme: row.scheme, digest: row.digest))
        var damaged = signature
        damaged[damaged.count - 1] ^= 1
        #expect(!key.isValidSignature(damaged, over: content, scheme: row.scheme, digest: row.digest))
        for other in Self.rows where other.scheme != row.scheme || other.digest != row.digest {
            #expect(!key.isValidSignature(signature, over: content, scheme: other.scheme, digest: other.digest))
        }
    }

    @Test("Digests that anyone can forge, or that are not supported, never hold", arguments: SignatureDigest.allCases)
    func digests(digest: SignatureDigest) throws {
        let content: [UInt8] = [1, 2, 3]
        let signature = try TestKey.rsa2048.sign(content, .rsaSHA256)
        let key = try PublicKey(der: TestKey.rsa2048.info)
        let holds = key.isValidSignature(signature, over: content, scheme: .rsaPKCS1, digest: digest)
        #expect(holds == (digest == .sha256))
    }

    @Test("A certificate gives the encoding of its names")
    func names() throws {
        let leaf = try testRoot.leaf()
        let root = try testRoot.authority()
        #expect(leaf.encodedIssuer == root.encodedSubject)
        #expect(root.encodedSubject.first == 0x30)
        #expect(leaf.encodedSubject != leaf.encodedIssuer)
    }
}
