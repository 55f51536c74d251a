//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOSSL
public import ServerTrust

/// Which clients a server trusts, and who the server is (mutual TLS).
///
/// A value, and Hashable. The properties of ``trust`` are properties of the settings, too.
@dynamicMemberLookup
public struct ClientTrustSettings: Sendable {
    /// What becomes of clients that present no certificate.
    public enum Presentation: Sendable, Hashable {
        /// They are refused.
        case required
        /// They are let through without an identity.
        case optional
    }

    /// The authorities of clients, and the rules that their chains are evaluated by. Public authorities issue for everyone:
    /// trust your own.
    public var trust: TrustConfiguration

    /// The server's own side: its chain and key, application protocols, versions, cipher suites. Roots and verification are
    /// replaced. Versions older than TLS 1.2 are not spoken.
    public var tls: TLSConfiguration

    /// What becomes of clients that present no certificate.
    public var presentation = Presentation.required

    /// What the path of each client must have; `nil` when nothing is pinned.
    public var pins: PinSet?

    /// Whether clients are told the names of the anchors that the program gave, so that they can choose among certificates
    /// (RFC 8446 §4.2.4). Those of stores are not told: they are too many.
    public var sendsAuthorityNames = true

    /// The time for a handshake, from when there is a connection.
    public var handshakeTimeout: Duration = .seconds(20)

    /// The number of certificates accepted from a client. BoringSSL takes no more than 100 KiB of them.
    public var maximumCertificateCount = 100

    /// The number of bytes that wait for the verdict. With a write beyond, the connection is refused with ``PendingWritesError``.
    public var maximumPendingBytes = 1 << 20

    /// Settings with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - trust: The authorities of clients, such as `.only([ourRoot])`, and the rules. Nothing is fetched.
    ///   - tls: The server's own side, as `TLSConfiguration.makeServerConfiguration` makes it.
    public init(trust: TrustConfiguration, tls: TLSConfiguration) {
        self.trust = trust.rememberingSignatures
        self.tls = tls
    }

    /// A property of ``trust``.
    public subscript<Value>(dynamicMember property: WritableKeyPath<TrustConfiguration, Value>) -> Value {
        get { self.trust[keyPath: property] }
        set { self.trust[keyPath: property] = newValue }
    }
}

extension ClientTrustSettings: Hashable {
    /// Whether connections are judged alike.
    public static func == (left: ClientTrustSettings, right: ClientTrustSettings) -> Bool {
        left.compared == right.compared && left.tls.bestEffortEquals(right.tls)
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.compared)
        self.tls.bestEffortHash(into: &hasher)
    }

    private struct Compared: Hashable {
        let trust: TrustConfiguration
        let presentation: Presentation
        let pins: PinSet?
        let sendsAuthorityNames: Bool
        let handshakeTimeout: Duration
        let maximumCertificateCount, maximumPendingBytes: Int
    }

    private var compared: Compared {
        Compared(
            trust: self.trust, presentation: self.presentation, pins: self.pins,
            sendsAuthorityNames: self.sendsAuthorityNames, handshakeTimeout: self.handshakeTimeout,
            maximumCertificateCount: self.maximumCertificateCount, maximumPendingBytes: self.maximumPendingBytes)
    }
}
