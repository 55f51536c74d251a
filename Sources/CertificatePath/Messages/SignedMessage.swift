//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A CMS message with signed content (RFC 5652 §5), in DER or BER.
///
/// The certificates are those of the message. The caller decides if the signer is trusted.
package struct SignedMessage: Sendable {
    /// The result of verifying a signature.
    package enum Signature: Sendable, Hashable {
        /// The signer's key made the signature over this content.
        case valid
        /// The signature is over other content, or of another key.
        case invalid
        /// The message does not have the signer's certificate.
        case noCertificate
        /// The algorithm of the signature is not supported.
        case unsupported
    }

    /// One signer of a message.
    package struct Signer: Sendable {
        /// The certificate, or `nil` if the message does not have it.
        package let certificate: CertificateView?
        package let signature: Signature
    }

    /// The signed content.
    package let content: [UInt8]
    /// The certificates that can be parsed, at most 64.
    package let certificates: [CertificateView]
    /// The signers, at most 8. Empty if the message only carries certificates.
    package let signers: [Signer]

    /// The levels of ContentInfo, its content, SignedData, its fields, a SignerInfo, and its fields. The signed data
    /// is deeper and copied as it is.
    private static let levels = 6
    private static let maximumSigners = 8

    /// Returns `true` if octets are a CMS message with encrypted content (RFC 5652 §6).
    package static func isEnveloped(_ octets: [UInt8]) -> Bool { Self.type(of: octets) == Self.envelopedData }

    /// Returns `true` if octets are a CMS message with signed content.
    package static func isSigned(_ octets: [UInt8]) -> Bool { Self.type(of: octets) == SignedData.type }

    /// Reads a message and verifies its signatures.
    ///
    /// - Throws: ``DERError`` if the encoding is not such a message, or has no content of its own.
    package init(_ encoding: [UInt8]) throws(DERError) {
        var data = try SignedData(encoding, levels: Self.levels)
        let der = data.der
        let bytes = der.span
        var information = try data.fields.nested(.sequence, in: bytes)
        let type = try information.next(.objectIdentifier, in: bytes).content
        var explicit = try information.nested(.constructed(0), in: bytes)
        let content = der[try explicit.next(.octetString, in: bytes).content]
        let certificates = try data.certificates()
        _ = try data.fields.optional(.constructed(1), in: bytes)
        var list = try data.fields.nested(.set, in: bytes)
        var signers: [Signer] = []
        while !list.isAtEnd {
            // Every signature has to be valid.
            guard signers.count < Self.maximumSigners else { throw DERError(.tooManyElements, at: 0) }
            let signer = try CMSSigner(from: &list, der)
            signers.append(signer.checked(content, type: der[type], certificates))
        }
        self.content = content
        self.certificates = certificates
        self.signers = signers
    }

    private static func type(of octets: [UInt8]) -> PackedOID? {
        // Only the first octets are read, so the rest of a BER message may have any size.
        guard octets.first == 0x30, octets.count > 15 else { return nil }
        let start = octets[1] & 0x80 == 0 || octets[1] == 0x80 ? 2 : 2 + Int(octets[1] & 0x7F)
        guard start <= 8, octets.count > start + 11, octets[start] == 0x06, octets[start + 1] == 9 else { return nil }
        return PackedOID(Array(octets[(start + 2)..<(start + 11)]))
    }

    /// id-envelopedData, 1.2.840.113549.1.7.3.
    private static let envelopedData = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x03])
}

/// A SignerInfo (RFC 5652 §5.3).
private struct CMSSigner {
    /// The issuer's name and the serial number, or `nil` if the key identifier is used instead.
    private let issuer: (name: [UInt8], serialNumber: [UInt8])?
    private let keyIdentifier: [UInt8]
    private let digest: SignatureDigest?
    /// The attributes in their signed form, as a SET instead of the field (§5.4).
    private let signedAttributes: [UInt8]?
    private let attributes: [[UInt8]: [UInt8]]
    private let algorithm: SignatureAlgorithm
    private let signature: [UInt8]

    init(from list: inout DERReader, _ der: [UInt8]) throws(DERError) {
        let bytes = der.span
        var fields = try list.nested(.sequence, in: bytes)
        _ = try fields.integer(in: bytes)
        if let identifier = try fields.optional(.primitive(0), in: bytes) {
            self.issuer = nil
            self.keyIdentifier = der[identifier.content]
        } else {
            var sole = try fields.nested(.sequence, in: bytes)
            let name = try sole.next(.sequence, in: bytes)
            self.issuer = (der[name.content], der[try sole.integer(in: bytes)])
            self.keyIdentifier = []
        }
        var digest = try fields.nested(.sequence, in: bytes)
        self.digest = Self.digests[der[try digest.next(.objectIdentifier, in: bytes).content]]
        let signed = try fields.optional(.constructed(0), in: bytes)
        self.signedAttributes = signed.map { [0x31] + der[$0.whole].dropFirst() }
        self.attributes =
            try signed.map { element throws(DERError) in try Self.attributes(element.content, der) } ?? [:]
        let algorithm = try fields.next(.sequence, in: bytes).content
        self.signature = der[try fields.next(.octetString, in: bytes).content]
        var identifier = DERReader(algorithm, in: bytes)
        let isPlainRSA = der[try identifier.next(.objectIdentifier, in: bytes).content] == Self.rsaEncryption
        self.algorithm =
            isPlainRSA
            ? self.digest.map { SignatureAlgorithm(.rsaPKCS1, $0) } ?? .unknown
            : try SignatureAlgorithm(algorithm, in: bytes)
    }

    /// Returns the value of each attribute that has one. An attribute that occurs twice gets an empty value (§11).
    private static func attributes(_ content: ByteRange, _ der: [UInt8]) throws(DERError) -> [[UInt8]: [UInt8]] {
        let bytes = der.span
        var list = DERReader(content, in: bytes)
        var attributes: [[UInt8]: [UInt8]] = [:]
        while !list.isAtEnd {
            var attribute = try list.nested(.sequence, in: bytes)
            let type = der[try attribute.next(.objectIdentifier, in: bytes).content]
            var values = try attribute.nested(.set, in: bytes)
            let value = der[try values.next(in: bytes).content]
            attributes[type] = attributes[type] == nil && values.isAtEnd ? value : []
        }
        return attributes
    }

    func checked(_ content: [UInt8], type: [UInt8], _ certificates: [CertificateView]) -> SignedMessage.Signer {
        guard let certificate = certificates.first(where: self.names) else {
            return SignedMessage.Signer(certificate: nil, signature: .noCertificate)
        }
        return SignedMessage.Signer(
            certificate: certificate, signature: self.signature(over: content, type: type, by: certificate))
    }

    private func names(_ certificate: CertificateView) -> Bool {
        guard let issuer else { return certificate.subjectKeyIdentifier == self.keyIdentifier }
        let name = certificate.bytes[certificate.fields.issuer]
        return certificate.serialNumber == issuer.serialNumber && name == issuer.name
    }

    private func signature(
        over content: [UInt8], type: [UInt8], by certificate: CertificateView
    ) -> SignedMessage.Signature {
        guard let digest, let hash = MessageDigest(of: content[...], digest) else { return .unsupported }
        if self.signedAttributes != nil {
            // The signed attributes contain the type and the digest of the content (§5.4).
            guard self.attributes[Self.messageDigest] == hash.octets, self.attributes[Self.contentType] == type else {
                return .invalid
            }
        } else if type != Self.data {
            // Content of another type must be signed with attributes (§5.3).
            return .invalid
        }
        let message = self.signedAttributes ?? content
        let outcome = SignatureVerifier.verify(
            signature: self.signature[...], of: message[...], algorithm: self.algorithm,
            with: PublicKeySource(certificate))
        switch outcome {
        case .valid: return .valid
        case .unsupportedAlgorithm, .unsupportedKey: return .unsupported
        default: return .invalid
        }
    }

    private static let digests: [[UInt8]: SignatureDigest] = [
        [0x2B, 0x0E, 0x03, 0x02, 0x1A]: .sha1, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]: .sha256,
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]: .sha384,
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]: .sha512,
    ]
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    private static let contentType: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
    private static let messageDigest: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04]
}

extension MessageDigest {
    fileprivate var octets: [UInt8] {
        switch self {
        case .sha1(let digest): Array(digest)
        case .sha256(let digest): Array(digest)
        case .sha384(let digest): Array(digest)
        case .sha512(let digest): Array(digest)
        }
    }
}
