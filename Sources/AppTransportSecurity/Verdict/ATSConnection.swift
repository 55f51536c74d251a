//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
public import ServerTrust
public import TLSWire

/// What is known of a connection: the facts that requirements are held against.
public struct ATSConnection: Sendable {
    /// Whether it is over TLS, or meant to be; otherwise it is plain HTTP.
    public var usesTLS: Bool
    /// The version that was agreed on.
    public var version: TLSProtocolVersion?
    /// The cipher suite that was agreed on.
    public var cipherSuite: CipherSuite?
    /// Whether TLS 1.2's keys are bound to the handshake (RFC 7627); `nil` when it is not known.
    public var usesExtendedMasterSecret: Bool?
    /// What the server's chain is worth: evaluated with ``ATSRequirements/trustPolicy(hostname:)``.
    public var trust: TrustResult?
    /// Whether the chain counts as trusted and pinned without an evaluation: for questions about what would follow, and
    /// never about a connection that data goes over.
    public var dangerouslyAssumesTrust = false
    /// Why there is no connection; `nil` when there is one.
    public var failure: ATSConnectionFailure?

    /// A connection over TLS, to be filled with facts.
    public init(
        version: TLSProtocolVersion?, cipherSuite: CipherSuite?, usesExtendedMasterSecret: Bool? = nil,
        trust: TrustResult?
    ) {
        self.usesTLS = true
        self.version = version
        self.cipherSuite = cipherSuite
        self.usesExtendedMasterSecret = usesExtendedMasterSecret
        self.trust = trust
    }

    private init(usesTLS: Bool, failure: ATSConnectionFailure?) {
        self.usesTLS = usesTLS
        self.failure = failure
    }

    /// A load over plain HTTP.
    public static let plain = ATSConnection(usesTLS: false, failure: nil)

    /// A connection over TLS that did not come about.
    public static func failed(_ failure: ATSConnectionFailure) -> ATSConnection {
        ATSConnection(usesTLS: true, failure: failure)
    }
}

/// Why there is no connection.
public enum ATSConnectionFailure: Sendable, Hashable {
    /// The name has no address.
    case hostNotFound
    /// Nothing listens, or there is no way to it.
    case notConnected
    /// Nothing came in time.
    case timedOut
    /// The server closed the connection during the handshake.
    case closed
    /// The server ended the handshake with an alert.
    case alert(TLSAlertDescription)
    /// The server does not answer in TLS.
    case notTLS
    /// The server breaks the rules of TLS.
    case protocolError
    /// The server sends more than is read of a handshake.
    case tooMuch
    /// The server agreed on something that was not offered, or nothing offered suits it.
    case nothingInCommon
    /// TLS ended the handshake: the key usage of the server's certificate does not allow what its key is to do in it.
    case keyUsage(missing: KeyUsage)
    /// The server ended the handshake with an alert after its own certificate was accepted: it wants one of the client.
    case clientCertificate(TLSAlertDescription)
}
