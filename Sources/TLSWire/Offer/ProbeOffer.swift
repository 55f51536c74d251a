//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a hello offers.
public struct ProbeOffer: Sendable, Hashable {
    /// The versions; the newest one is what the hello says it speaks, and an older one may always be the answer where TLS 1.3
    /// is not among them.
    public var versions: [TLSProtocolVersion]
    /// The cipher suites in their order.
    public var cipherSuites: [CipherSuite]
    /// The groups in their order.
    public var groups: [NamedGroup]
    /// The signature schemes in their order.
    public var signatureSchemes: [SignatureScheme]
    /// The server's name; `nil` sends none.
    public var serverName: String?
    /// The protocols of ALPN; none sends no such extension.
    public var applicationProtocols: [String] = []
    /// The groups that a key is sent for. None makes a server of TLS 1.3 ask for one, which tells as much.
    public var keyShares: [NamedGroup] = []
    /// Whether keys bound to the handshake are offered (RFC 7627).
    public var offersExtendedMasterSecret = true
    /// Whether compression is offered.
    public var offersCompression = false
    /// Whether features are asked for that do not change what is chosen: stapling, tickets, timestamps, heartbeats.
    public var offersFeatures = true
    /// Whether the hello says that a newer one has failed (RFC 7507).
    public var isFallback = false
    /// Whether there are extensions at all.
    public var hasExtensions = true
    /// Whether values that are reserved and have no meaning are mixed in (RFC 8701).
    public var hasGREASE = false
    /// A version in the field of old that no server knows; `nil` for the right one.
    public var legacyVersion: TLSProtocolVersion?
    /// Whether it is made to see what a client gets that ends a handshake with a group or a signature that it did not
    /// offer.
    package var isExact = false

    /// An offer.
    ///
    /// - Parameters:
    ///   - versions: The versions.
    ///   - cipherSuites: The cipher suites in their order.
    public init(_ versions: [TLSProtocolVersion], _ cipherSuites: [CipherSuite]) {
        self.versions = versions
        self.cipherSuites = cipherSuites
        self.groups = NamedGroup.offered
        self.signatureSchemes = SignatureScheme.offered
    }

    /// The newest version.
    public var newestVersion: TLSProtocolVersion { self.versions.max() ?? .tls12 }

    /// The hello that makes the offer.
    ///
    /// - Parameters:
    ///   - random: Where chance comes from. What a server signs is fresh by it.
    ///   - keys: Keys for the key shares in place of ``keyShares``, where the handshake is to be read (``HandshakeReader``).
    public func clientHello(
        using random: inout some RandomNumberGenerator, keys: [HandshakeKey] = []
    ) -> ClientHello {
        let newest = self.newestVersion
        let legacy = self.legacyVersion ?? min(newest, .tls12)
        return ClientHello(
            // RFC 8446 §5.1: for compatibility, and SSL 3.0 knows nothing newer.
            recordVersion: min(newest, .tls10), legacyVersion: legacy,
            random: random.octets(32),
            // RFC 8446 §D.4: middleboxes want to see a session.
            sessionID: newest >= .tls13 ? random.octets(32) : [],
            cipherSuites: self.cipherSuitesOnWire, compressionMethods: self.offersCompression ? [1, 0] : [0],
            extensions: self.hasExtensions && newest > .ssl30 ? self.extensions(keys) : nil)
    }

    private var cipherSuitesOnWire: [CipherSuite] {
        var suites = self.hasGREASE ? [CipherSuite(rawValue: Self.grease)] : []
        suites += self.cipherSuites
        // RFC 5746 §3.3: servers there are that refuse hellos without it.
        if self.newestVersion <= .tls12 || self.versions.count > 1 { suites.append(CipherSuite(rawValue: 0x00FF)) }
        if self.isFallback { suites.append(CipherSuite(rawValue: 0x5600)) }
        return suites
    }

    /// RFC 8701 §2: one of the values, the same for suites, groups, versions and extensions.
    private static let grease: UInt16 = 0x3A3A
}

// MARK: - Extensions

extension ProbeOffer {
    private func extensions(_ keys: [HandshakeKey]) -> [HelloExtension] {
        let old = self.newestVersion <= .tls12 || self.versions.contains { $0 <= .tls12 }
        let new = self.newestVersion >= .tls13
        var list: [HelloExtension] = []
        if self.hasGREASE { list.append(HelloExtension(.init(rawValue: Self.grease))) }
        if let serverName { list.append(.serverName(serverName)) }
        if old, self.offersExtendedMasterSecret { list.append(HelloExtension(.extendedMasterSecret)) }
        if !self.groups.isEmpty { list.append(.supportedGroups(self.groupsOnWire)) }
        if old, !self.groups.isEmpty { list.append(.pointFormats) }
        if !self.applicationProtocols.isEmpty { list.append(.applicationProtocols(self.applicationProtocols)) }
        if self.newestVersion >= .tls12 { list.append(.signatureAlgorithms(self.signatureSchemes)) }
        if self.offersFeatures { list += Self.features(old: old) }
        if new {
            list.append(.keyShare(self.shares(keys)))
            list.append(.supportedVersions(self.versionsOnWire))
        }
        return list
    }

    private func shares(_ keys: [HandshakeKey]) -> [(group: NamedGroup, key: [UInt8])] {
        guard keys.isEmpty else { return keys.map { ($0.group, $0.share) } }
        return self.keyShares.compactMap { group in group.sampleKey.map { (group, $0) } }
    }

    private static func features(old: Bool) -> [HelloExtension] {
        let always: [HelloExtension] = [.statusRequest, HelloExtension(.certificateTimestamps)]
        return old
            ? always + [HelloExtension(.sessionTicket), HelloExtension(.encryptThenMAC), .heartbeat] : always
    }

    private var groupsOnWire: [NamedGroup] {
        (self.hasGREASE ? [NamedGroup(rawValue: Self.grease)] : []) + self.groups
    }

    private var versionsOnWire: [TLSProtocolVersion] {
        (self.hasGREASE ? [TLSProtocolVersion(rawValue: Self.grease)] : []) + self.versions.sorted(by: >)
    }
}
