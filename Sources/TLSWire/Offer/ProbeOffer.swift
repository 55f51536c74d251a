//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parameters of a hello that probes a server.
///
/// ``clientHello(using:keys:)`` turns them into a hello. The prober reads only the part of the answer in the clear, so its key
/// shares are sample keys. The flags add or remove parts of the hello.
public struct ProbeOffer: Sendable, Hashable {
    /// The versions. Unless TLS 1.3 is among them, the hello states only the newest one, and a server may choose any older one.
    public var versions: [TLSProtocolVersion]
    /// The cipher suites in their order.
    public var cipherSuites: [CipherSuite]
    /// The groups in their order.
    public var groups: [NamedGroup]
    /// The signature schemes in their order.
    public var signatureSchemes: [SignatureScheme]
    /// The server's name, or `nil` to send none.
    public var serverName: String?
    /// The protocols of ALPN. If empty, the extension is not sent.
    public var applicationProtocols: [String] = []
    /// The groups of the key shares. Without any, a server of TLS 1.3 requests a key, which reveals as much.
    public var keyShares: [NamedGroup] = []
    /// `true` to offer the extended master secret (RFC 7627).
    public var offersExtendedMasterSecret = true
    /// `true` to offer compression.
    public var offersCompression = false
    /// `true` to request features that do not affect the chosen parameters: stapling, tickets, timestamps and heartbeats.
    public var offersFeatures = true
    /// `true` to signal that a newer hello has failed (RFC 7507).
    public var isFallback = false
    /// `true` to send extensions.
    public var hasExtensions = true
    /// `true` to mix in reserved values without a meaning (RFC 8701).
    public var hasGREASE = false
    /// An unknown version for the legacy version field, or `nil` for the correct one.
    public var legacyVersion: TLSProtocolVersion?
    /// `true` if the offer imitates a client that ends a handshake with a group or signature scheme that it did not offer.
    package var isExact = false

    /// Creates an offer.
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

    /// The newest version of the offer.
    public var newestVersion: TLSProtocolVersion { self.versions.max() ?? .tls12 }

    /// Returns the hello of the offer.
    ///
    /// - Parameters:
    ///   - random: The generator of the random values, which make the server's signature fresh.
    ///   - keys: The keys of the key shares instead of ``keyShares``, if the whole handshake is to be read (``HandshakeReader``).
    public func clientHello(
        using random: inout some RandomNumberGenerator, keys: [HandshakeKey] = []
    ) -> ClientHello {
        let newest = self.newestVersion
        let legacy = self.legacyVersion ?? min(newest, .tls12)
        return ClientHello(
            // RFC 8446 §5.1: the version is low for compatibility, and SSL 3.0 knows no newer one.
            recordVersion: min(newest, .tls10), legacyVersion: legacy,
            random: random.octets(32),
            // RFC 8446 §D.4: middleboxes expect a session identifier.
            sessionID: newest >= .tls13 ? random.octets(32) : [],
            cipherSuites: self.cipherSuitesOnWire, compressionMethods: self.offersCompression ? [1, 0] : [0],
            extensions: self.hasExtensions && newest > .ssl30 ? self.extensions(keys) : nil)
    }

    private var cipherSuitesOnWire: [CipherSuite] {
        var suites = self.hasGREASE ? [CipherSuite(rawValue: Self.grease)] : []
        suites += self.cipherSuites
        // RFC 5746 §3.3: some servers refuse hellos without it.
        if self.newestVersion <= .tls12 || self.versions.count > 1 { suites.append(CipherSuite(rawValue: 0x00FF)) }
        if self.isFallback { suites.append(CipherSuite(rawValue: 0x5600)) }
        return suites
    }

    /// A reserved value of RFC 8701 §2, used for suites, groups, versions and extensions alike.
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
