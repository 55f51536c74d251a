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
    /// The request method.
    public var method: HTTPRequest.Method
    /// The URL of the request.
    public var url: HTTPURL
    /// The fields, which replace those that the session would send: Host, User-Agent, Accept, Cookie, Authorization,
    /// Content-Length and Accept-Encoding.
    ///
    /// Authorization, Cookie and Host are sent only to the origin of ``url``.
    public var fields: HTTPFields = [:]
    /// The names of fields that the session must not add.
    public var omittedFields: Set<HTTPField.Name> = []
    /// The content of the request.
    public var body = HTTPRequestBody.none
    /// The handling of redirects.
    public var redirects = RedirectPolicy()
    /// A closure that decides about each redirect that ``redirects`` allows. If it returns `false`, the redirect response is
    /// delivered. `nil` follows all of them.
    public var followsRedirect: (@Sendable (HTTPRedirect) async -> Bool)?
    /// The credential for the origin of ``url``, or `nil` to use the one in the URL or to answer challenges only.
    public var credential: HTTPRequestCredential?
    /// The octets of the protocol that the Connection and Upgrade fields request, or `nil` if no protocol is requested.
    ///
    /// They replace a body and are sent after the server has accepted the protocol (101). The server's octets are then the content.
    package var upgradedOctets: (@Sendable () -> HTTPRequestBody.Octets)?
    /// A closure that returns the trailer fields after all of a stream was sent. HTTP/1.1 omits them if the length of the
    /// content is known.
    package var trailers: (@Sendable () -> HTTPFields)?
    /// A closure that receives informational responses such as 103 (RFC 9110 §15.2), with fields as in ``HTTPSessionEvent``.
    package var informational: (@Sendable (Int, HTTPFields) -> Void)?
    /// The event loop of the caller, or `nil` if there is none. A connection on it is preferred, and a streamed body is read on it
    /// and must not block.
    package var eventLoop: (any EventLoop)?
    /// The owner of the connections for this request, or `nil` to use those of the pool. Without one, a request that authenticates
    /// its connection uses a connection of its own.
    package var connectionOwner: ConnectionOwner?
    var progress: (@Sendable (HTTPUploadProgress) -> Void)?
    /// `true` if the Connection and Upgrade fields request a protocol. Its octets are written after the server has accepted it.
    var changesProtocol = false

    /// `true` if 101 is delivered even if no protocol was requested. A proxy then refuses it with its own response.
    package var deliversUnaskedChange = false

    /// `true` if 101 is a valid response to the request (RFC 9110 §7.8).
    var mayChangeProtocol: Bool {
        self.changesProtocol || self.upgradedOctets != nil || self.deliversUnaskedChange
            || self.fields.contains(.upgrade)
    }
    /// The timeout of the whole request, including redirects and challenges, or `nil` to use that of the session.
    public var timeout: Duration?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The request method.
    public init(_ url: HTTPURL, method: HTTPRequest.Method = .get) { (self.url, self.method) = (url, method) }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The request method.
    /// - Throws: `HTTPURLError` if the URL is not a valid `http` or `https` URL.
    public init(_ url: String, method: HTTPRequest.Method = .get) throws(HTTPURLError) {
        self.init(try HTTPURL(url), method: method)
    }
}

/// A response of a session.
///
/// It has the status and the fields of the final response after redirects and challenges. The content is separate: see
/// ``HTTPSession/data(for:)`` and ``HTTPSession/bytes(for:)``.
public struct HTTPSessionResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The fields. Values keep the octets that the server sent.
    public let fields: HTTPFields
    /// The head as it was received, from the status line to the empty line.
    package let headOctets: ByteBuffer
    /// The URL of the response, after redirects.
    public let url: HTTPURL
    /// The properties of the connection, including the verdict on the server.
    public let connection: ConnectionReport

    /// The head as it was received, from the status line to the empty line.
    public var head: [UInt8] { Array(self.headOctets.readableBytesView) }

    /// `true` if the status is from 200 through 299 (RFC 9110 §15.3).
    public var isSuccess: Bool { (200..<300).contains(self.status) }
}
