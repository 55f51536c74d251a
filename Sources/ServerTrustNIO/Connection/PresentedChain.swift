//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath
public import TLSWire

/// The certificates a server presented, and what is known of the connection it presented them on.
///
/// Nothing in here has been judged, and nothing has been proven unless ``handshake`` is ``Handshake/completed``.
public struct PresentedChain: Hashable, Sendable {
    /// How the handshake ended after the certificates had arrived.
    public enum Handshake: Hashable, Sendable {
        /// The handshake completed: the server has proven that it holds the private key of the first certificate.
        case completed

        /// The caller's decision ended the handshake; the server was sent the alert `certificate_unknown`.
        ///
        /// Whether the server holds the private key is not known.
        case refused

        /// The handshake failed for another reason, for example because the server wants a client certificate.
        ///
        /// Whether the server holds the private key is not known.
        case failed(TLSConnectionError)
    }

    /// The certificates in DER, in the order the server sent them, its own first; never empty.
    public let certificates: [[UInt8]]

    /// How the handshake ended.
    public let handshake: Handshake

    /// The version of TLS the server chose, if its ServerHello could be read.
    public let protocolVersion: TLSProtocolVersion?

    /// The cipher suite the server chose, if its ServerHello could be read.
    public let cipherSuite: CipherSuite?

    /// Whether TLS 1.2 or older binds its keys to the whole handshake (RFC 7627); `nil` for TLS 1.3, whose keys always
    /// are, and if the ServerHello could not be read.
    public let usesExtendedMasterSecret: Bool?

    /// The application protocol negotiated by ALPN, such as `h2`, if there is one and the handshake completed.
    public let applicationProtocol: String?

    /// The IP address and port connected to, such as `192.0.2.1:443` or `[2001:db8::1]:443`.
    public let remoteAddress: String?

    /// Whether the server's whole flight was answered with keys, in TLS 1.2 or older, however the handshake ended.
    ///
    /// With an ephemeral key the server has proven then to hold its own: the flight is answered only after the signature over
    /// the key was found to be right (RFC 5246 §7.4.3).
    package var isFlightAnswered = false

    /// The uses that the handshake makes of the certificate's key: it signs, always in TLS 1.3 and before that with ephemeral
    /// keys, or it deciphers what the client encrypts with it (RFC 5246 §7.4.2).
    package var keyUsage: KeyUsage {
        if self.protocolVersion.map({ $0 >= .tls13 }) ?? false { return .digitalSignature }
        guard let suite = self.cipherSuite else { return [] }
        return suite.hasForwardSecrecy ? .digitalSignature : suite.keyExchange == .rsa ? .keyEncipherment : []
    }

    /// Creates a chain from its parts, for callers that have it from elsewhere.
    ///
    /// - Parameters:
    ///   - certificates: The certificates in DER, the server's own first.
    ///   - handshake: How the handshake ended.
    ///   - protocolVersion: The version of TLS the server chose.
    ///   - cipherSuite: The cipher suite the server chose.
    ///   - usesExtendedMasterSecret: Whether keys older than TLS 1.3's are bound to the handshake.
    ///   - applicationProtocol: The protocol negotiated by ALPN.
    ///   - remoteAddress: The IP address and port connected to.
    public init(
        certificates: [[UInt8]],
        handshake: Handshake,
        protocolVersion: TLSProtocolVersion? = nil,
        cipherSuite: CipherSuite? = nil,
        usesExtendedMasterSecret: Bool? = nil,
        applicationProtocol: String? = nil,
        remoteAddress: String? = nil
    ) {
        self.certificates = certificates
        self.handshake = handshake
        self.protocolVersion = protocolVersion
        self.cipherSuite = cipherSuite
        self.usesExtendedMasterSecret = usesExtendedMasterSecret
        self.applicationProtocol = applicationProtocol
        self.remoteAddress = remoteAddress
    }
}
