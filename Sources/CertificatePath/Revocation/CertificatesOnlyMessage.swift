//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CertificateView {
    /// The certificates of a PKCS#7 message that holds nothing else (RFC 5652 §5, “certs-only”): one of the forms issuers
    /// are published in (RFC 5280 §4.2.2.1).
    ///
    /// Nothing about the message is signed, and nothing is believed for being in it. The message may be BER. Its certificates are
    /// taken as they are, and must be DER.
    ///
    /// - Parameter encoding: The BER or DER encoding of the message.
    /// - Returns: The certificates that can be read, at most 64.
    /// - Throws: ``DERError`` when it is no such message.
    public static func certificates(inCertificatesOnlyMessage encoding: [UInt8]) throws(DERError) -> [CertificateView] {
        let der = try BERRewriter.definite(encoding, levels: Self.messageLevels)
        let span = der.span
        var message = try DERReader.sole(.sequence, of: ByteRange(0, der.count), in: span)
        guard try message.packedIdentifier(in: span) == Self.signedData else {
            throw DERError(.unexpectedTag, at: 0)
        }
        let wrapper = try message.next(.constructed(0), in: span)
        try message.finish()
        var signedData = try DERReader.sole(.sequence, of: wrapper.content, in: span)
        _ = try signedData.integer(in: span)
        _ = try signedData.next(.set, in: span)
        _ = try signedData.next(.sequence, in: span)
        var list = DERReader(try signedData.optional(.constructed(0), in: span)?.content ?? .empty, in: span)
        var certificates: [CertificateView] = []
        while !list.isAtEnd, certificates.count < 64 {
            let element = try list.next(in: span)
            if let certificate = try? CertificateView(der: der[element.whole]) { certificates.append(certificate) }
        }
        return certificates
    }

    /// ContentInfo, its content, SignedData and the fields of it, the list of certificates among them.
    private static let messageLevels = 4

    /// id-signedData, 1.2.840.113549.1.7.2.
    private static let signedData = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
}
