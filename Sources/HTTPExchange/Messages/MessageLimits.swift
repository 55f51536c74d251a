//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How much of a message is taken, apart from its content.
public struct MessageLimits: Sendable, Hashable {
    /// The octets of the head, with all informational responses before it, and of the trailers.
    public var headSize = 300 << 10
    /// The fields of one head.
    public var fieldCount = 5_000
    /// The octets of one line of a chunk's size, with its extensions.
    public var chunkLineSize = 4_096
    /// The octets of all extensions of chunks beyond as many as the content has.
    public var chunkExtensionSize = 64 << 10

    /// The limits of a client that knows nothing about its servers.
    public init() {}

    /// The limits of a server or proxy that knows nothing about its clients: what browsers and their cookies need, and no more.
    public static let ofRequests: MessageLimits = {
        var limits = MessageLimits()
        (limits.headSize, limits.fieldCount) = (64 << 10, 200)
        (limits.chunkLineSize, limits.chunkExtensionSize) = (256, 4 << 10)
        return limits
    }()
}
