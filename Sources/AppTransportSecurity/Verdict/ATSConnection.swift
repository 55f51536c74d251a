//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
public import ServerTrust
public import TLSWire

/// The known facts about a connection, for the evaluation by ``ATSRequirements/verdict(on:)``.
///
/// A missing fact that is required counts against the connection.
public struct ATSConnection: Sendable {
    /// `true` for a connection over TLS, even if it failed. `false` means plain HTTP.
    public var usesTLS: Bool
    /// The negotiated version.
    public var version: TLSProtocolVersion?
    /// The negotiated cipher suite.
    public var cipherSuite: CipherSuite?
    /// `true` if the extended master secret binds TLS 1.2's keys to the handshake (RFC 7627), or `nil` if it is not known.
    public var usesExtendedMasterSecret: Bool?
    /// The trust in the server's chain, evaluated with ``ATSRequirements/trustPolicy(hostname:)``.
    public var trust: TrustResult?
    /// `true` to treat the chain as trusted and pinned without an evaluation.
    ///
    /// It serves to find out what would follow. Never set it for a connection that carries data.
    public var dangerouslyAssumesTrust = false
    /// The reason that there is no connection, or `nil` if there is one.
    public var failure: ATSConnectionFailure?

    /// Creates a connection over TLS from its facts.
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

    /// Creates a failed connection over TLS.
    public static func failed(_ failure: ATSConnectionFailure) -> ATSConnection {
        ATSConnection(usesTLS: true, failure: failure)
    }
}

/// The reason that there is no connection.
///
/// Each reason corresponds to codes that Apple's systems report for such a failure.
public enum ATSConnectionFailure: Sendable, Hashable {
    /// The name has no address.
    case hostNotFound
    /// No server listens at the port, or the network has no route to it.
    case notConnected
    /// The server did not answer in time.
    case timedOut
    /// The server closed the connection during the handshake.
    case closed
    /// The server ended the handshake with an alert.
    case alert(TLSAlertDescription)
    /// The server does not answer in TLS.
    case notTLS
    /// The server breaks the rules of TLS.
    case protocolError
    /// The server sends more than the limit of a handshake.
    case tooMuch
    /// The server chose a value that was not offered, or accepts nothing that was offered.
    case nothingInCommon
    /// The TLS library ended the handshake, because the key usage of the server's certificate does not allow its key's use in it.
    case keyUsage(missing: KeyUsage)
    /// The server ended the handshake with an alert after the client accepted its certificate. It requires a client certificate.
    case clientCertificate(TLSAlertDescription)
}
