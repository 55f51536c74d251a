//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a server wants of a client certificate.
public struct ClientCertificateRequest: Sendable, Hashable {
    /// The distinguished names of the authorities it takes, in DER, as many as are kept.
    public var authorities: [[UInt8]] = []
    /// How many there were.
    public var authorityCount = 0

    /// A request.
    public init() {}
}
