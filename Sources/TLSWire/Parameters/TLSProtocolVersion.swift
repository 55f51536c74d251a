//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A version of the TLS protocol, by its number on the wire.
///
/// Versions compare by age: `.tls12 < .tls13`. Unknown numbers are valid.
public struct TLSProtocolVersion: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, such as `0x0303` for TLS 1.2.
    public let rawValue: UInt16

    /// Creates a version from its number on the wire.
    ///
    /// - Parameter rawValue: The number of a known or unknown version.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// SSL 2.0, which has hellos of its own form. RFC 6176 prohibits it.
    public static let ssl20 = Self(rawValue: 0x0002)

    /// SSL 3.0, RFC 6101. RFC 7568 deprecates it.
    public static let ssl30 = Self(rawValue: 0x0300)

    /// TLS 1.0, RFC 2246. RFC 8996 deprecates it.
    public static let tls10 = Self(rawValue: 0x0301)

    /// TLS 1.1, RFC 4346. RFC 8996 deprecates it.
    public static let tls11 = Self(rawValue: 0x0302)

    /// TLS 1.2, RFC 5246.
    public static let tls12 = Self(rawValue: 0x0303)

    /// TLS 1.3, RFC 8446.
    public static let tls13 = Self(rawValue: 0x0304)
}

extension TLSProtocolVersion: Comparable {
    /// Returns `true` if `lhs` is the older version.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension TLSProtocolVersion: CustomStringConvertible {
    /// The usual spelling of the version, such as `TLS 1.2`.
    public var description: String {
        switch self.rawValue {
        case 0x0002: "SSL 2.0"
        case 0x0300: "SSL 3.0"
        case 0x0301...0x0304: "TLS 1.\(self.rawValue - 0x0301)"
        default: "TLS version 0x\(String(self.rawValue, radix: 16))"
        }
    }
}
