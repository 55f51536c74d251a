//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// What a server does besides agreeing on versions, suites and groups. `nil` is: it was not asked, or there was no clear answer.
public struct FeatureFacts: Sendable, Hashable {
    /// Whether TLS 1.2 binds its keys to the handshake (RFC 7627).
    public var extendedMasterSecret: Bool?
    /// Whether renegotiation is protected (RFC 5746).
    public var secureRenegotiation: Bool?
    /// Whether data is compressed, which betrays it (RFC 3749; CRIME).
    public var compression: Bool?
    /// Whether the MAC is computed over what is encrypted (RFC 7366).
    public var encryptThenMAC: Bool?
    /// Whether sessions are kept in tickets (RFC 5077).
    public var sessionTickets: Bool?
    /// Whether a response about the certificate's revocation is stapled (RFC 6066 §8).
    public var ocspStapling: Bool?
    /// Whether timestamps of certificate transparency are sent in the handshake (RFC 6962 §3.3.1).
    public var signedCertificateTimestamps: Bool?
    /// Whether heartbeats are answered (RFC 6520).
    public var heartbeat: Bool?
    /// The protocols of ALPN (RFC 7301) that it took, in its order of preference; empty when it takes none.
    public var applicationProtocols: [String]?
    /// Whether it refuses to fall back to an older version than it has to (RFC 7507).
    public var fallbackSCSV: Bool?
    /// Whether its random value warns clients of TLS 1.3 that were talked down to TLS 1.2 (RFC 8446 §4.1.3).
    public var downgradeSentinel: Bool?
    /// Whether it asks for a client certificate.
    public var clientCertificate: ClientCertificateRequest?
    /// What it signs ephemeral keys with, as far as the plan asked: its order of preference.
    public var signatureSchemes: [SignatureScheme]?
    /// What it makes of values that are reserved and have no meaning (RFC 8701), of long hellos, and of versions yet
    /// to come: by the name of what was tried.
    public var tolerance: [Tolerance] = []

    /// Nothing is known yet.
    public init() {}

    /// What came of something a server should not mind.
    public struct Tolerance: Sendable, Hashable {
        /// What was tried.
        public var trial: Trial
        /// Whether the server put up with it; `nil` when it gave no clear answer.
        public var isTolerated: Bool?

        /// What came of a trial.
        public init(_ trial: Trial, _ isTolerated: Bool?) {
            self.trial = trial
            self.isTolerated = isTolerated
        }
    }

    /// Something that a server should not mind.
    public enum Trial: String, Sendable, Hashable, CaseIterable {
        /// Reserved suites, groups, extensions and versions (RFC 8701).
        case grease
        /// A hello of more than one segment, as post-quantum keys make it.
        case largeHello = "large-hello"
        /// More suites than some servers count.
        case manySuites = "many-suites"
        /// A version of TLS that is yet to come, in the extension for it.
        case futureVersion = "future-version"
        /// A version of TLS that is yet to come, in the field of old.
        case futureLegacyVersion = "future-legacy-version"
        /// A hello without server name indication.
        case noServerName = "no-server-name"
    }
}
