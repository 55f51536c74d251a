//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The features of a server apart from versions, suites and groups.
///
/// A value is `nil` if the plan did not ask for the feature, or if the server gave no clear answer.
public struct FeatureFacts: Sendable, Hashable {
    /// `true` if TLS 1.2 uses the extended master secret (RFC 7627).
    public var extendedMasterSecret: Bool?
    /// `true` if renegotiation is protected (RFC 5746).
    public var secureRenegotiation: Bool?
    /// `true` if data are compressed, which reveals them (RFC 3749, and the CRIME attack).
    public var compression: Bool?
    /// `true` if the MAC protects the ciphertext (RFC 7366).
    public var encryptThenMAC: Bool?
    /// `true` if the server issues session tickets (RFC 5077).
    public var sessionTickets: Bool?
    /// `true` if the server staples an OCSP response (RFC 6066 §8).
    public var ocspStapling: Bool?
    /// `true` if the handshake has signed certificate timestamps (RFC 6962 §3.3.1).
    public var signedCertificateTimestamps: Bool?
    /// `true` if the server accepts heartbeats (RFC 6520).
    public var heartbeat: Bool?
    /// The accepted protocols of ALPN (RFC 7301) in the server's order of preference. They are empty if it accepts none.
    public var applicationProtocols: [String]?
    /// `true` if the server refuses a fallback to an older version than necessary (RFC 7507).
    public var fallbackSCSV: Bool?
    /// `true` if the server's random value warns clients of TLS 1.3 of a downgrade to TLS 1.2 (RFC 8446 §4.1.3).
    public var downgradeSentinel: Bool?
    /// True if it agrees on keys with ML-KEM (FIPS 203), false if TLS 1.3 as the plan offers it has other keys or is not spoken.
    public var postQuantumAgreement: Bool?
    /// The server's request for a client certificate.
    public var clientCertificate: ClientCertificateRequest?
    /// The schemes with which the server signs ephemeral keys, in its order of preference, as far as the plan asked.
    public var signatureSchemes: [SignatureScheme]?
    /// The results of unusual hellos, such as reserved values (RFC 8701), long hellos and future versions.
    public var tolerance: [Tolerance] = []

    /// Creates features without any known value.
    public init() {}

    /// The result of an unusual hello that a server should tolerate.
    public struct Tolerance: Sendable, Hashable {
        /// The kind of unusual hello.
        public var trial: Trial
        /// `true` if the server tolerated the hello, or `nil` if it gave no clear answer.
        public var isTolerated: Bool?

        /// Creates the result of a trial.
        public init(_ trial: Trial, _ isTolerated: Bool?) {
            self.trial = trial
            self.isTolerated = isTolerated
        }
    }

    /// An unusual hello that a server should tolerate.
    public enum Trial: String, Sendable, Hashable, CaseIterable {
        /// A hello with reserved suites, groups, extensions and versions (RFC 8701).
        case grease
        /// A hello of more than one segment, as with post-quantum keys.
        case largeHello = "large-hello"
        /// A hello with more suites than some servers can count.
        case manySuites = "many-suites"
        /// A hello with a future version of TLS in the extension for versions.
        case futureVersion = "future-version"
        /// A hello with a future version of TLS in the legacy version field.
        case futureLegacyVersion = "future-legacy-version"
        /// A hello without server name indication.
        case noServerName = "no-server-name"
    }
}
