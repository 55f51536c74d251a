//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOCore
public import ServerTrustNIO

/// What came of a connection.
public struct ConnectionReport: Sendable {
    /// The verdict about the server, with what was agreed on.
    public let gated: GatedConnection
    /// The address at the other end: the server's, or the proxy's.
    public let remoteAddress: SocketAddress?
    /// The proxy between; `nil` for none.
    public let proxy: HTTPProxy?
    /// Whether an earlier request used it.
    public internal(set) var isReused = false
}
