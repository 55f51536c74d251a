//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSWire

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
        /// Whether a chain counts as trusted and pinned without an evaluation: for questions about what would follow.
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

    /// The handshakes, those the server prefers first. What is not among them it is taken not to complete, unless its version
    /// is among ``unknownVersions`` or ``openVersions``.
    public var handshakes: [Handshake]
    /// The versions of which it is not known whether the server speaks them. An offer that could lead to one has no answer here.
    public var unknownVersions: Set<TLSProtocolVersion> = []
    /// The versions of which the server may complete more than ``handshakes`` has.
    public var openVersions: Set<TLSProtocolVersion> = []
    /// Whether the server is known to refuse TLS 1.2 as FCP_v2.1 offers it: without signatures over SHA-1.
    public var refusesFCP = false
    /// Whether it is not known whether the server takes that.
    public var isFCPUnclear = false
    /// Why nothing is known of where a load is redirected to in the end; `nil` where it is known, or there is no redirect.
    public var redirectFailure: String?
    /// What came of an attempt without any handshake at all.
    public var failure: ATSConnectionFailure
    /// Where a load is redirected to, one after the other.
    public var redirects: [ATSDestination] = []
    /// What is known of the servers among ``redirects``, with trust that was evaluated for their hosts. Of those that are
    /// missing here, and are not the destination itself, nothing is known.
    public var redirectServers: [ATSDestination: ATSServerFacts] = [:]

    /// Facts about a server.
    ///
    /// - Parameters:
    ///   - handshakes: The handshakes, those the server prefers first.
    ///   - failure: What it answers where nothing suits it; by default the alert that servers have for it.
    public init(
        handshakes: [Handshake], failure: ATSConnectionFailure = .alert(.handshakeFailure)
    ) {
        self.handshakes = handshakes
        self.failure = failure
    }

    /// The connection that comes of offering what is required: the newest version both speak, with the cipher suite the
    /// server prefers among those offered. What is not known of it is missing in it.
    public func connection(offering requirements: ATSRequirements) -> ATSConnection {
        let minimum = requirements.effectiveMinimumVersion
        let known = self.openVersions.union(self.handshakes.map(\.version))
        guard let minimum else { return .failed(known.isEmpty ? self.failure : .nothingInCommon) }
        let maximum = requirements.systemMaximumVersion
        let newest = known.filter { $0 >= minimum && $0 <= maximum }.max()
        // Were it spoken, it would be what both agree on.
        let unknown = self.unknownVersions.filter { $0 >= minimum && $0 <= maximum }.max()
        if let unknown, newest.map({ $0 < unknown }) ?? true {
            return ATSConnection(version: nil, cipherSuite: nil, trust: nil)
        }
        guard !known.isEmpty else { return .failed(self.failure) }
        // RFC 8446 §6.2: a server that speaks none of the versions says so.
        guard let newest else { return .failed(.alert(.protocolVersion)) }
        if self.refusesFCP, requirements.niapPackage == .fcp21, newest == .tls12 { return .failed(self.failure) }
        if self.isFCPUnclear, requirements.niapPackage == .fcp21, newest == .tls12 {
            let secret = self.handshakes.first { $0.version == newest }?.usesExtendedMasterSecret
            return ATSConnection(version: newest, cipherSuite: nil, usesExtendedMasterSecret: secret, trust: nil)
        }
        return self.connection(in: newest, offering: Set(requirements.cipherSuites))
    }

    /// A server settles the version before it looks for a suite (RFC 5246 §E.1), and does not try an older one when it finds
    /// none.
    private func connection(in version: TLSProtocolVersion, offering suites: Set<CipherSuite>) -> ATSConnection {
        if let handshake = self.handshakes.first(where: { $0.version == version && suites.contains($0.cipherSuite) }) {
            return handshake.connection
        }
        guard self.openVersions.contains(version) else { return .failed(self.failure) }
        return ATSConnection(version: version, cipherSuite: nil, trust: nil)
    }
}
