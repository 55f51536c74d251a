//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A question to an OCSP responder about one certificate (RFC 6960 §4.1.1), not signed.
public struct OCSPRequest: Sendable, Hashable {
    /// The digest that names the issuer. Not a matter of security: it only says who is meant.
    public enum Digest: String, Sendable, Hashable, CaseIterable {
        /// What every responder understands (RFC 5019 §2.1.1).
        case sha1
        /// What RFC 9654 wants responders to understand.
        case sha256
    }

    /// The DER encoding.
    public let bytes: [UInt8]
    /// The nonce that was asked with; `nil` without one.
    public let nonce: [UInt8]?

    /// How many octets a nonce should have (RFC 9654 §2.1).
    public static let recommendedNonceSize = 32
    /// How many octets a nonce may have (RFC 9654 §2.1).
    static let nonceSizes = 1...128

    /// A question.
    ///
    /// - Parameters:
    ///   - certificate: The certificate asked about.
    ///   - issuer: The certificate of its issuer, whose key is digested.
    ///   - digest: The digest that names the issuer.
    ///   - nonce: 1 to 128 unpredictable octets, 32 by recommendation, which a fresh answer repeats; `nil` to accept
    ///     answers made in advance, as most are. Octets of another number are left out.
    public init(
        for certificate: CertificateView, issuer: CertificateView, digest: Digest = .sha1, nonce: [UInt8]? = nil
    ) {
        let usable = nonce.flatMap { Self.nonceSizes.contains($0.count) ? $0 : nil }
        let request = DERWriter.element(.sequence, Self.identifier(of: certificate, issuer, digest))
        let list = DERWriter.element(.sequence, request)
        let extensions = usable.map { DERWriter.element(.constructed(2), Self.extensions(nonce: $0)) } ?? []
        self.bytes = DERWriter.element(.sequence, DERWriter.element(.sequence, list + extensions))
        self.nonce = usable
    }

    /// `CertID`: the issuer's name as the certificate has it, the key without its algorithm, and the serial number.
    private static func identifier(
        of certificate: CertificateView, _ issuer: CertificateView, _ digest: Digest
    ) -> [UInt8] {
        let identifier = digest == .sha1 ? OCSPDigest.sha1 : OCSPDigest.sha256
        let algorithm = DERWriter.element(
            .sequence, DERWriter.element(.objectIdentifier, identifier) + DERWriter.element(.null, []))
        let hashes = [certificate.encodedIssuer, issuer.publicKeyBytes].flatMap { data in
            DERWriter.element(.octetString, OCSPDigest.hash(data, PackedOID(identifier)) ?? [])
        }
        let serial = DERWriter.element(.integer, certificate.serialNumber)
        return DERWriter.element(.sequence, algorithm + hashes + serial)
    }

    /// RFC 9654 §2.1: the value of the extension is itself an OCTET STRING.
    private static func extensions(nonce: [UInt8]) -> [UInt8] {
        let value = DERWriter.element(.octetString, DERWriter.element(.octetString, nonce))
        let item = DERWriter.element(.objectIdentifier, OCSPDigest.nonceType) + value
        return DERWriter.element(.sequence, DERWriter.element(.sequence, item))
    }
}

/// The digests a `CertID` may use, by the contents of their identifiers.
enum OCSPDigest {
    static let sha1: [UInt8] = [0x2B, 0x0E, 0x03, 0x02, 0x1A]
    static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    /// id-pkix-ocsp-nonce.
    static let nonceType: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x02]

    /// The digest of some data; `nil` for an algorithm that is not known.
    static func hash(_ data: [UInt8], _ algorithm: PackedOID) -> [UInt8]? {
        switch algorithm {
        case Self.packedSHA1: Array(Insecure.SHA1.hash(data: data))
        case Self.packedSHA256: Array(SHA256.hash(data: data))
        case Self.packedSHA384: Array(SHA384.hash(data: data))
        case Self.packedSHA512: Array(SHA512.hash(data: data))
        default: nil
        }
    }

    private static let packedSHA1 = PackedOID(Self.sha1)
    private static let packedSHA256 = PackedOID(Self.sha256)
    private static let packedSHA384 = PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02])
    private static let packedSHA512 = PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03])
}
