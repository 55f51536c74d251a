//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a handshake is signed, as its number on the wire (IANA's TLS SignatureScheme).
public struct SignatureScheme: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// A scheme from its number on the wire.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}
