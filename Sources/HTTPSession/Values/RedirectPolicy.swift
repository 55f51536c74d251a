//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// The policy for redirects (RFC 9110 §15.4): the number that is followed, and the changes to the request.
public struct RedirectPolicy: Sendable, Hashable {
    /// `true` if redirects are followed. Otherwise the redirect response is delivered.
    public var areFollowed = true

    /// The maximum number of successive redirects. The request fails if there are more.
    public var maximumCount = 20

    /// The status codes among 301, 302 and 303 after which POST stays POST and keeps its content. After others it becomes GET, as
    /// in all clients (RFC 9110 §15.4.2 to §15.4.4).
    public var statusesKeepingPost: Set<Int> = []

    /// The method that determines the changes of redirects, while the request's own method stays on the request line, as
    /// with curl's `-X`.
    ///
    /// With `nil`, the request's own method determines them and may become GET.
    public var rulesOfMethod: HTTPRequest.Method?

    /// `true` if a redirected request has a Referer field with the previous URL, without user name and password.
    public var setsReferer = false

    /// `true` if a redirect from `https` to `http` is followed, provided that the rules for plain HTTP allow the request.
    public var allowsDowngrade = false

    /// `true` if the program's credentials and cookies are sent to other origins. Those in a URL never are.
    ///
    /// - Warning: Every server that a redirect names receives them.
    public var dangerouslySendsCredentialsToAnyOrigin = false

    /// Creates the default policy.
    public init() {}

    /// A policy that follows no redirects.
    public static let none: RedirectPolicy = {
        var policy = RedirectPolicy()
        policy.areFollowed = false
        return policy
    }()
}
