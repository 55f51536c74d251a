//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A public key as a certificate carries it: what `SecKey` is to pinning.
///
/// Two keys are equal when their SubjectPublicKeyInfos are the same bytes.
public struct PublicKey: Sendable, Hashable {
    private let encoded: EncodedPublicKey

    init(_ view: CertificateView) {
        self.encoded = EncodedPublicKey(view)
    }

    /// A public key by itself.
    ///
    /// - Parameter bytes: The DER encoding of a SubjectPublicKeyInfo, as `openssl pkey -pubout -outform der` writes it.
    /// - Throws: ``PublicKeyError`` when it is something else.
    public init(der bytes: [UInt8]) throws(PublicKeyError) {
        do {
            self.encoded = try EncodedPublicKey(der: bytes)
        } catch {
            throw PublicKeyError(.malformed(error))
        }
    }

    /// The first public key of a PEM text.
    ///
    /// - Parameter pem: Text with a `BEGIN PUBLIC KEY` block, as `openssl pkey -pubout` writes it.
    /// - Throws: ``PublicKeyError`` when there is no key, or it cannot be read.
    public init(pem: String) throws(PublicKeyError) {
        var reader = PEMReader(Array(pem.utf8), content: .publicKey)
        let block: [UInt8]?
        do {
            block = try reader.nextBlock()
        } catch {
            throw PublicKeyError(.pem(error))
        }
        guard let block else { throw PublicKeyError(.noPublicKey) }
        try self.init(der: block)
    }

    /// The kind of the key.
    public var kind: PublicKeyKind { self.encoded.kind }

    /// The size in bits: of the modulus for RSA, of the field for curves; 0 when it is not known.
    public var sizeInBits: Int { self.encoded.bits }

    /// The DER encoding of the SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    public var subjectPublicKeyInfo: [UInt8] { Array(self.encoded.subjectPublicKeyInfo) }

    /// The SHA-256 digest of the SubjectPublicKeyInfo, 32 octets: what RFC 7469, Android, OkHttp and `NSPinnedDomains`
    /// pin.
    public var sha256: [UInt8] { Array(SHA256.hash(data: self.encoded.subjectPublicKeyInfo)) }

    /// ``sha256`` in Base64, as pins are written.
    public var pin: String { Data(self.sha256).base64EncodedString() }

    /// The key without its algorithm: PKCS#1 for RSA, an X9.63 point for curves
    /// (`SecKeyCopyExternalRepresentation`).
    public var externalRepresentation: [UInt8] { self.encoded.key }

    /// Whether two keys are the same bytes.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.encoded.subjectPublicKeyInfo == right.encoded.subjectPublicKeyInfo
    }

    /// Feeds the key's bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.encoded.subjectPublicKeyInfo) }
}

extension PublicKey {
    /// Tells whether the key made a signature (`SecKeyVerifySignature`).
    ///
    /// - Parameters:
    ///   - signature: The signature: the octets of RSA or Ed25519, or the DER encoding of ECDSA's two numbers.
    ///   - content: What is signed, and not its digest.
    ///   - scheme: The family of the signature. RSA-PSS has a salt as long as its digest.
    ///   - digest: What is signed of the content: SHA-1 or one of SHA-2 from 256 bits on; `intrinsic` for Ed25519.
    /// - Returns: `false` also where the key and the scheme do not go together, or the digest is another.
    public func isValidSignature(
        _ signature: [UInt8], over content: [UInt8], scheme: SignatureAlgorithm.Scheme, digest: SignatureDigest
    ) -> Bool {
        self.encoded.made(signature, over: content, scheme: scheme, digest: digest)
    }
}

extension PublicKey: CustomStringConvertible {
    /// The kind and size, as `RSA 2048 bits`, `RSA-PSS 2048 bits` or `P-256`.
    public var description: String {
        guard self.kind == .rsa else { return self.kind.title }
        return "\(self.encoded.isRestrictedToPSS ? "RSA-PSS" : "RSA") \(self.sizeInBits) bits"
    }
}

/// Bytes that are no public key, and what to do about it.
public struct PublicKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// The bytes are no SubjectPublicKeyInfo in DER.
        case malformed(DERError)
        /// A line of the PEM text cannot be read.
        case pem(PEMError)
        /// There is no `BEGIN PUBLIC KEY` block.
        case noPublicKey
    }

    /// What is wrong.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// What is wrong and what to do, for a person.
    public var description: String {
        switch self.code {
        case .malformed(let error):
            "not a public key (\(error)): give a SubjectPublicKeyInfo, as `openssl pkey -pubout -outform der` writes it"
        case .pem(let error): "\(error)"
        case .noPublicKey: "no public key in it: expected a `-----BEGIN PUBLIC KEY-----` block"
        }
    }
}
