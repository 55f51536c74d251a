//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// What is known of a server, so that its answer to an offer can be told without asking again: from one connection or a
/// few, or from a prober.
public struct ATSServerFacts: Sendable {
    /// A handshake the server is known to complete.
    public struct Handshake: Sendable {
        /// The version of TLS.
        public var version: TLSProtocolVersion
        /// The cipher suite.
        public var cipherSuite: CipherSuite
        /// Whether TLS 1.2's keys are bound to the handshake (RFC 7627); `nil` when it is not known.
        public var usesExtendedMasterSecret: Bool?
        /// What the chain that is sent with it is worth.
        public var trust: TrustResult?
        /// Whether a chain that nobody evaluated is taken for trusted and pinned: for asking what would be if.
        public var dangerouslyAssumesTrust = false

        /// A handshake.
        public init(
            _ version: TLSProtocolVersion, _ cipherSuite: CipherSuite, usesExtendedMasterSecret: Bool? = nil,
            trust: TrustResult?
        ) {
            self.version = version
            self.cipherSuite = cipherSuite
            self.usesExtendedMasterSecret = usesExtendedMasterSecret
            self.trust = trust
        }

        fileprivate var connection: ATSConnection {
            var connection = ATSConnection(
                version: self.version, cipherSuite: self.cipherSuite,
                usesExtendedMasterSecret: self.usesExtendedMasterSecret, trust: self.trust)
            connection.dangerouslyAssumesTrust = self.dangerouslyAssumesTrust
            return connection
        }
    }

    /// The handshakes, those the server prefers first. What is not among them it is taken not to complete.
    public var handshakes: [Handshake]
    /// What came of an attempt without any handshake at all.
    public var failure: ATSConnectionFailure
    /// Where a load is redirected to, one after the other; what is known of it is that it is asked for.
    public var redirects: [ATSDestination] = []

    /// Facts about a server.
    ///
    /// - Parameters:
    ///   - handshakes: The handshakes, those the server prefers first.
    ///   - failure: What it answers where nothing suits it; by default the alert that servers have for it.
    public init(
        handshakes: [Handshake], failure: ATSConnectionFailure = .alert(TLSAlertDescription(rawValue: 40))
    ) {
        self.handshakes = handshakes
        self.failure = failure
    }

    /// The connection that comes of offering what is required: the newest version both speak, with the cipher suite the
    /// server prefers among those offered.
    public func connection(offering requirements: ATSRequirements) -> ATSConnection {
        guard !self.handshakes.isEmpty else { return .failed(self.failure) }
        guard let minimum = requirements.effectiveMinimumVersion else { return .failed(.nothingInCommon) }
        let versions = self.handshakes.filter { $0.version >= minimum }
        // RFC 8446 §6.2: a server that speaks none of the versions says so.
        guard !versions.isEmpty else { return .failed(.alert(TLSAlertDescription(rawValue: 70))) }
        // A server settles the version before it looks for a suite (RFC 5246 §E.1), and does not try an older one when it
        // finds none.
        let newest = versions.map(\.version).max()
        let offered = Set(requirements.cipherSuites)
        return versions.first { $0.version == newest && offered.contains($0.cipherSuite) }?.connection
            ?? .failed(self.failure)
    }
}
