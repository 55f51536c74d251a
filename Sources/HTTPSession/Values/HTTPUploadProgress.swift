//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The progress of an upload.
public struct HTTPUploadProgress: Sendable, Hashable {
    /// The number of octets passed to the connection. The count restarts if the content is sent again for a redirect or challenge.
    public let sent: Int
    /// The total number of octets, or `nil` if it is unknown.
    public let total: Int?
}
