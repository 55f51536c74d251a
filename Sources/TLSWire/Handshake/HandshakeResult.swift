//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The facts that a complete handshake showed about a server.
///
/// They are authenticated only if ``isKeyProven`` is `true`. A handshake that failed has a ``failure`` and all facts known before
/// it.
public struct HandshakeResult: Sendable, Hashable {
    /// The negotiated version.
    public var version: TLSProtocolVersion?
    /// The negotiated cipher suite.
    public var cipherSuite: CipherSuite?
    /// `true` if the extended master secret binds the keys of TLS 1.2 or older to the handshake.
    public var usesExtendedMasterSecret: Bool?
    /// The group of the ephemeral key. It is `nil` without an ephemeral key, or if the key was not seen.
    public var group: NamedGroup?
    /// The groups that the server supports, in its order (RFC 8446 §4.2.7). They are empty if the server lists none.
    public var supportedGroups: [NamedGroup] = []
    /// The scheme of the signature by which the server proved its key, or `nil` if it was not seen.
    public var signatureScheme: SignatureScheme?
    /// The negotiated application protocol.
    public var applicationProtocol: String?
    /// The certificates in DER, the server's own first. They are empty if the handshake failed earlier.
    public var certificates: [[UInt8]] = []
    /// The stapled OCSP response in DER, not parsed.
    public var ocspResponse: [UInt8]?
    /// The list of signed certificate timestamps (RFC 6962 §3.3.1), not parsed.
    public var timestamps: [UInt8]?
    /// The request for a client certificate. It is `nil` if the server does not request one, or if the request was not seen.
    public var certificateRequest: ClientCertificateRequest?
    /// The reason that the flight was not read to its end, or `nil` if it was.
    public var failure: ConnectionFailure?
    /// `true` if the server proved that it holds the key of the first certificate, by a signature over the handshake or by
    /// completing the handshake.
    public var isKeyProven = false

    /// Creates a result without facts.
    public init() {}

    /// Creates the result of a handshake that did not begin.
    public init(failure: ConnectionFailure) { self.failure = failure }
}
