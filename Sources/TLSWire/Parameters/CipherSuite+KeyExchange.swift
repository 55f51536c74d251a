//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// How the keys of a connection come about.
    public enum KeyExchange: Hashable, Sendable {
        /// In TLS 1.3 the suite does not say, and it always is ephemeral.
        case any
        /// Ephemeral Diffie-Hellman on curves, whose secrets cannot be learned later.
        case ecdhe
        /// Ephemeral Diffie-Hellman.
        case dhe
        /// With the server's RSA key, so that an attacker who gets it later reads everything recorded before.
        case rsa
        /// With the Diffie-Hellman key on a curve in the server's certificate.
        case ecdh
        /// With the Diffie-Hellman key in the server's certificate.
        case dh
        /// From a secret both have, and nothing else (RFC 4279 §2).
        case psk
        /// From a secret both have, and ephemeral Diffie-Hellman (RFC 4279 §3).
        case dhePSK
        /// From a secret both have, and ephemeral Diffie-Hellman on curves (RFC 5489).
        case ecdhePSK
        /// From a secret both have, and the server's RSA key (RFC 4279 §4).
        case rsaPSK
        /// From a password the server has a verifier of (RFC 5054).
        case srp
        /// From a password both have, on curves (RFC 8492).
        case eccpwd
        /// From a ticket of Kerberos (RFC 2712).
        case kerberos
        /// With the server's GOST key (RFC 9189).
        case gost
        /// With the Fortezza tokens of SSL 3.0 (RFC 6101).
        case fortezza
        /// Not at all: the state before the first handshake (RFC 5246 §A.5).
        case null
    }

    /// Which keys a server can have.
    public enum Authentication: Hashable, Sendable {
        /// In TLS 1.3 the suite does not say.
        case any
        /// An RSA key.
        case rsa
        /// A key on a curve.
        case ecdsa
        /// A DSA key.
        case dss
        /// A key for Diffie-Hellman.
        case dh
        /// A GOST key.
        case gost
        /// None: a secret that the client has too.
        case psk
        /// None: a password that the client has too.
        case password
        /// None: a ticket of Kerberos.
        case kerberos
        /// A Fortezza token.
        case fortezza
        /// None at all, so that anybody can be in the middle.
        case anonymous
    }

    /// How the keys come about; `nil` for an unknown suite.
    public var keyExchange: KeyExchange? { self.traits?.keyExchange }
    /// Which keys a server can have; `nil` for an unknown suite.
    public var authentication: Authentication? { self.traits?.authentication }

    /// Whether recorded connections stay secret when the server's key is lost; unknown suites do not count as such.
    ///
    /// Nor do suites that encrypt nothing.
    public var hasForwardSecrecy: Bool { !self.isNull && self.keyExchange?.isEphemeral == true }

    /// Whether the server proves nothing about itself.
    public var isAnonymous: Bool { self.authentication == .anonymous }

    /// Whether the keys are short by law: 40 or 56 bits, from RSA or Diffie-Hellman of 512 or 1,024.
    public var isExport: Bool { self.traits?.isExport ?? false }
}

extension CipherSuite.KeyExchange {
    /// Whether the secret is of this connection only, and no key that lasts leads to it.
    fileprivate var isEphemeral: Bool {
        switch self {
        // Passwords only say who may take part in an ephemeral exchange: RFC 5054 §3.3, RFC 8492 §7.
        case .any, .ecdhe, .dhe, .dhePSK, .ecdhePSK, .srp, .eccpwd: true
        // RFC 9189 §4.2.4.1: the client's key is ephemeral, the server's is that of its certificate.
        case .rsa, .ecdh, .dh, .psk, .rsaPSK, .kerberos, .gost, .fortezza, .null: false
        }
    }
}
