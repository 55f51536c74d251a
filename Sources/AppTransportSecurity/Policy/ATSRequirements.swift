//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
public import ServerTrust
public import TLSWire

/// What App Transport Security asks of a connection to one destination.
public struct ATSRequirements: Sendable, Hashable {
    /// Whether plain HTTP is refused.
    public var requiresTLS = false

    /// Whether the requirements on certificates hold whatever the app says: `atsRequired` in the engine.
    ///
    /// Without them, and with TLS, a server must be trusted all the same, unless the app's delegate accepts it.
    public var isEnforced = false

    /// The oldest version that is accepted, as far as App Transport Security says; `nil` when it leaves the connection
    /// alone.
    public var minimumTLSVersion: ATSMinimumVersion?

    /// The release that makes the offer.
    public var system = ATSSystem.newest

    /// The oldest version the system speaks at all.
    public var systemMinimumVersion = TLSProtocolVersion.tls10

    /// The newest version the system speaks at all.
    public var systemMaximumVersion = TLSProtocolVersion.tls13

    /// The cipher suites that are accepted; `nil` when App Transport Security leaves the connection alone.
    public var cipherSuiteGroup: ATSCipherSuiteGroup?

    /// Whether cipher suites without forward secrecy are refused; `nil` when App Transport Security leaves the connection
    /// alone.
    public var requiresForwardSecrecy: Bool?

    /// Whose list of cipher suites it is.
    public var strictness = ATSStrictness.engine

    /// The least bits of an RSA key of the server; `nil` for any that trust allows.
    public var minimumRSAKeySize: Int?

    /// The least bits of a key on a curve; `nil` for any that trust allows.
    public var minimumECKeySize: Int?

    /// Whether signatures over less than SHA-256 are refused.
    public var requiresSHA256 = false

    /// NIAP's package, if one is demanded.
    public var niapPackage = NIAPTLSPackage.none

    /// The keys the server's path must have; `nil` when none are demanded.
    public var pins: ATSPins?

    /// The exception that decided; `nil` when none did.
    public var exception: ATSMatchedException?

    /// No requirements: App Transport Security leaves the connection alone.
    public init() {}

    /// Whether App Transport Security leaves the connection alone: no TLS is demanded, and none of its rules hold. Pins do.
    public var leavesAlone: Bool { self.minimumTLSVersion == nil && self.niapPackage == .none }

    /// The oldest version of TLS that passes; `nil` when none does.
    public var effectiveMinimumVersion: TLSProtocolVersion? {
        let least = self.niapPackage == .fcp21 ? max(.tls12, self.systemMinimumVersion) : self.systemMinimumVersion
        guard let minimumTLSVersion else { return least }
        return minimumTLSVersion.version.map { max($0, least) }
    }

    /// The cipher suites that pass, the preferred first.
    public var cipherSuites: [CipherSuite] { self.clientHello.cipherSuites }

    /// Whether TLS 1.2 must bind its keys to the handshake (RFC 7627).
    public var requiresExtendedMasterSecret: Bool { self.niapPackage == .fcp21 }
}

/// The exception of an Info.plist, or of the system itself, that decided.
public struct ATSMatchedException: Sendable, Hashable {
    /// The key of the entry, as it is written.
    public let name: String
    /// Where it is; `nil` for one of the system's.
    public let position: TextPosition?
    /// Whether it is one of the system's.
    public let isBuiltIn: Bool
}

/// The keys of which a server's path must have some: `NSPinnedDomains`.
public struct ATSPins: Sendable, Hashable {
    /// The digests of which the server's own key must have one; `nil` when it may be any. Empty, nothing passes.
    public var leaf: [[UInt8]]?
    /// The digests of which the key of an authority on the path must have one; `nil` when they may be any. Empty, nothing
    /// passes.
    public var authorities: [[UInt8]]?
    /// The entries they come from, in their order.
    public var domains: [ATSMatchedException]

    /// Pins.
    public init(leaf: [[UInt8]]?, authorities: [[UInt8]]?, domains: [ATSMatchedException] = []) {
        self.leaf = leaf
        self.authorities = authorities
        self.domains = domains
    }

    /// The same, as evaluating trust takes them.
    public var requirements: [PinRequirement] {
        [(self.leaf, PinRequirement.Scope.leaf), (self.authorities, .authorities)].compactMap { digests, scope in
            digests.map { PinRequirement(keyDigests: Set($0), scope: scope) }
        }
    }
}
