//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A group that TLS agrees on keys in, as its number on the wire (RFC 8446 §4.2.7).
public struct NamedGroup: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, such as `0x001d`, which need not be one of a known group.
    public let rawValue: UInt16

    /// A group from its number on the wire.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The group of a name in IANA's registry, in either case, or of a number such as `0x11ec`; `nil` for other text.
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

    /// P-256.
    public static let secp256r1 = Self(rawValue: 23)
    /// P-384.
    public static let secp384r1 = Self(rawValue: 24)
    /// P-521.
    public static let secp521r1 = Self(rawValue: 25)
    /// X25519 (RFC 7748).
    public static let x25519 = Self(rawValue: 29)
    /// X448 (RFC 7748).
    public static let x448 = Self(rawValue: 30)
    /// ML-KEM-768 alone.
    public static let mlkem768 = Self(rawValue: 0x0201)
    /// ML-KEM-1024 alone.
    public static let mlkem1024 = Self(rawValue: 0x0202)
    /// P-256 and ML-KEM-768.
    public static let secp256r1MLKEM768 = Self(rawValue: 0x11EB)
    /// X25519 and ML-KEM-768, what most clients send first.
    public static let x25519MLKEM768 = Self(rawValue: 0x11EC)
    /// P-384 and ML-KEM-1024.
    public static let secp384r1MLKEM1024 = Self(rawValue: 0x11ED)

    /// Every group that is known here, by number.
    public static let known: [NamedGroup] = Self.registered.map { NamedGroup(rawValue: $0.0) }

    /// The number as registries of cipher suites write it: `0x11ec`.
    public var hexadecimal: String { self.rawValue.hexadecimal }

    /// Whether the number is one that stands for nothing, sent to see that servers ignore it (RFC 8701).
    public var isGREASE: Bool { self.rawValue.isGREASE }

    /// The name in IANA's registry; `nil` for an unknown group.
    public var name: String? { Self.names[self.rawValue] }

    private static let names = Dictionary(Self.registered) { first, _ in first }
}

extension NamedGroup: CustomStringConvertible {
    /// The name in IANA's registry; the number of an unknown group.
    public var description: String { self.name ?? self.hexadecimal }
}
