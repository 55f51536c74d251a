//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a server wants of a client certificate.
public struct ClientCertificateRequest: Sendable, Hashable {
    /// The distinguished names of the authorities it takes, in DER, as many as are kept.
    public var authorities: [[UInt8]] = []
    /// How many there were.
    public var authorityCount = 0
    /// The types of certificates it takes before TLS 1.3 (RFC 5246 §7.4.4, RFC 8422 §5.5): 1 for RSA, 64 for ECDSA and EdDSA;
    /// empty in TLS 1.3, which has none.
    public var certificateTypes: [UInt8] = []
    /// The signatures it takes; empty before TLS 1.2, which names none.
    public var signatureSchemes: [SignatureScheme] = []

    /// A request.
    public init() {}
}
