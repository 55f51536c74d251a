//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The answer of a server to a version of TLS.
public struct VersionFact: Sendable, Hashable {
    /// The version of TLS.
    public var version: TLSProtocolVersion
    /// The answer to the version.
    public var support: Support

    /// Creates the answer to a version.
    public init(_ version: TLSProtocolVersion, _ support: Support) {
        self.version = version
        self.support = support
    }

    /// The support for a version.
    public enum Support: Sendable, Hashable {
        /// The server agreed on the version.
        case supported
        /// The server refused the version.
        case refused(ProbeRefusal)
        /// The server gave no clear answer.
        case unknown(ConnectionFailure)
    }
}
