//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath
public import TLSWire

/// The chain that a server presented, and the facts about its connection.
///
/// The chain has not been evaluated. The server has proven possession of its key only if ``handshake`` is ``Handshake/completed``.
public struct PresentedChain: Hashable, Sendable {
    /// The end of a handshake in which certificates arrived.
    public enum Handshake: Hashable, Sendable {
        /// The handshake is complete. The server has proven possession of the private key of the first certificate.
        case completed

        /// The caller refused the chain, and the server was sent the alert `certificate_unknown`.
        ///
        /// Possession of the private key is unproven.
        case refused

        /// The handshake failed for another reason, for example because the server requires a client certificate.
        ///
        /// Possession of the private key is unproven.
        case failed(TLSConnectionError)
    }

    /// The certificates in DER, in the order of the server's message, its own first. There is at least one.
    public let certificates: [[UInt8]]

    /// The end of the handshake.
    public let handshake: Handshake

    /// The version of TLS that the server chose, or `nil` if its ServerHello could not be read.
    public let protocolVersion: TLSProtocolVersion?

    /// The cipher suite that the server chose, or `nil` if its ServerHello could not be read.
    public let cipherSuite: CipherSuite?

    /// `true` if TLS 1.2 or older derives its keys from the whole handshake (RFC 7627). `nil` for TLS 1.3, which always does, and
    /// if the ServerHello could not be read.
    public let usesExtendedMasterSecret: Bool?

    /// The application protocol negotiated by ALPN, such as `h2`, or `nil` if there is none or the handshake did not complete.
    public let applicationProtocol: String?

    /// The IP address and port of the server, such as `192.0.2.1:443` or `[2001:db8::1]:443`.
    public let remoteAddress: String?

    /// `true` if the client answered the server's whole flight with keys, in TLS 1.2 or older, whatever the end of the handshake.
    ///
    /// With an ephemeral key this proves that the server holds its private key: the client answers only after it has verified the
    /// signature over the ephemeral key (RFC 5246 §7.4.3).
    package var isFlightAnswered = false

    /// The key usage that the handshake needs. The key signs in TLS 1.3, and in older versions with ephemeral keys. Otherwise it
    /// decrypts the secret that the client encrypts with it (RFC 5246 §7.4.2).
    package var keyUsage: KeyUsage {
        if self.protocolVersion.map({ $0 >= .tls13 }) ?? false { return .digitalSignature }
        guard let suite = self.cipherSuite else { return [] }
        return suite.hasForwardSecrecy ? .digitalSignature : suite.keyExchange == .rsa ? .keyEncipherment : []
    }

    /// Creates a chain from its parts, for callers that have it from another source.
    ///
    /// - Parameters:
    ///   - certificates: The certificates in DER, the server's own first.
    ///   - handshake: The end of the handshake.
    ///   - protocolVersion: The version of TLS that the server chose.
    ///   - cipherSuite: The cipher suite that the server chose.
    ///   - usesExtendedMasterSecret: `true` if TLS 1.2 or older derives its keys from the whole handshake.
    ///   - applicationProtocol: The protocol negotiated by ALPN.
    ///   - remoteAddress: The IP address and port of the server.
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
