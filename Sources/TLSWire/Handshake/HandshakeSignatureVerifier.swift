//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A verifier of signatures over handshakes. The handshake reader does not parse certificates, so the caller supplies one.
public protocol HandshakeSignatureVerifier: Sendable {
    /// Returns `true` if the key of a certificate made a signature.
    ///
    /// - Parameters:
    ///   - signature: The signature as carried in TLS.
    ///   - content: The signed octets.
    ///   - scheme: The scheme, which was offered.
    ///   - version: The version of TLS. Before TLS 1.3 a scheme does not determine the curve of the key.
    ///   - certificate: The certificate in DER.
    func verifies(
        _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
        keyOf certificate: [UInt8]
    ) -> Bool
}
