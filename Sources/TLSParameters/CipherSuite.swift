//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A cipher suite of TLS, as its number on the wire.
public struct CipherSuite: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, such as `0x1301`, which need not be one of a known suite.
    public let rawValue: UInt16

    /// A cipher suite from its number on the wire.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// How the keys of a connection come about.
    public enum KeyExchange: Hashable, Sendable {
        /// In TLS 1.3 the suite does not say, and it always is ephemeral.
        case any
        /// Ephemeral Diffie-Hellman on curves, whose secrets nobody can learn later.
        case ecdhe
        /// Ephemeral Diffie-Hellman.
        case dhe
        /// With the server's RSA key, so that whoever gets it later reads everything recorded before.
        case rsa
    }

    /// Which keys a server can have.
    public enum Authentication: Hashable, Sendable {
        /// In TLS 1.3 the suite does not say.
        case any
        /// An RSA key.
        case rsa
        /// A key on a curve.
        case ecdsa
    }

    /// How data is protected.
    public enum Protection: Hashable, Sendable {
        /// AES in Galois/Counter Mode.
        case aesGCM
        /// AES in cipher block chaining mode, with an HMAC.
        case aesCBC
        /// ChaCha20 with Poly1305.
        case chaCha20Poly1305
        /// RC4, DES, nothing, and others that no longer protect.
        case broken
    }

    /// How the keys come about; `nil` for an unknown suite.
    public var keyExchange: KeyExchange? { self.row?.keyExchange }
    /// Which keys a server can have; `nil` for an unknown suite.
    public var authentication: Authentication? { self.row?.authentication }
    /// How data is protected; `nil` for an unknown suite.
    public var protection: Protection? { self.row?.protection }

    /// Whether recorded connections stay secret when the server's key is lost; unknown suites do not count as such.
    public var hasForwardSecrecy: Bool { self.keyExchange.map { $0 != .rsa } ?? false }

    /// Whether the suite is one of TLS 1.3 (RFC 8446 §B.4).
    public var isTLS13: Bool { self.rawValue >> 8 == 0x13 }

    /// The number as registries write it: `0x1301`.
    public var hexadecimal: String {
        let digits = String(self.rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension CipherSuite: CustomStringConvertible {
    /// The name in IANA's registry; the number of an unknown suite.
    public var description: String { self.row?.name ?? self.hexadecimal }
}
