//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits on a message, apart from its content.
///
/// Messages above a limit are refused with an error. ``ofRequests`` suits servers and proxies.
public struct MessageLimits: Sendable, Hashable {
    /// The maximum number of octets in the head, all informational responses before it, and the trailers together.
    public var headSize = 300 << 10
    /// The maximum number of fields in one head.
    public var fieldCount = 5_000
    /// The maximum number of octets in one line of a chunk's size, with its extensions.
    public var chunkLineSize = 4_096
    /// The maximum number of octets in all extensions of chunks beyond the length of the content.
    public var chunkExtensionSize = 64 << 10

    /// Creates the limits of a client for unknown servers.
    public init() {}

    /// The limits of a server or proxy for unknown clients, which fit browsers with their cookies.
    public static let ofRequests: MessageLimits = {
        var limits = MessageLimits()
        (limits.headSize, limits.fieldCount) = (64 << 10, 200)
        (limits.chunkLineSize, limits.chunkExtensionSize) = (256, 4 << 10)
        return limits
    }()
}
