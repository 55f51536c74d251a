//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A group for the key agreement of TLS, by its number on the wire (RFC 8446 §4.2.7).
///
/// IANA's registry supplies the name of a known group, and the name its kind and strength. Unknown numbers are valid.
public struct NamedGroup: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, such as `0x001d`, of a known or unknown group.
    public let rawValue: UInt16

    /// Creates a group from its number on the wire.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates a group from its name in IANA's registry, in any case, or from a number such as `0x11ec`. Returns `nil` for other
    /// text.
    public init?(name: String) {
        if name.hasPrefix("0x") {
            guard let number = UInt16(hexadecimal: name) else { return nil }
            self.init(rawValue: number)
        } else {
            let name = name.lowercased()
            guard let row = Self.registered.first(where: { $0.1.lowercased() == name }) else { return nil }
            self.init(rawValue: row.0)
        }
    }

    /// The curve P-256.
    public static let secp256r1 = Self(rawValue: 23)
    /// The curve P-384.
    public static let secp384r1 = Self(rawValue: 24)
    /// The curve P-521.
    public static let secp521r1 = Self(rawValue: 25)
    /// The curve X25519 (RFC 7748).
    public static let x25519 = Self(rawValue: 29)
    /// The curve X448 (RFC 7748).
    public static let x448 = Self(rawValue: 30)
    /// ML-KEM-768 without a curve.
    public static let mlkem768 = Self(rawValue: 0x0201)
    /// ML-KEM-1024 without a curve.
    public static let mlkem1024 = Self(rawValue: 0x0202)
    /// The hybrid of P-256 and ML-KEM-768.
    public static let secp256r1MLKEM768 = Self(rawValue: 0x11EB)
    /// The hybrid of X25519 and ML-KEM-768, the first choice of most clients.
    public static let x25519MLKEM768 = Self(rawValue: 0x11EC)
    /// The hybrid of P-384 and ML-KEM-1024.
    public static let secp384r1MLKEM1024 = Self(rawValue: 0x11ED)

    /// All known groups by number.
    public static let known: [NamedGroup] = Self.registered.map { NamedGroup(rawValue: $0.0) }

    /// The number in the form of registries, such as `0x11ec`.
    public var hexadecimal: String { self.rawValue.hexadecimal }

    /// `true` for a reserved number without a meaning, which servers must ignore (RFC 8701).
    public var isGREASE: Bool { self.rawValue.isGREASE }

    /// The name in IANA's registry, or `nil` for an unknown group.
    public var name: String? { Self.names[self.rawValue] }

    private static let names = Dictionary(Self.registered) { first, _ in first }
}

extension NamedGroup: CustomStringConvertible {
    /// The name in IANA's registry, or the number of an unknown group.
    public var description: String { self.name ?? self.hexadecimal }
}
