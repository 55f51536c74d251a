//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSWire

/// The known facts about a server, from a few connections or from a prober.
///
/// They answer any offer without another connection. ``connection(offering:)`` returns the connection that the server would make
/// for given requirements.
public struct ATSServerFacts: Sendable {
    /// A handshake that the server is known to complete.
    public struct Handshake: Sendable {
        /// The version of TLS.
        public var version: TLSProtocolVersion
        /// The cipher suite.
        public var cipherSuite: CipherSuite
        /// `true` if the extended master secret binds TLS 1.2's keys to the handshake (RFC 7627), or `nil` if it is not known.
        public var usesExtendedMasterSecret: Bool?
        /// The trust in the chain that the server sends in the handshake.
        public var trust: TrustResult?
        /// `true` to treat a chain as trusted and pinned without an evaluation, to find out what would follow.
        public var dangerouslyAssumesTrust = false

        /// Creates a handshake.
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

    /// The handshakes, most preferred by the server first. The server is taken to complete no others, except in the versions of
    /// ``unknownVersions`` and ``openVersions``.
    public var handshakes: [Handshake]
    /// The versions that the server may or may not support. An offer that could lead to one of them has no known answer.
    public var unknownVersions: Set<TLSProtocolVersion> = []
    /// The versions in which the server may complete further handshakes than ``handshakes`` has.
    public var openVersions: Set<TLSProtocolVersion> = []
    /// `true` if the server is known to refuse TLS 1.2 as FCP_v2.1 offers it, without signatures over SHA-1.
    public var refusesFCP = false
    /// `true` if it is not known that the server accepts or refuses FCP_v2.1's offer.
    public var isFCPUnclear = false
    /// The reason that the final server of a redirect is not known. It is `nil` if the server is known, or if there is no redirect.
    public var redirectFailure: String?
    /// The failure of an attempt without any handshake.
    public var failure: ConnectionFailure
    /// The destinations of redirects, one after the other.
    public var redirects: [ATSDestination] = []
    /// The facts about the servers of ``redirects``, with trust evaluated for their hosts. A server that is missing here, and is
    /// not the destination itself, is unknown.
    public var redirectServers: [ATSDestination: ATSServerFacts] = [:]

    /// Creates facts about a server.
    ///
    /// - Parameters:
    ///   - handshakes: The handshakes, most preferred by the server first.
    ///   - failure: The answer to an offer that the server does not accept, by default the usual alert.
    public init(
        handshakes: [Handshake], failure: ConnectionFailure = .alert(.handshakeFailure)
    ) {
        self.handshakes = handshakes
        self.failure = failure
    }

    /// Returns the connection that results from an offer with these requirements.
    ///
    /// It has the newest common version and the server's preferred suite among those offered. Unknown parameters are missing in it.
    public func connection(offering requirements: ATSRequirements) -> ATSConnection {
        let minimum = requirements.effectiveMinimumVersion
        let known = self.openVersions.union(self.handshakes.map(\.version))
        guard let minimum else { return .failed(known.isEmpty ? self.failure : .nothingInCommon) }
        let maximum = requirements.systemMaximumVersion
        let newest = known.filter { $0 >= minimum && $0 <= maximum }.max()
        // If the server supported this version, both sides would choose it.
        let unknown = self.unknownVersions.filter { $0 >= minimum && $0 <= maximum }.max()
        if let unknown, newest.map({ $0 < unknown }) ?? true {
            return ATSConnection(version: nil, cipherSuite: nil, trust: nil)
        }
        guard !known.isEmpty else { return .failed(self.failure) }
        // RFC 8446 §6.2: a server that supports none of the versions sends this alert.
        guard let newest else { return .failed(.alert(.protocolVersion)) }
        if self.refusesFCP, requirements.niapPackage == .fcp21, newest == .tls12 { return .failed(self.failure) }
        if self.isFCPUnclear, requirements.niapPackage == .fcp21, newest == .tls12 {
            let secret = self.handshakes.first { $0.version == newest }?.usesExtendedMasterSecret
            return ATSConnection(version: newest, cipherSuite: nil, usesExtendedMasterSecret: secret, trust: nil)
        }
        return self.connection(in: newest, offering: Set(requirements.cipherSuites))
    }

    /// Returns the connection in a version. A server chooses the version before the suite (RFC 5246 §E.1), and tries no older
    /// version if it accepts none of the suites.
    private func connection(in version: TLSProtocolVersion, offering suites: Set<CipherSuite>) -> ATSConnection {
        if let handshake = self.handshakes.first(where: { $0.version == version && suites.contains($0.cipherSuite) }) {
            return handshake.connection
        }
        guard self.openVersions.contains(version) else { return .failed(self.failure) }
        return ATSConnection(version: version, cipherSuite: nil, trust: nil)
    }
}
