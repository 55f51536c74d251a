//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CertificateView {
    /// Returns `true` if the certificate's key made a signature over content other than a certificate, such as a TLS handshake.
    ///
    /// Only the key is used. Its usages and the certificate's own signature are not checked.
    ///
    /// - Parameters:
    ///   - signature: The signature as TLS carries it.
    ///   - content: The signed content.
    ///   - scheme: The family of the signature.
    ///   - digest: The digest of the signature, `intrinsic` for Ed25519.
    package func holdsKey(
        thatMade signature: [UInt8], over content: [UInt8], scheme: SignatureAlgorithm.Scheme, digest: SignatureDigest
    ) -> Bool {
        SignatureVerifier.verify(
            signature: signature[...], of: content[...], algorithm: SignatureAlgorithm(scheme, digest),
            with: PublicKeySource(self)) == .valid
    }
}

extension EncodedPublicKey {
    /// Returns `true` if the key made a signature over content.
    ///
    /// - Parameters:
    ///   - signature: The signature as certificates carry it.
    ///   - content: The signed content.
    ///   - scheme: The family of the signature.
    ///   - digest: The digest of the signature, `intrinsic` for Ed25519.
    package func made(
        _ signature: [UInt8], over content: [UInt8], scheme: SignatureAlgorithm.Scheme, digest: SignatureDigest
    ) -> Bool {
        SignatureVerifier.verify(
            signature: signature[...], of: content[...], algorithm: SignatureAlgorithm(scheme, digest),
            with: self.info, in: self.bytes) == .valid
    }
}
