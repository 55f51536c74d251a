//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import ServerTrustNIO

/// A redirect that a session is about to follow.
public struct HTTPRedirect: Sendable, Hashable {
    /// The status of the response that redirects.
    public let status: Int
    /// Where that response came from.
    public let source: HTTPURL
    /// Where it leads.
    public let destination: HTTPURL
    /// The method that is sent there.
    public let method: HTTPRequest.Method
}
