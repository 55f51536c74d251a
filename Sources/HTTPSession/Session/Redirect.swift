//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import ServerTrustNIO

/// Where a response redirects a request to, and how the request is made there.
struct Redirect: Sendable {
    let url: HTTPURL
    let method: HTTPRequest.Method
    /// Whether the content goes along.
    let keepsContent: Bool

    /// - Parameter keepingPost: The statuses after which POST stays POST.
    /// - Returns: `nil` for a response that redirects nowhere.
    /// - Throws: ``HTTPURLError`` for a Location that is no place to go to.
    init?(
        _ head: ResponseHead, to url: HTTPURL, method: HTTPRequest.Method, keepingPost: Set<Int> = []
    ) throws(HTTPURLError) {
        guard let (status, places) = head.redirect, let place = places.first, !place.isEmpty else { return nil }
        guard places.allSatisfy({ $0 == place }) else {
            // A field added to a response would else decide, by its position, which server is asked (RFC 9110 §5.3).
            throw HTTPURLError(place, "it is one of several places")
        }
        self.url = try url.resolving(place)
        let staysPost = method == .post && keepingPost.contains(head.status)
        self.method = staysPost ? .post : Self.method(after: status, method)
        self.keepsContent = self.method == method
    }

    /// RFC 9110 §15.4.2 and §15.4.3 let POST become GET, as all clients do; §15.4.4 lets everything become GET but HEAD.
    private static func method(after status: RedirectStatus, _ method: HTTPRequest.Method) -> HTTPRequest.Method {
        switch status {
        case .movedPermanently, .found: method == .post ? .get : method
        case .seeOther: method == .head ? .head : .get
        case .multipleChoices, .temporaryRedirect, .permanentRedirect: method
        }
    }
}
