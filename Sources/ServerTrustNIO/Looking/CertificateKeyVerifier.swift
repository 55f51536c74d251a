//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import TLSWire

/// A verifier of handshake signatures that uses the same cryptography as the evaluation of certificates.
package struct CertificateKeyVerifier: HandshakeSignatureVerifier {
    package init() {}

    package func verifies(
        _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
        keyOf certificate: [UInt8]
    ) -> Bool {
        guard let row = Self.rows[scheme.rawValue], let view = try? CertificateView(der: certificate) else {
            return false
        }
        // RFC 8446 §4.2.3: from TLS 1.3 on, an ECDSA scheme names the curve as well.
        if version >= .tls13, row.scheme == .ecdsa, view.publicKeyKind != row.curve { return false }
        // An RSA-PSS scheme names the type of key: rsaEncryption, or RSASSA-PSS only.
        if row.scheme == .rsaPSS, view.hasRSAPSSKey != row.isForPSSKeys { return false }
        return view.holdsKey(thatMade: signature, over: content, scheme: row.scheme, digest: row.digest)
    }

    private typealias Row = (
        scheme: SignatureAlgorithm.Scheme, digest: SignatureDigest, curve: PublicKeyKind?, isForPSSKeys: Bool
    )

    /// The verifiable schemes of RFC 8446 §4.2.3. The schemes with PKCS #1 or SHA-1 sign no handshake of TLS 1.3.
    private static let rows: [UInt16: Row] = [
        0x0201: (.rsaPKCS1, .sha1, nil, false), 0x0203: (.ecdsa, .sha1, nil, false),
        0x0401: (.rsaPKCS1, .sha256, nil, false), 0x0501: (.rsaPKCS1, .sha384, nil, false),
        0x0601: (.rsaPKCS1, .sha512, nil, false),
        0x0403: (.ecdsa, .sha256, .p256, false), 0x0503: (.ecdsa, .sha384, .p384, false),
        0x0603: (.ecdsa, .sha512, .p521, false),
        0x0804: (.rsaPSS, .sha256, nil, false), 0x0805: (.rsaPSS, .sha384, nil, false),
        0x0806: (.rsaPSS, .sha512, nil, false),
        0x0809: (.rsaPSS, .sha256, nil, true), 0x080A: (.rsaPSS, .sha384, nil, true),
        0x080B: (.rsaPSS, .sha512, nil, true),
        0x0807: (.ed25519, .intrinsic, nil, false),
    ]
}
