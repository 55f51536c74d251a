//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
public import ServerTrust
public import TLSWire

/// The requirements of App Transport Security for a connection to one destination.
///
/// ``ATSPolicy/requirements(for:client:)`` creates them. ``clientHello`` is the offer to the server, ``trustPolicy(hostname:)`` the
/// policy for its chain, and ``verdict(on:)`` evaluates the connection.
public struct ATSRequirements: Sendable, Hashable {
    /// `true` if plain HTTP is refused.
    public var requiresTLS = false

    /// `true` if the app cannot override the requirements for certificates, which is `atsRequired` in the engine.
    ///
    /// If `false`, a server over TLS must still be trusted, unless the app's delegate accepts it.
    public var isEnforced = false

    /// The oldest accepted version by App Transport Security's rules, or `nil` if they do not apply to the connection.
    public var minimumTLSVersion: ATSMinimumVersion?

    /// The release that makes the offer.
    public var system = ATSSystem.newest

    /// The oldest version that the system supports.
    public var systemMinimumVersion = TLSProtocolVersion.tls10

    /// The newest version that the system supports.
    public var systemMaximumVersion = TLSProtocolVersion.tls13

    /// The accepted cipher suites, or `nil` if App Transport Security's rules do not apply to the connection.
    public var cipherSuiteGroup: ATSCipherSuiteGroup?

    /// `true` if cipher suites without forward secrecy are refused. It is `nil` if App Transport Security's rules do not apply to
    /// the connection.
    public var requiresForwardSecrecy: Bool?

    /// The reading of the rules, which determines the list of cipher suites.
    public var strictness = ATSStrictness.engine

    /// The minimum size of the server's RSA key in bits, or `nil` for any size that trust allows.
    public var minimumRSAKeySize: Int?

    /// The minimum size of the server's key on a curve in bits, or `nil` for any size that trust allows.
    public var minimumECKeySize: Int?

    /// `true` if signatures over digests weaker than SHA-256 are refused.
    public var requiresSHA256 = false

    /// The required NIAP package.
    public var niapPackage = NIAPTLSPackage.none

    /// The keys that the server's path must have, or `nil` if none are pinned.
    public var pins: ATSPins?

    /// The exception that decided, or `nil` if none did.
    public var exception: ATSMatchedException?

    /// Creates empty requirements, with which App Transport Security's rules do not apply.
    public init() {}

    /// `true` if App Transport Security's rules do not apply and TLS is not required. Pins still apply.
    public var leavesAlone: Bool { self.minimumTLSVersion == nil && self.niapPackage == .none }

    /// The oldest version of TLS that meets the requirements, or `nil` if none does.
    public var effectiveMinimumVersion: TLSProtocolVersion? {
        let least = self.niapPackage == .fcp21 ? max(.tls12, self.systemMinimumVersion) : self.systemMinimumVersion
        guard let minimumTLSVersion else { return least }
        return minimumTLSVersion.version.map { max($0, least) }
    }

    /// The cipher suites that meet the requirements, most preferred first.
    public var cipherSuites: [CipherSuite] { self.clientHello.cipherSuites }

    /// `true` if TLS 1.2 must use the extended master secret (RFC 7627).
    public var requiresExtendedMasterSecret: Bool { self.niapPackage == .fcp21 }
}

/// The exception that decided, from an Info.plist or from the system itself.
public struct ATSMatchedException: Sendable, Hashable {
    /// The key of the entry as written.
    public let name: String
    /// The place of the entry, or `nil` for an exception of the system.
    public let position: TextPosition?
    /// `true` for an exception of the system.
    public let isBuiltIn: Bool
}

/// The keys of `NSPinnedDomains` that apply to a host.
///
/// If both ``leaf`` and ``authorities`` are set, a path must match both.
public struct ATSPins: Sendable, Hashable {
    /// The digests of which the server's own key must have one, or `nil` for any key. If empty, no path passes.
    public var leaf: [[UInt8]]?
    /// The digests of which an authority's key on the path must have one, or `nil` for any keys. If empty, no path passes.
    public var authorities: [[UInt8]]?
    /// The entries with these pins, in their order.
    public var domains: [ATSMatchedException]

    /// Creates pins from the digests of keys.
    public init(leaf: [[UInt8]]?, authorities: [[UInt8]]?, domains: [ATSMatchedException] = []) {
        self.leaf = leaf
        self.authorities = authorities
        self.domains = domains
    }

    /// The pins in the form of a trust policy's requirements.
    public var requirements: [PinRequirement] {
        [(self.leaf, PinRequirement.Scope.leaf), (self.authorities, .authorities)].compactMap { digests, scope in
            digests.map { PinRequirement(keyDigests: Set($0), scope: scope) }
        }
    }
}
