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
        var data = try SignedData(encoding, levels: Self.messageLevels)
        let der = data.der
        _ = try data.fields.next(.sequence, in: der.span)
        return try data.certificates()
    }

    /// ContentInfo, its content, SignedData and the fields of it, the list of certificates among them.
    private static let messageLevels = 4
}
