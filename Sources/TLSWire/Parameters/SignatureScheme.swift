//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A way to sign in TLS, as its number on the wire (RFC 8446 §4.2.3).
public struct SignatureScheme: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, such as `0x0804`, which need not be one of a known scheme.
    ///
    /// In TLS 1.2 these are two: a hash, and a signature (RFC 5246 §7.4.1.4.1).
    public let rawValue: UInt16

    /// A scheme from its number on the wire.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The scheme of a name in IANA's registry, or of a number such as `0x0804`; `nil` for other text.
    public init?(name: String) {
        if name.hasPrefix("0x") {
            guard let number = UInt16(hexadecimal: name) else { return nil }
            self.init(rawValue: number)
        } else {
            guard let row = (Self.registered + Self.pairs).first(where: { $0.1 == name }) else { return nil }
            self.init(rawValue: row.0)
        }
    }

    /// Every scheme that is known here, by number, with the pairs that only TLS 1.2 has.
    public static let known: [SignatureScheme] = Self.names.keys.sorted().map(SignatureScheme.init)

    /// The number as registries write it: `0x0804`.
    public var hexadecimal: String { self.rawValue.hexadecimal }

    /// Whether the number is one that stands for nothing, sent to see that servers ignore it (RFC 8701).
    public var isGREASE: Bool { self.rawValue.isGREASE }

    /// The name in IANA's registry, or of the pair of TLS 1.2; `nil` for an unknown scheme.
    public var name: String? { Self.names[self.rawValue] }

    private static let names = Dictionary(Self.registered + Self.pairs) { first, _ in first }
}

extension SignatureScheme: CustomStringConvertible {
    /// The name in IANA's registry; the number of an unknown scheme.
    public var description: String { self.name ?? self.hexadecimal }
}

// MARK: - What it is

extension SignatureScheme {
    /// What makes a signature.
    public enum SignatureKind: Hashable, Sendable {
        /// RSA with the padding of PKCS #1 v1.5.
        case rsaPKCS1
        /// RSA with the padding of PSS.
        case rsaPSS
        /// ECDSA.
        case ecdsa
        /// Ed25519 and Ed448.
        case eddsa
        /// DSA.
        case dsa
        /// ML-DSA, which a quantum computer is of no help against.
        case mldsa
        /// The signatures of the GOST standards.
        case gost
        /// SM2.
        case sm2
        /// Signatures under a name instead of a key.
        case identityBased
    }

    /// What makes the signature; `nil` for an unknown scheme.
    public var signatureKind: SignatureKind? {
        guard let name = self.name else { return nil }
        return Self.kinds.first { name.hasPrefix($0.prefix) }?.kind
    }

    /// Whether SHA-1 is signed, which RFC 9155 forbids.
    public var usesSHA1: Bool { self.name?.hasSuffix("_sha1") == true }

    /// Whether MD5 is signed, which RFC 9155 forbids.
    public var usesMD5: Bool { self.name?.hasSuffix("_md5") == true }

    /// Whether a server can sign TLS 1.3's handshake so: not with PKCS #1 (RFC 8446 §4.2.3), nor with a pair of TLS 1.2.
    public var isUsableInTLS13: Bool {
        guard let kind = self.signatureKind, !Self.pairNumbers.contains(self.rawValue) else { return false }
        return kind != .rsaPKCS1 && !self.usesSHA1
    }

    private static let pairNumbers = Set(Self.pairs.map(\.0))

    private static let kinds: [(prefix: String, kind: SignatureKind)] = [
        ("rsa_pkcs1", .rsaPKCS1), ("rsa_pss", .rsaPSS), ("ecdsa", .ecdsa), ("ed", .eddsa), ("dsa", .dsa),
        ("mldsa", .mldsa), ("gost", .gost), ("sm2", .sm2), ("eccsi", .identityBased), ("iso", .identityBased),
    ]
}
