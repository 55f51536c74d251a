//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation
package import FoundationNetworking
package import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrustNIO

extension HTTPSessionRequest {
    /// A request as Foundation has it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content, where it is no part of the request.
    /// - Throws: `URLError` or `HTTPURLError` for what cannot be sent.
    package init(_ request: URLRequest, body: HTTPRequestBody? = nil) throws {
        guard let url = request.url, let method = HTTPRequest.Method(rawValue: request.httpMethod ?? "GET") else {
            throw URLError(.badURL)
        }
        try self.init(url.absoluteString, method: method)
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name), value.utf8.allSatisfy({ ![0, 0x0A, 0x0D].contains($0) }) else {
                throw URLError(.badURL)
            }
            self.fields[name] = value
        }
        if let body {
            self.body = body
            return
        }
        guard request.httpBodyStream == nil else { throw URLError(.requestBodyStreamExhausted) }
        self.body = request.httpBody.map { .octets(ByteBuffer(bytes: $0)) } ?? .none
    }
}

extension HTTPSessionResponse {
    /// The response as Foundation has it. Values of a field that is there several times are joined.
    package var foundationResponse: HTTPURLResponse? {
        guard let url = URL(string: self.url.text) else { return nil }
        var fields: [String: String] = [:]
        for field in self.fields {
            let name = field.name.rawName
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return HTTPURLResponse(url: url, statusCode: self.status, httpVersion: nil, headerFields: fields)
    }
}

extension HTTPRedirect {
    /// The fields that are for one server, and are not shown to another that it redirects to.
    package static let boundFields = ["Authorization", "Cookie", "Host", "Proxy-Authorization"]

    /// The response that redirects, and the request that follows it, as Foundation has them.
    ///
    /// The request is the one that would be sent: what belongs to the first server stays with it, and content is left out where
    /// the method is another (RFC 9110 §15.4).
    ///
    /// - Parameter request: The request that was redirected.
    package func foundation(after request: URLRequest) -> (response: HTTPURLResponse, request: URLRequest)? {
        guard let destination = URL(string: self.destination.text), let source = URL(string: self.source.text),
            let response = HTTPURLResponse(
                url: source, statusCode: self.status, httpVersion: nil,
                headerFields: ["Location": self.destination.text])
        else { return nil }
        var next = request
        next.url = destination
        next.httpMethod = self.method.rawValue
        if self.source.origin != self.destination.origin {
            for name in Self.boundFields { next.setValue(nil, forHTTPHeaderField: name) }
        }
        if next.httpMethod != request.httpMethod { (next.httpBody, next.httpBodyStream) = (nil, nil) }
        return (response, next)
    }
}

extension URLRequest {
    /// True if another request has the same URL, method and fields.
    package func isLike(_ other: URLRequest) -> Bool {
        self.url == other.url && self.httpMethod == other.httpMethod
            && self.allHTTPHeaderFields == other.allHTTPHeaderFields
    }

    /// The timeout of requests that say nothing of it.
    package static let usualTimeout: TimeInterval = 60
}

extension HTTPURL {
    /// The URL as a text.
    fileprivate var text: String { "\(self.origin)\(self.target)" }
}

extension Duration {
    /// Seconds within the limits of timers.
    package init(interval: TimeInterval) {
        let seconds = interval.isFinite ? min(max(interval, 0.001), 1e9) : 1e9
        self = .milliseconds(Int64(seconds * 1_000))
    }
}
