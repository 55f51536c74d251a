//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What came of a real handshake.
public struct HandshakeResult: Sendable, Hashable {
    /// The version that was agreed on.
    public var version: TLSProtocolVersion?
    /// The cipher suite that was agreed on.
    public var cipherSuite: CipherSuite?
    /// Whether keys older than TLS 1.3's are bound to the handshake.
    public var usesExtendedMasterSecret: Bool?
    /// The group of the ephemeral key; `nil` without an ephemeral key, or where it was not seen.
    public var group: NamedGroup?
    /// The groups that the server says it has, the one it likes best first (RFC 8446 §4.2.7); empty where it says nothing.
    public var supportedGroups: [NamedGroup] = []
    /// What the server proved with that it holds the key; `nil` where it was not seen.
    public var signatureScheme: SignatureScheme?
    /// The protocol that was agreed on.
    public var applicationProtocol: String?
    /// The certificates in DER, the server's own first; empty when it got no further.
    public var certificates: [[UInt8]] = []
    /// The stapled OCSP response, in DER, unread.
    public var ocspResponse: [UInt8]?
    /// The list of signed certificate timestamps (RFC 6962 §3.3.1), unread.
    public var timestamps: [UInt8]?
    /// What is wanted of a client certificate; `nil` where the server does not ask for one, or it was not seen.
    public var certificateRequest: ClientCertificateRequest?
    /// Why the server's flight was not read to its end; `nil` when it was.
    public var failure: ConnectionFailure?
    /// Whether the server has proven to hold the key of the first certificate: by its signature over the handshake, or by
    /// completing it.
    public var isKeyProven = false

    /// A result that nothing is known of yet.
    public init() {}

    /// A result of a handshake that did not begin.
    public init(failure: ConnectionFailure) { self.failure = failure }
}
