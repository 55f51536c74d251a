//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A cipher suite of TLS, by its number on the wire.
///
/// The registry of IANA and a list of unregistered suites supply its name, and the name its properties: the key exchange, the
/// authentication, the protection and the versions. Unknown numbers are valid.
public struct CipherSuite: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, such as `0x1301`, of a known or unknown suite.
    public let rawValue: UInt16

    /// Creates a suite from its number on the wire.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates a suite from its name in IANA's registry or from a number such as `0x1301`. Returns `nil` for other text.
    public init?(name: String) {
        if name.hasPrefix("0x") {
            guard let number = UInt16(hexadecimal: name) else { return nil }
            self.init(rawValue: number)
        } else {
            guard let number = Self.numbers[name] else { return nil }
            self.init(rawValue: number)
        }
    }

    /// All known suites by number: IANA's, including signals, and unregistered ones.
    public static let known: [CipherSuite] = Self.rows.keys.sorted().map(CipherSuite.init)

    /// The number in the form of registries, such as `0x1301`.
    public var hexadecimal: String { self.rawValue.hexadecimal }

    /// `true` if the number is a signal to the server and not a suite (RFC 5746 §3.3, RFC 7507).
    public var isSignaling: Bool { self.rawValue == 0x00FF || self.rawValue == 0x5600 }

    /// `true` for a reserved number without a meaning, which servers must ignore (RFC 8701).
    public var isGREASE: Bool { self.rawValue.isGREASE }

    /// `true` if IANA has registered the suite. Other suites exist only in drafts and products.
    public var isRegistered: Bool { self.row?.isRegistered ?? false }
}

extension CipherSuite: CustomStringConvertible {
    /// The name in IANA's registry, or the number of an unknown suite.
    public var description: String { self.row?.name ?? self.hexadecimal }
}

// MARK: - Rows

extension CipherSuite {
    /// The registry entry of a suite.
    struct Row: Sendable {
        let name: String
        let isRegistered: Bool
        /// The parts of the name, or `nil` for signals.
        let parts: CipherSuiteParts?
    }

    var row: Row? { Self.rows[self.rawValue] }

    var parts: CipherSuiteParts? { self.row?.parts }

    /// The properties of the suite, or `nil` for signals and unknown suites. They are precomputed, because each hello needs them
    /// for every suite.
    var traits: CipherSuiteTraits? { Self.allTraits[self.rawValue] }

    private static let rows: [UInt16: Row] = {
        var rows: [UInt16: Row] = [:]
        for (table, isRegistered) in [(Self.unregistered, false), (Self.registered, true)] {
            for (number, name) in table {
                rows[number] = Row(name: name, isRegistered: isRegistered, parts: CipherSuiteParts(name: name))
            }
        }
        return rows
    }()

    private static let allTraits = rows.compactMapValues { $0.parts.map(CipherSuiteTraits.init) }

    private static let numbers = Dictionary(rows.map { ($0.value.name, $0.key) }) { min($0, $1) }
}
