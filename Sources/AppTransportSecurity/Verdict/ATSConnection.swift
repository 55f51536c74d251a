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
    public var failure: ConnectionFailure?

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

    private init(usesTLS: Bool, failure: ConnectionFailure?) {
        self.usesTLS = usesTLS
        self.failure = failure
    }

    /// A load over plain HTTP.
    public static let plain = ATSConnection(usesTLS: false, failure: nil)

    /// Creates a failed connection over TLS.
    public static func failed(_ failure: ConnectionFailure) -> ATSConnection {
        ATSConnection(usesTLS: true, failure: failure)
    }
}
