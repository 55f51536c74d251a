//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import ServerTrustNIO

/// A redirect that a session is about to follow, for a decision by ``HTTPSessionRequest/followsRedirect``.
public struct HTTPRedirect: Sendable, Hashable {
    /// The status of the redirect response.
    public let status: Int
    /// The URL of the redirect response.
    public let source: HTTPURL
    /// The URL of the next request.
    public let destination: HTTPURL
    /// The method of the next request.
    public let method: HTTPRequest.Method
}
