//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOSSL
public import ServerTrust

/// The settings of a ``ClientTrustGate``: the authorities of clients, and the server's own identity (mutual TLS).
///
/// The settings are a `Hashable` value. The properties of ``trust`` are properties of the settings, too.
@dynamicMemberLookup
public struct ClientTrustSettings: Sendable {
    /// The treatment of clients that present no certificate.
    public enum Presentation: Sendable, Hashable {
        /// Clients without a certificate are refused.
        case required
        /// Clients without a certificate are let through without an identity.
        case optional
    }

    /// The authorities of clients, and the rules for the evaluation of their chains. Use your own authorities, because public ones
    /// issue certificates to the general public.
    public var trust: TrustConfiguration

    /// The server's side of TLS: its chain and key, application protocols, versions, cipher suites. Roots and verification are
    /// replaced. The minimum version is at least TLS 1.2.
    public var tls: TLSConfiguration

    /// The treatment of clients that present no certificate.
    public var presentation = Presentation.required

    /// The pins that the path of each client must match, or `nil` if there are none.
    public var pins: PinSet?

    /// `true` to send clients the names of the program's own anchors, so that they can choose among certificates (RFC 8446 §4.2.4).
    /// The names of anchors in stores are not sent, because there are too many.
    public var sendsAuthorityNames = true

    /// The time for a handshake, counted from the moment the channel is connected.
    public var handshakeTimeout: Duration = .seconds(20)

    /// The maximum number of certificates from a client. BoringSSL accepts at most 100 KiB of them.
    public var maximumCertificateCount = 100

    /// The maximum number of bytes that wait for the verdict. A write above the limit refuses the connection with
    /// ``PendingWritesError``.
    public var maximumPendingBytes = 1 << 20

    /// Creates settings, with safe defaults for the other properties.
    ///
    /// - Parameters:
    ///   - trust: The authorities of clients, such as `.only([ourRoot])`, and the rules. Nothing is fetched.
    ///   - tls: The server's side of TLS, as made by `TLSConfiguration.makeServerConfiguration`.
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
    /// Returns `true` if both settings judge connections alike.
    public static func == (left: ClientTrustSettings, right: ClientTrustSettings) -> Bool {
        left.compared == right.compared && left.tls.bestEffortEquals(right.tls)
    }

    /// Hashes the compared values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.compared)
        self.tls.hashWithoutKey(into: &hasher)
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
