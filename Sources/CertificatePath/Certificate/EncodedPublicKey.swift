//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A SubjectPublicKeyInfo outside of any certificate (RFC 5280 §4.1.2.7).
package struct EncodedPublicKey: Sendable {
    /// The buffer that contains the key: its DER encoding, or a whole certificate.
    package let bytes: [UInt8]
    let info: SubjectPublicKeyInfo

    /// Parses a key.
    ///
    /// - Parameter der: The DER encoding of one SubjectPublicKeyInfo, without trailing bytes.
    /// - Throws: ``DERError`` with the broken rule and the byte offset.
    package init(der: [UInt8]) throws(DERError) {
        guard der.count <= CertificateFields.maximumSize else { throw DERError(.tooLarge, at: 0) }
        var reader = DERReader(all: der.span)
        self.info = try SubjectPublicKeyInfo(&reader, in: der.span)
        try reader.finish()
        self.bytes = der
    }

    package init(_ certificate: CertificateView) {
        self.info = certificate.fields.subjectPublicKeyInfo
        self.bytes = certificate.bytes
    }

    package var kind: PublicKeyKind { self.info.kind }
    /// `true` if the key is RSA and restricted to RSASSA-PSS (RFC 4055 §1.2).
    package var isRestrictedToPSS: Bool { self.info.isForPSSAlone }
    /// The size in bits, 0 if it is unknown.
    package var bits: Int { self.info.bits }
    /// The SubjectPublicKeyInfo without the certificate around it.
    package var subjectPublicKeyInfo: ArraySlice<UInt8> { self.bytes.slice(self.info.whole) }
    /// The content of the BIT STRING.
    package var key: [UInt8] { self.bytes[self.info.key] }
}
