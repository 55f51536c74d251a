//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CertificateView {
    /// Whether the certificate's key made a signature over content that is no certificate, such as TLS's handshake.
    ///
    /// The key counts alone: neither its usages nor the certificate's own signature are looked at.
    ///
    /// - Parameters:
    ///   - signature: The signature as TLS carries it.
    ///   - content: What is signed.
    ///   - scheme: The family of the signature.
    ///   - digest: What the signature is made over; `intrinsic` for Ed25519.
    package func holdsKey(
        thatMade signature: [UInt8], over content: [UInt8], scheme: SignatureAlgorithm.Scheme, digest: SignatureDigest
    ) -> Bool {
        SignatureVerifier.verify(
            signature: signature[...], of: content[...], algorithm: SignatureAlgorithm(scheme, digest),
            with: PublicKeySource(self)) == .valid
    }

    /// Whether the key says that it is for RSA-PSS alone (RFC 4055 §1.2).
    package var isRestrictedToPSS: Bool { self.fields.subjectPublicKeyInfo.isForPSSAlone }
}

extension EncodedPublicKey {
    /// True if the key made a signature over content.
    ///
    /// - Parameters:
    ///   - signature: The signature, as certificates carry it.
    ///   - content: What is signed.
    ///   - scheme: The family of the signature.
    ///   - digest: What the signature is made over; `intrinsic` for Ed25519.
    package func made(
        _ signature: [UInt8], over content: [UInt8], scheme: SignatureAlgorithm.Scheme, digest: SignatureDigest
    ) -> Bool {
        SignatureVerifier.verify(
            signature: signature[...], of: content[...], algorithm: SignatureAlgorithm(scheme, digest),
            with: self.info, in: self.bytes) == .valid
    }
}
