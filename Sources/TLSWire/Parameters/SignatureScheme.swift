//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A signature scheme of TLS, by its number on the wire (RFC 8446 §4.2.3).
///
/// IANA's registry supplies the name of a known scheme, and the name its properties. Unknown numbers are valid.
public struct SignatureScheme: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, such as `0x0804`, of a known or unknown scheme.
    ///
    /// In TLS 1.2 its octets are two numbers: a hash and a signature algorithm (RFC 5246 §7.4.1.4.1).
    public let rawValue: UInt16

    /// Creates a scheme from its number on the wire.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates a scheme from its name in IANA's registry or from a number such as `0x0804`. Returns `nil` for other text.
    public init?(name: String) {
        if name.hasPrefix("0x") {
            guard let number = UInt16(hexadecimal: name) else { return nil }
            self.init(rawValue: number)
        } else {
            guard let row = (Self.registered + Self.pairs).first(where: { $0.1 == name }) else { return nil }
            self.init(rawValue: row.0)
        }
    }

    /// All known schemes by number, including the pairs that only TLS 1.2 has.
    public static let known: [SignatureScheme] = Self.names.keys.sorted().map(SignatureScheme.init)

    /// The number in the form of registries, such as `0x0804`.
    public var hexadecimal: String { self.rawValue.hexadecimal }

    /// `true` for a reserved number without a meaning, which servers must ignore (RFC 8701).
    public var isGREASE: Bool { self.rawValue.isGREASE }

    /// The name in IANA's registry, or of the pair of TLS 1.2, or `nil` for an unknown scheme.
    public var name: String? { Self.names[self.rawValue] }

    private static let names = Dictionary(Self.registered + Self.pairs) { first, _ in first }
}

extension SignatureScheme: CustomStringConvertible {
    /// The name in IANA's registry, or the number of an unknown scheme.
    public var description: String { self.name ?? self.hexadecimal }
}

// MARK: - What it is

extension SignatureScheme {
    /// The algorithm of a signature.
    public enum SignatureKind: Hashable, Sendable {
        /// RSA with the padding of PKCS #1 v1.5.
        case rsaPKCS1
        /// RSA with the padding of PSS.
        case rsaPSS
        /// ECDSA on any curve.
        case ecdsa
        /// Ed25519 and Ed448.
        case eddsa
        /// DSA with numbers modulo a prime.
        case dsa
        /// ML-DSA, which resists quantum computers.
        case mldsa
        /// The signatures of the GOST standards.
        case gost
        /// SM2 with SM3.
        case sm2
        /// Signatures under an identity instead of a key.
        case identityBased
    }

    /// The algorithm of the signature, or `nil` for an unknown scheme.
    public var signatureKind: SignatureKind? {
        guard let name = self.name else { return nil }
        return Self.kinds.first { name.hasPrefix($0.prefix) }?.kind
    }

    /// `true` if the scheme signs SHA-1, which RFC 9155 forbids.
    public var usesSHA1: Bool { self.name?.hasSuffix("_sha1") == true }

    /// `true` if the scheme signs MD5, which RFC 9155 forbids.
    public var usesMD5: Bool { self.name?.hasSuffix("_md5") == true }

    /// `true` if a server can sign a handshake of TLS 1.3 with the scheme. Neither PKCS #1 (RFC 8446 §4.2.3) nor the pairs of TLS
    /// 1.2 are allowed.
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
