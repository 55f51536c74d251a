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

/// The public key of a certificate, for pinning and comparison: the equivalent of Apple's `SecKey`.
///
/// Two keys are equal if their SubjectPublicKeyInfos are the same bytes. ``pin`` is the text to pin a key by.
public struct PublicKey: Sendable, Hashable {
    private let encoded: EncodedPublicKey

    init(_ view: CertificateView) {
        self.encoded = EncodedPublicKey(view)
    }

    /// Parses a public key in DER.
    ///
    /// - Parameter bytes: The DER encoding of a SubjectPublicKeyInfo, as `openssl pkey -pubout -outform der` writes it.
    /// - Throws: ``PublicKeyError`` if the bytes are anything else.
    public init(der bytes: [UInt8]) throws(PublicKeyError) {
        do {
            self.encoded = try EncodedPublicKey(der: bytes)
        } catch {
            throw PublicKeyError(.malformed(error))
        }
    }

    /// Parses the first public key of a PEM text.
    ///
    /// - Parameter pem: Text with a `BEGIN PUBLIC KEY` block, as `openssl pkey -pubout` writes it.
    /// - Throws: ``PublicKeyError`` if there is no key, or it cannot be read.
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

    /// The size in bits of the modulus for RSA, or of the field for curves. 0 if the size is not known.
    public var sizeInBits: Int { self.encoded.bits }

    /// The DER encoding of the SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    public var subjectPublicKeyInfo: [UInt8] { Array(self.encoded.subjectPublicKeyInfo) }

    /// The SHA-256 digest of the SubjectPublicKeyInfo, 32 octets. Pins of RFC 7469, Android, OkHttp and `NSPinnedDomains` are this
    /// digest.
    public var sha256: [UInt8] { Array(SHA256.hash(data: self.encoded.subjectPublicKeyInfo)) }

    /// The Base64 text of ``sha256``, as in pins.
    public var pin: String { Data(self.sha256).base64EncodedString() }

    /// The key without its algorithm: PKCS#1 for RSA, an X9.63 point for curves
    /// (`SecKeyCopyExternalRepresentation`).
    public var externalRepresentation: [UInt8] { self.encoded.key }

    /// Returns `true` if the SubjectPublicKeyInfos of both keys are the same bytes.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.encoded.subjectPublicKeyInfo == right.encoded.subjectPublicKeyInfo
    }

    /// Hashes the bytes of the SubjectPublicKeyInfo.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.encoded.subjectPublicKeyInfo) }
}

extension PublicKey {
    /// Returns `true` if this key made the signature (`SecKeyVerifySignature`).
    ///
    /// - Parameters:
    ///   - signature: The signature: the octets of RSA or Ed25519, or the DER encoding of the two numbers of ECDSA.
    ///   - content: The signed content, not its digest.
    ///   - scheme: The family of the signature. The salt of RSA-PSS must be as long as the digest.
    ///   - digest: The digest algorithm of the signature: SHA-1, or SHA-2 from 256 bits up. `intrinsic` for Ed25519.
    /// - Returns: `false` also if the key does not fit the scheme, or the digest is a different one.
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

/// An error for bytes that are not a public key.
///
/// The description says how to correct the input.
public struct PublicKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// The bytes are not a SubjectPublicKeyInfo in DER.
        case malformed(DERError)
        /// A line of the PEM text cannot be read.
        case pem(PEMError)
        /// The input has no `BEGIN PUBLIC KEY` block.
        case noPublicKey
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// The error and its remedy, in a sentence.
    public var description: String {
        switch self.code {
        case .malformed(let error):
            "not a public key (\(error)): give a SubjectPublicKeyInfo, as `openssl pkey -pubout -outform der` writes it"
        case .pem(let error): "\(error)"
        case .noPublicKey: "no public key in it: expected a `-----BEGIN PUBLIC KEY-----` block"
        }
    }
}
