//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// An unsigned request to an OCSP responder about one certificate (RFC 6960 §4.1.1).
///
/// Send ``bytes`` to one of ``CertificateView/ocspURLs``. Wrap the response in a ``RequestedOCSPResponse``, so that its
/// nonce is checked, and add it to ``RevocationPolicy/requestedResponses``.
public struct OCSPRequest: Sendable, Hashable {
    /// The digest that names the issuer. Its strength does not matter, because it only identifies the issuer.
    public enum Digest: String, Sendable, Hashable, CaseIterable {
        /// SHA-1, which every responder supports (RFC 5019 §2.1.1).
        case sha1
        /// SHA-256, which responders should support (RFC 9654).
        case sha256
    }

    /// The DER encoding.
    public let bytes: [UInt8]
    /// The nonce of the request, or `nil` if it has none.
    public let nonce: [UInt8]?

    /// The recommended size of a nonce in octets (RFC 9654 §2.1).
    public static let recommendedNonceSize = 32
    /// The allowed sizes of a nonce in octets (RFC 9654 §2.1).
    static let nonceSizes = 1...128

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that the request is about.
    ///   - issuer: The certificate of its issuer, with the key to digest.
    ///   - digest: The digest that names the issuer.
    ///   - nonce: 1 to 128 unpredictable octets, preferably 32, which a fresh response repeats. `nil` accepts
    ///     responses made in advance, as most are. A nonce of another size is omitted.
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

    /// Returns the `CertID`: the issuer's name in the encoding of the certificate, the key without its algorithm, and
    /// the serial number.
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

    /// Returns the extensions. The value of the nonce extension is itself an OCTET STRING (RFC 9654 §2.1).
    private static func extensions(nonce: [UInt8]) -> [UInt8] {
        let value = DERWriter.element(.octetString, DERWriter.element(.octetString, nonce))
        let item = DERWriter.element(.objectIdentifier, OCSPDigest.nonceType) + value
        return DERWriter.element(.sequence, DERWriter.element(.sequence, item))
    }
}

/// The digests for a `CertID`, by the contents of their identifiers.
enum OCSPDigest {
    static let sha1: [UInt8] = [0x2B, 0x0E, 0x03, 0x02, 0x1A]
    static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    /// The identifier id-pkix-ocsp-nonce.
    static let nonceType: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x02]

    /// Returns the digest of data, or `nil` if the algorithm is unknown.
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
