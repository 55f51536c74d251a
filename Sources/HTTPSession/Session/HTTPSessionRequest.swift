//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
package import NIOCore
public import ServerTrustNIO

/// A request of a session.
///
/// ```swift
/// var request = try HTTPSessionRequest("https://api.example.com/v1/items")
/// request.method = .post
/// request.fields[.contentType] = "application/json"
/// request.body = .text(#"{"name": "lamp"}"#)
/// ```
public struct HTTPSessionRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// Where it goes.
    public var url: HTTPURL
    /// Fields, which stand in place of those that the session would send by itself (Host, User-Agent, Accept, Cookie and
    /// Authorization, with Content-Length and Accept-Encoding). Authorization, Cookie and Host are for the origin of ``url`` alone.
    public var fields: HTTPFields = [:]
    /// Fields that the session does not send by itself.
    public var omittedFields: Set<HTTPField.Name> = []
    /// The content.
    public var body = HTTPRequestBody.none
    /// What becomes of redirects.
    public var redirects = RedirectPolicy()
    /// Asked about each redirect that ``redirects`` would follow; `false` delivers the response that redirects. `nil` follows.
    public var followsRedirect: (@Sendable (HTTPRedirect) async -> Bool)?
    /// Who asks, for the origin of ``url`` alone; `nil` where the URL says it, or no credential is known before a server asks.
    public var credential: HTTPRequestCredential?
    /// The octets of the protocol that the fields Connection and Upgrade ask for, in place of a body: they are sent once the
    /// server agrees (101), and what it sends is content then. `nil` where no protocol is asked for.
    package var upgradedOctets: (@Sendable () -> HTTPRequestBody.Octets)?
    /// The fields behind a body that is a stream, once all of it is sent. Over HTTP/1.1 they are left out where the length is known.
    package var trailers: (@Sendable () -> HTTPFields)?
    /// Hears of responses before the response, such as 103 (RFC 9110 §15.2), with the fields that ``HTTPSessionEvent`` shows.
    package var informational: (@Sendable (Int, HTTPFields) -> Void)?
    /// The event loop that the program is on: a connection of it is preferred, and a body that is a stream is read on it, which must
    /// not block. `nil` for none.
    package var eventLoop: (any EventLoop)?
    /// Whose connections it goes over; `nil` for those of the pool. Without one, a request that authenticates its connection has
    /// a connection for itself.
    package var connectionOwner: ConnectionOwner?
    /// Hears how far the content is.
    var progress: (@Sendable (HTTPUploadProgress) -> Void)?
    /// Whether the fields Connection and Upgrade ask for a protocol whose octets are written when the server has agreed.
    var changesProtocol = false

    /// Whether 101 is delivered although no protocol was asked for: to a proxy, which answers it in words of its own.
    package var deliversUnaskedChange = false

    /// Whether 101 answers the request (RFC 9110 §7.8).
    var mayChangeProtocol: Bool {
        self.changesProtocol || self.upgradedOctets != nil || self.deliversUnaskedChange
            || self.fields.contains(.upgrade)
    }
    /// The time for all of it, redirects and challenges included; `nil` for the session's.
    public var timeout: Duration?

    /// A request.
    ///
    /// - Parameters:
    ///   - url: Where it goes.
    ///   - method: The method.
    public init(_ url: HTTPURL, method: HTTPRequest.Method = .get) { (self.url, self.method) = (url, method) }

    /// A request.
    ///
    /// - Parameters:
    ///   - url: Where it goes.
    ///   - method: The method.
    /// - Throws: ``HTTPURLError``
    public init(_ url: String, method: HTTPRequest.Method = .get) throws(HTTPURLError) {
        self.init(try HTTPURL(url), method: method)
    }
}

/// A response of a session.
public struct HTTPSessionResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The fields. The octets of values are those that the server sent.
    public let fields: HTTPFields
    /// The head as it came, from the status line to the empty line.
    package let headOctets: ByteBuffer
    /// Where it came from, after redirects.
    public let url: HTTPURL
    /// What came of the connection, with the verdict about the server.
    public let connection: ConnectionReport

    /// The head as it came, from the status line to the empty line.
    public var head: [UInt8] { Array(self.headOctets.readableBytesView) }

    /// Whether the status says success (RFC 9110 §15.3).
    public var isSuccess: Bool { (200..<300).contains(self.status) }
}
