//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The SignedData of a CMS message (RFC 5652 §5.1), in DER or BER, read field by field.
struct SignedData {
    /// The message in definite lengths.
    let der: [UInt8]
    /// The fields from `encapContentInfo` on that are not read yet.
    var fields: DERReader

    private static let maximumCertificates = 64

    /// Opens a message.
    ///
    /// - Parameters:
    ///   - encoding: The BER or DER encoding of the message.
    ///   - levels: The levels of BER that are rewritten.
    /// - Throws: ``DERError`` if the encoding is not such a message.
    init(_ encoding: [UInt8], levels: Int) throws(DERError) {
        let der = try BERRewriter.definite(encoding, levels: levels)
        let bytes = der.span
        var message = try DERReader.sole(.sequence, of: ByteRange(0, der.count), in: bytes)
        guard try message.packedIdentifier(in: bytes) == Self.type else { throw DERError(.unexpectedTag, at: 0) }
        let wrapper = try message.next(.constructed(0), in: bytes)
        try message.finish()
        var fields = try DERReader.sole(.sequence, of: wrapper.content, in: bytes)
        _ = try fields.integer(in: bytes)
        _ = try fields.next(.set, in: bytes)
        (self.der, self.fields) = (der, fields)
    }

    /// Reads the certificates, which are the next field. Returns those that can be parsed, at most 64.
    mutating func certificates() throws(DERError) -> [CertificateView] {
        let der = self.der
        let bytes = der.span
        var list = DERReader(try self.fields.optional(.constructed(0), in: bytes)?.content ?? .empty, in: bytes)
        var certificates: [CertificateView] = []
        while !list.isAtEnd, certificates.count < Self.maximumCertificates {
            let element = try list.next(in: bytes)
            if let certificate = try? CertificateView(der: der[element.whole]) { certificates.append(certificate) }
        }
        return certificates
    }

    /// id-signedData, 1.2.840.113549.1.7.2.
    static let type = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
}
