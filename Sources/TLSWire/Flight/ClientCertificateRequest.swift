//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A server's request for a client certificate.
///
/// It lists the authorities, certificate types and signature schemes that the server accepts, so that a client can choose a fitting
/// certificate.
public struct ClientCertificateRequest: Sendable, Hashable {
    /// The distinguished names of the accepted authorities in DER, up to a limit.
    public var authorities: [[UInt8]] = []
    /// The number of authorities in the request, including those beyond the limit.
    public var authorityCount = 0
    /// The accepted types of certificates before TLS 1.3 (RFC 5246 §7.4.4, RFC 8422 §5.5): 1 for RSA, 64 for ECDSA and EdDSA. TLS
    /// 1.3 has no such list, and it is empty.
    public var certificateTypes: [UInt8] = []
    /// The accepted signature schemes. Versions before TLS 1.2 have no such list, and it is empty.
    public var signatureSchemes: [SignatureScheme] = []

    /// Creates a request without any constraint.
    public init() {}
}
