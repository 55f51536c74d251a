//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How far the content of a request is.
public struct HTTPUploadProgress: Sendable, Hashable {
    /// The octets that are handed to the connection. Where the content is sent again, for a redirect or a challenge, they are
    /// counted anew.
    public let sent: Int
    /// The octets of the whole; `nil` where that is not known.
    public let total: Int?
}
