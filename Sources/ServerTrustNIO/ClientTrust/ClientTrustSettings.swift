//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOSSL
public import ServerTrust

/// Which clients a server trusts, and who the server is (mutual TLS).
///
/// A value, and Hashable.
public struct ClientTrustSettings: Sendable {
    /// What becomes of clients that present no certificate.
    public enum Presentation: Sendable, Hashable {
        /// They are refused.
        case required
        /// They are let through without an identity.
        case optional
    }

    /// The authorities of clients. Public authorities issue for everyone: trust your own.
    public var anchors: TrustAnchors

    /// The server's own side: its chain and key, application protocols, versions, cipher suites. Roots and verification are
    /// replaced. Versions older than TLS 1.2 are not spoken.
    public var tls: TLSConfiguration

    /// What becomes of clients that present no certificate.
    public var presentation = Presentation.required

    /// What the path of each client must have; `nil` when nothing is pinned.
    public var pins: PinSet?

    /// Whether and how revocation is checked, with the lists and responses there are. By default what is put here counts.
    public var revocation = RevocationPolicy.atHand

    /// Whether clients are told the names of ``anchors`` that the program gave, so that they can choose among certificates
    /// (RFC 8446 §4.2.4). Those of stores are not told: they are too many.
    public var sendsAuthorityNames = true

    /// Remembers signatures from one connection to the next; `nil` verifies every signature every time.
    public var signatureCache: SignatureCache? = SignatureCache(remembersLeaves: true)

    /// The time for a handshake, from when there is a connection.
    public var handshakeTimeout: Duration = .seconds(20)

    /// The number of certificates accepted from a client. BoringSSL takes no more than 100 KiB of them.
    public var maximumCertificateCount = 100

    /// The number of bytes that wait for the verdict. With a write beyond, the connection is refused with ``PendingWritesError``.
    public var maximumPendingBytes = 1 << 20

    /// Settings with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - anchors: The authorities of clients.
    ///   - tls: The server's own side, as `TLSConfiguration.makeServerConfiguration` makes it.
    public init(anchors: TrustAnchors, tls: TLSConfiguration) {
        self.anchors = anchors
        self.tls = tls
    }
}

extension ClientTrustSettings: Hashable {
    /// Whether connections are judged alike. What remembers signatures changes no verdict and is not compared.
    public static func == (left: ClientTrustSettings, right: ClientTrustSettings) -> Bool {
        left.compared == right.compared && left.tls.bestEffortEquals(right.tls)
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.compared)
        self.tls.bestEffortHash(into: &hasher)
    }

    private struct Compared: Hashable {
        let anchors: TrustAnchors
        let presentation: Presentation
        let pins: PinSet?
        let revocation: RevocationPolicy
        let sendsAuthorityNames: Bool
        let handshakeTimeout: Duration
        let maximumCertificateCount, maximumPendingBytes: Int
    }

    private var compared: Compared {
        Compared(
            anchors: self.anchors, presentation: self.presentation, pins: self.pins, revocation: self.revocation,
            sendsAuthorityNames: self.sendsAuthorityNames, handshakeTimeout: self.handshakeTimeout,
            maximumCertificateCount: self.maximumCertificateCount, maximumPendingBytes: self.maximumPendingBytes)
    }
}
