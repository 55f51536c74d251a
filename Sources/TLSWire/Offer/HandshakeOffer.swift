//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The offer of a complete handshake.
///
/// A complete handshake has real keys, and the server's flight is read to its end (``HandshakeReader``).
public struct HandshakeOffer: Sendable, Hashable {
    /// The oldest version.
    public var minimumVersion = TLSProtocolVersion.tls10
    /// The newest version.
    public var maximumVersion = TLSProtocolVersion.tls13
    /// The cipher suites in their order, or `nil` to offer none before TLS 1.3. Of TLS 1.3, all readable suites are offered,
    /// beginning with those named here.
    public var cipherSuites: [CipherSuite]?
    /// The groups, or `nil` for all groups with supported keys.
    public var groups: [NamedGroup]?
    /// The signature schemes, or `nil` for all schemes that can be verified.
    public var signatureSchemes: [SignatureScheme]?
    /// The server's name, or `nil` to send none.
    public var serverName: String?
    /// The protocols of ALPN.
    public var applicationProtocols: [String] = []
    /// The arrangement of the hello, or `nil` for the prober's own.
    public var form: ClientHelloForm?
    /// `true` if a TLS library completes the handshake at once, because the server is known to sign nothing.
    package var isCompleted = false

    /// Creates an offer of all versions, groups and signature schemes, without cipher suites for TLS 1.2 and older.
    public init() {}
}
