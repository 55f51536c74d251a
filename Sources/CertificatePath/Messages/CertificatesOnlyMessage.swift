//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CertificateView {
    /// Reads the certificates of a PKCS#7 message without signed content (RFC 5652 §5, "certs-only"), one of the
    /// formats in which issuers are published (RFC 5280 §4.2.2.1).
    ///
    /// The message is not signed, so a certificate is not trusted for being in it. The message may be BER. Its
    /// certificates are taken as they are, and must be DER.
    ///
    /// - Parameter encoding: The BER or DER encoding of the message.
    /// - Returns: The certificates that can be parsed, at most 64.
    /// - Throws: ``DERError`` if the encoding is not such a message.
    public static func certificates(inCertificatesOnlyMessage encoding: [UInt8]) throws(DERError) -> [CertificateView] {
        var data = try SignedData(encoding, levels: Self.messageLevels)
        let der = data.der
        _ = try data.fields.next(.sequence, in: der.span)
        return try data.certificates()
    }

    /// The levels of ContentInfo, its content, SignedData and its fields, one of which is the list of certificates.
    private static let messageLevels = 4
}
