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

    /// The suite of a name in IANA's registry, or of a number as registries write it; `nil` for other text.
    public init?(name: String) {
        if name.hasPrefix("0x") {
            guard let number = UInt16(hexadecimal: name) else { return nil }
            self.init(rawValue: number)
        } else {
            guard let number = Self.numbers[name] else { return nil }
            self.init(rawValue: number)
        }
    }

    /// Every suite that is known here, by number: those of IANA, signals among them, and unregistered ones.
    public static let known: [CipherSuite] = Self.rows.keys.sorted().map(CipherSuite.init)

    /// The number as registries write it: `0x1301`.
    public var hexadecimal: String { self.rawValue.hexadecimal }

    /// Whether the number is not that of a suite, but a signal to the server (RFC 5746 §3.3, RFC 7507).
    public var isSignaling: Bool { self.rawValue == 0x00FF || self.rawValue == 0x5600 }

    /// Whether the number is one that stands for nothing, sent to see that servers ignore it (RFC 8701).
    public var isGREASE: Bool { self.rawValue.isGREASE }

    /// Whether IANA has registered the suite; others are in drafts and products only.
    public var isRegistered: Bool { self.row?.isRegistered ?? false }
}

extension CipherSuite: CustomStringConvertible {
    /// The name in IANA's registry; the number of an unknown suite.
    public var description: String { self.row?.name ?? self.hexadecimal }
}

// MARK: - Rows

extension CipherSuite {
    /// What is known of a suite.
    struct Row: Sendable {
        let name: String
        let isRegistered: Bool
        /// What the name says; `nil` for signals.
        let parts: CipherSuiteParts?
    }

    var row: Row? { Self.rows[self.rawValue] }

    var parts: CipherSuiteParts? { self.row?.parts }

    /// What the name says, for questions that are asked of every suite for each hello; `nil` for signals and unknown suites.
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
