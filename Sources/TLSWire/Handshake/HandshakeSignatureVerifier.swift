//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Verifies signatures over handshakes. The reader of handshakes knows no certificates, so the caller brings one.
public protocol HandshakeSignatureVerifier: Sendable {
    /// Whether the key of a certificate made a signature.
    ///
    /// - Parameters:
    ///   - signature: The signature as TLS carries it.
    ///   - content: What is signed.
    ///   - scheme: The scheme, one that was offered.
    ///   - version: The version of TLS, before 1.3 of which a scheme says nothing about the curve of a key.
    ///   - certificate: The certificate in DER.
    func verifies(
        _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
        keyOf certificate: [UInt8]
    ) -> Bool
}
