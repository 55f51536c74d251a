//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import TLSWire

/// Verifies signatures over handshakes with the engine that verifies certificates.
package struct CertificateKeyVerifier: HandshakeSignatureVerifier {
    /// A verifier.
    package init() {}

    package func verifies(
        _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
        keyOf certificate: [UInt8]
    ) -> Bool {
        guard let row = Self.rows[scheme.rawValue], let view = try? CertificateView(der: certificate) else {
            return false
        }
        // RFC 8446 §4.2.3: since TLS 1.3 a scheme of ECDSA names the curve, too.
        if version >= .tls13, row.scheme == .ecdsa, view.publicKeyKind != row.curve { return false }
        // The schemes of PSS say whether the key is for PSS alone.
        if row.scheme == .rsaPSS, view.isRestrictedToPSS != row.isForPSSKeys { return false }
        return view.holdsKey(thatMade: signature, over: content, scheme: row.scheme, digest: row.digest)
    }

    private typealias Row = (
        scheme: SignatureAlgorithm.Scheme, digest: SignatureDigest, curve: PublicKeyKind?, isForPSSKeys: Bool
    )

    /// The schemes of RFC 8446 §4.2.3 that can be verified. Those of PKCS #1 and over SHA-1 sign no handshake of TLS 1.3.
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
