//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A group for ephemeral keys, as its number on the wire (IANA's TLS Supported Groups).
public struct NamedGroup: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// A group from its number on the wire.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}
