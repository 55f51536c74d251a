//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// What becomes of redirects (RFC 9110 §15.4).
public struct RedirectPolicy: Sendable, Hashable {
    /// Whether redirects are followed; otherwise the response that redirects is delivered.
    public var areFollowed = true

    /// How many are followed, one after the other. With one more the request fails.
    public var maximumCount = 20

    /// The statuses of 301, 302 and 303 after which POST stays POST, with its content. Without them it becomes GET, as with all
    /// clients (RFC 9110 §15.4.2 to §15.4.4).
    public var statusesKeepingPost: Set<Int> = []

    /// The method whose rules redirects follow, while the request's own word stays, whatever the status says: what curl does with
    /// `-X`. `nil` for the request's own method, which becomes GET where RFC 9110 says so.
    public var rulesOfMethod: HTTPRequest.Method?

    /// Whether the Referer field of a redirected request names the URL before, without who asks.
    public var setsReferer = false

    /// Whether a redirect from `https` to `http` is followed, where the rules for plain HTTP allow the request.
    public var allowsDowngrade = false

    /// Whether the program's credentials and cookies go along to other origins. Those of a URL never do.
    ///
    /// - Warning: Every server that a redirect names gets them.
    public var dangerouslySendsCredentialsToAnyOrigin = false

    /// Follows redirects as the defaults say.
    public init() {}

    /// Follows none.
    public static let none: RedirectPolicy = {
        var policy = RedirectPolicy()
        policy.areFollowed = false
        return policy
    }()
}
