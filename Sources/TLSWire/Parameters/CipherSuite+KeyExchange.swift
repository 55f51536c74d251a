//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// The key exchange of a suite.
    public enum KeyExchange: Hashable, Sendable {
        /// Determined outside the suite, in TLS 1.3. It is always ephemeral.
        case any
        /// Ephemeral Diffie-Hellman on curves, whose secrets cannot be recovered later.
        case ecdhe
        /// Ephemeral Diffie-Hellman.
        case dhe
        /// Encryption with the server's RSA key. An attacker with the key can read all connections recorded before.
        case rsa
        /// The Diffie-Hellman key on a curve in the server's certificate.
        case ecdh
        /// The Diffie-Hellman key in the server's certificate.
        case dh
        /// A shared secret only (RFC 4279 §2).
        case psk
        /// A shared secret and ephemeral Diffie-Hellman (RFC 4279 §3).
        case dhePSK
        /// A shared secret and ephemeral Diffie-Hellman on curves (RFC 5489).
        case ecdhePSK
        /// A shared secret and the server's RSA key (RFC 4279 §4).
        case rsaPSK
        /// A password of which the server has a verifier (RFC 5054).
        case srp
        /// A shared password, on curves (RFC 8492).
        case eccpwd
        /// A Kerberos ticket (RFC 2712).
        case kerberos
        /// The server's GOST key (RFC 9189).
        case gost
        /// The Fortezza tokens of SSL 3.0 (RFC 6101).
        case fortezza
        /// No key exchange, as in the state before the first handshake (RFC 5246 §A.5).
        case null
    }

    /// The kind of key, or other secret, by which the server authenticates.
    public enum Authentication: Hashable, Sendable {
        /// Determined outside the suite, in TLS 1.3.
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
        /// No key, but a secret shared with the client.
        case psk
        /// No key, but a password shared with the client.
        case password
        /// No key, but a Kerberos ticket.
        case kerberos
        /// A Fortezza token.
        case fortezza
        /// No authentication. An attacker can intercept the connection.
        case anonymous
    }

    /// The key exchange, or `nil` for an unknown suite.
    public var keyExchange: KeyExchange? { self.traits?.keyExchange }
    /// The authentication, or `nil` for an unknown suite.
    public var authentication: Authentication? { self.traits?.authentication }

    /// `true` if recorded connections stay secret after the server's key is lost.
    ///
    /// It is `false` for unknown suites and for suites without encryption.
    public var hasForwardSecrecy: Bool { !self.isNull && self.keyExchange?.isEphemeral == true }

    /// `true` if the server does not authenticate itself.
    public var isAnonymous: Bool { self.authentication == .anonymous }

    /// `true` for export suites with short keys: 40 or 56 bits, from RSA or Diffie-Hellman of 512 or 1,024 bits.
    public var isExport: Bool { self.traits?.isExport ?? false }
}

extension CipherSuite.KeyExchange {
    /// `true` if the secret belongs to a single connection, and no long-term key reveals it.
    fileprivate var isEphemeral: Bool {
        switch self {
        // Passwords only authenticate an ephemeral exchange: RFC 5054 §3.3, RFC 8492 §7.
        case .any, .ecdhe, .dhe, .dhePSK, .ecdhePSK, .srp, .eccpwd: true
        // RFC 9189 §4.2.4.1: the client's key is ephemeral, and the server's is that of its certificate.
        case .rsa, .ecdh, .dh, .psk, .rsaPSK, .kerberos, .gost, .fortezza, .null: false
        }
    }
}
