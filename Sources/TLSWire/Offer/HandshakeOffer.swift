//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What is offered in a real handshake.
public struct HandshakeOffer: Sendable, Hashable {
    /// The oldest version.
    public var minimumVersion = TLSProtocolVersion.tls10
    /// The newest version.
    public var maximumVersion = TLSProtocolVersion.tls13
    /// The cipher suites in their order; `nil` for none before TLS 1.3. Of TLS 1.3, all that can be read are offered, those
    /// first that are named here.
    public var cipherSuites: [CipherSuite]?
    /// The groups; `nil` for all that there are keys of.
    public var groups: [NamedGroup]?
    /// The signature schemes; `nil` for all that can be verified.
    public var signatureSchemes: [SignatureScheme]?
    /// The server's name; `nil` sends none.
    public var serverName: String?
    /// The protocols of ALPN.
    public var applicationProtocols: [String] = []
    /// How the hello is arranged; `nil` for the prober's own way.
    public var form: ClientHelloForm?
    /// Whether a TLS library completes the handshake at once, as the server is known to sign nothing.
    package var isCompleted = false

    /// An offer of everything.
    public init() {}
}
