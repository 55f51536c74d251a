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
    /// Converts a request of Foundation.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content, if it is not part of the request.
    /// - Throws: `URLError` or `HTTPURLError` for a request that cannot be sent.
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
    /// The response as a type of Foundation. The values of repeated fields are joined.
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
    /// The fields that belong to one server and must not be sent to another one after a redirect.
    package static let boundFields = ["Authorization", "Cookie", "Host", "Proxy-Authorization"]

    /// Returns the redirecting response and the following request as types of Foundation.
    ///
    /// The request is the one that would be sent. Fields that belong to the first server are removed, and so is the content if
    /// the method changes (RFC 9110 §15.4).
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
    /// Returns `true` if another request has the same URL, method and fields.
    package func isLike(_ other: URLRequest) -> Bool {
        self.url == other.url && self.httpMethod == other.httpMethod
            && self.allHTTPHeaderFields == other.allHTTPHeaderFields
    }

    /// The timeout in seconds of requests that do not set one.
    package static let usualTimeout: TimeInterval = 60
}

extension HTTPURL {
    fileprivate var text: String { "\(self.origin)\(self.target)" }
}

extension Duration {
    /// Creates a duration from seconds, within the limits of timers.
    package init(interval: TimeInterval) {
        let seconds = interval.isFinite ? min(max(interval, 0.001), 1e9) : 1e9
        self = .milliseconds(Int64(seconds * 1_000))
    }
}
