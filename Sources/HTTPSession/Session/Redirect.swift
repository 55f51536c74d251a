//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import ServerTrustNIO

/// A redirect of a request, with the URL and method of the next request.
struct Redirect: Sendable {
    let url: HTTPURL
    let method: HTTPRequest.Method
    let keepsContent: Bool

    /// Reads the redirect of a response.
    ///
    /// - Parameter keepingPost: The status codes after which POST stays POST.
    /// - Returns: `nil` if the response is not a redirect.
    /// - Throws: `HTTPURLError` if the Location is not usable.
    init?(
        _ head: ResponseHead, to url: HTTPURL, method: HTTPRequest.Method, keepingPost: Set<Int> = []
    ) throws(HTTPURLError) {
        guard let (status, places) = head.redirect, let place = places.first, !place.isEmpty else { return nil }
        guard places.allSatisfy({ $0 == place }) else {
            // Otherwise the position of an injected field would decide about the next server (RFC 9110 §5.3).
            throw HTTPURLError(place, "it is one of several places")
        }
        self.url = try url.resolving(place)
        let staysPost = method == .post && keepingPost.contains(head.status)
        self.method = staysPost ? .post : Self.method(after: status, method)
        self.keepsContent = self.method == method
    }

    /// Returns the method after a redirect.
    ///
    /// RFC 9110 §15.4.2 and §15.4.3 allow POST to become GET, as in all clients. By §15.4.4 all methods except HEAD become GET.
    private static func method(after status: RedirectStatus, _ method: HTTPRequest.Method) -> HTTPRequest.Method {
        switch status {
        case .movedPermanently, .found: method == .post ? .get : method
        case .seeOther: method == .head ? .head : .get
        case .multipleChoices, .temporaryRedirect, .permanentRedirect: method
        }
    }
}
