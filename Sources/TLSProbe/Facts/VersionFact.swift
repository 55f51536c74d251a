//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// How a server answered to a version of TLS.
public struct VersionFact: Sendable, Hashable {
    /// The version.
    public var version: TLSProtocolVersion
    /// The answer.
    public var support: Support

    /// An answer to a version.
    public init(_ version: TLSProtocolVersion, _ support: Support) {
        self.version = version
        self.support = support
    }

    /// Whether a version is spoken.
    public enum Support: Sendable, Hashable {
        /// It agreed on it.
        case supported
        /// It refused it.
        case refused(ProbeRefusal)
        /// It gave no clear answer.
        case unknown(ConnectionFailure)
    }
}
