//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Crypto
package import CryptoExtras
import Foundation

/// A key that signs certificates. The curve keys are made from small numbers, so that they cost nothing and never change.
package enum TestKey: Sendable {
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)

    package static func p256(_ number: UInt16) -> TestKey {
        .p256(try! P256.Signing.PrivateKey(rawRepresentation: Self.scalar(number, 32)))
    }
    package static func p384(_ number: UInt16) -> TestKey {
        .p384(try! P384.Signing.PrivateKey(rawRepresentation: Self.scalar(number, 48)))
    }
    package static func p521(_ number: UInt16) -> TestKey {
        .p521(try! P521.Signing.PrivateKey(rawRepresentation: Self.scalar(number, 66)))
    }
    package static func ed25519(_ number: UInt16) -> TestKey {
        .ed25519(try! Curve25519.Signing.PrivateKey(rawRepresentation: Self.scalar(number, 32)))
    }

    package static let rsa1024 = Self.rsa(bits: 1_024)
    package static let rsa2048 = Self.rsa(bits: 2_048)
    package static let otherRSA2048 = Self.rsa(bits: 2_048)

    /// Tests that cannot make a key cannot run.
    package static func rsa(bits: Int) -> TestKey {
        .rsa(try! _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)))
    }

    private static func scalar(_ number: UInt16, _ count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: count - 2) + [UInt8(number >> 8), UInt8(number & 0xFF)]
    }

    /// The DER encoding of the SubjectPublicKeyInfo.
    package var info: [UInt8] {
        switch self {
        case .p256(let key): Array(key.publicKey.derRepresentation)
        case .p384(let key): Array(key.publicKey.derRepresentation)
        case .p521(let key): Array(key.publicKey.derRepresentation)
        case .ed25519(let key):
            DER.sequence(DER.sequence(DER.oid("1.3.101.112")), DER.bitString(Array(key.publicKey.rawRepresentation)))
        case .rsa(let key): Self.rsaInfo(Array(key.publicKey.pkcs1DERRepresentation))
        }
    }

    package static func rsaInfo(_ pkcs1: [UInt8], oid: String = "1.2.840.113549.1.1.1", parameters: [UInt8] = [5, 0])
        -> [UInt8]
    {
        DER.sequence(DER.sequence(DER.oid(oid), parameters), DER.bitString(pkcs1))
    }

    /// The SubjectPublicKeyInfo of a P-256, P-384 or P-521 key with a compressed point.
    package var compressedInfo: [UInt8] {
        switch self {
        case .p256(let key): Self.curveInfo("1.2.840.10045.3.1.7", Array(key.publicKey.compressedRepresentation))
        case .p384(let key): Self.curveInfo("1.3.132.0.34", Array(key.publicKey.compressedRepresentation))
        case .p521(let key): Self.curveInfo("1.3.132.0.35", Array(key.publicKey.compressedRepresentation))
        case .ed25519, .rsa: []
        }
    }

    package static func curveInfo(_ curve: String, _ point: [UInt8]) -> [UInt8] {
        DER.sequence(DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.oid(curve)), DER.bitString(point))
    }

    /// Any octets that are the same for the same key and no other.
    package var identifier: [UInt8] { Array(SHA256.hash(data: self.info).prefix(20)) }

    /// The algorithm the key signs with unless a test wants another.
    package var algorithm: TestAlgorithm {
        switch self {
        case .p256: .ecdsaSHA256
        case .p384: .ecdsaSHA384
        case .p521: .ecdsaSHA512
        case .ed25519: .ed25519
        case .rsa: .rsaSHA256
        }
    }
}

/// A signature algorithm: what is written, and what is done.
package struct TestAlgorithm: Sendable, CustomStringConvertible {
    package enum Digest: Sendable { case sha1, sha256, sha384, sha512 }

    package let description: String
    /// The AlgorithmIdentifier.
    package var identifier: [UInt8]
    package var digest: Digest
    package var padding: _RSA.Signing.Padding = .insecurePKCS1v1_5

    package static let ecdsaSHA1 = ecdsa("ECDSA SHA-1", "1.2.840.10045.4.1", .sha1)
    package static let ecdsaSHA256 = ecdsa("ECDSA SHA-256", "1.2.840.10045.4.3.2", .sha256)
    package static let ecdsaSHA384 = ecdsa("ECDSA SHA-384", "1.2.840.10045.4.3.3", .sha384)
    package static let ecdsaSHA512 = ecdsa("ECDSA SHA-512", "1.2.840.10045.4.3.4", .sha512)
    package static let rsaSHA1 = rsa("RSA SHA-1", 5, .sha1)
    package static let rsaSHA256 = rsa("RSA SHA-256", 11, .sha256)
    package static let rsaSHA384 = rsa("RSA SHA-384", 12, .sha384)
    package static let rsaSHA512 = rsa("RSA SHA-512", 13, .sha512)
    /// Every field has SHA-1's default.
    package static let pssSHA1 = TestAlgorithm(
        description: "PSS SHA-1", identifier: pssIdentifier([]), digest: .sha1, padding: .PSS)
    package static let pssSHA256 = pss("PSS SHA-256", .sha256)
    package static let pssSHA384 = pss("PSS SHA-384", .sha384)
    package static let pssSHA512 = pss("PSS SHA-512", .sha512)
    package static let ed25519 = TestAlgorithm(
        description: "Ed25519", identifier: DER.sequence(DER.oid("1.3.101.112")), digest: .sha512)

    private static func ecdsa(_ name: String, _ oid: String, _ digest: Digest) -> TestAlgorithm {
        TestAlgorithm(description: name, identifier: DER.sequence(DER.oid(oid)), digest: digest)
    }

    private static func rsa(_ name: String, _ arc: UInt8, _ digest: Digest) -> TestAlgorithm {
        let oid = DER.oid("1.2.840.113549.1.1.\(arc)")
        return TestAlgorithm(description: name, identifier: DER.sequence(oid, [5, 0]), digest: digest)
    }

    private static func pss(_ name: String, _ digest: Digest) -> TestAlgorithm {
        let parameters = pssParameters(digest.identifier, digest.identifier, digest.length)
        return TestAlgorithm(
            description: name, identifier: pssIdentifier(parameters), digest: digest, padding: .PSS)
    }

    /// The fields of RSASSA-PSS-params.
    package static func pssParameters(
        _ digest: [UInt8], _ mask: [UInt8], _ salt: Int, generator: String = "1.2.840.113549.1.1.8", trailer: Int? = nil
    ) -> [UInt8] {
        DER.element(0xA0, digest) + DER.element(0xA1, DER.sequence(DER.oid(generator), mask))
            + DER.element(0xA2, DER.number(salt)) + (trailer.map { DER.element(0xA3, DER.number($0)) } ?? [])
    }

    package static func pssIdentifier(_ parameters: [UInt8]) -> [UInt8] {
        DER.sequence(DER.oid("1.2.840.113549.1.1.10"), DER.sequence(parameters))
    }
}

extension TestAlgorithm.Digest {
    /// The AlgorithmIdentifier of the digest.
    package var identifier: [UInt8] {
        switch self {
        case .sha1: DER.sequence(DER.oid("1.3.14.3.2.26"), [5, 0])
        case .sha256: DER.sequence(DER.oid("2.16.840.1.101.3.4.2.1"), [5, 0])
        case .sha384: DER.sequence(DER.oid("2.16.840.1.101.3.4.2.2"), [5, 0])
        case .sha512: DER.sequence(DER.oid("2.16.840.1.101.3.4.2.3"))
        }
    }

    package var length: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

extension TestKey {
    package func sign(_ message: [UInt8], _ algorithm: TestAlgorithm) throws -> [UInt8] {
        if case .ed25519(let key) = self { return Array(try key.signature(for: message)) }
        return switch algorithm.digest {
        case .sha1: try self.sign(Insecure.SHA1.hash(data: message), algorithm.padding)
        case .sha256: try self.sign(SHA256.hash(data: message), algorithm.padding)
        case .sha384: try self.sign(SHA384.hash(data: message), algorithm.padding)
        case .sha512: try self.sign(SHA512.hash(data: message), algorithm.padding)
        }
    }

    private func sign(_ digest: some Digest, _ padding: _RSA.Signing.Padding) throws -> [UInt8] {
        switch self {
        case .p256(let key): Array(try key.signature(for: digest).derRepresentation)
        case .p384(let key): Array(try key.signature(for: digest).derRepresentation)
        case .p521(let key): Array(try key.signature(for: digest).derRepresentation)
        case .rsa(let key): Array(try key.signature(for: digest, padding: padding).rawRepresentation)
        case .ed25519: []
        }
    }
}
