//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes
package import NIOCore

/// A request to send on a connection.
package struct ExchangeRequest: Sendable {
    /// The content of a request.
    package enum Content: Sendable {
        case none
        /// Content that is sent with the head.
        case octets(ByteBuffer)
        /// No content, but octets of the requested protocol after the server has agreed to it (RFC 9110 §7.8), sent with
        /// ``Exchange/write(_:_:)``. The server's octets are then delivered as content.
        case upgrade
        /// Content that is sent afterwards with ``Exchange/write(_:_:)``, in chunks over HTTP/1.1 if `isChunked`, otherwise with
        /// the length in the head.
        case later(isChunked: Bool)
    }

    /// A piece of content that is sent after the head.
    package enum Piece: Sendable {
        case octets(ByteBuffer)
        /// The end with trailers, which HTTP/1.1 has in chunked content only (RFC 9110 §6.5).
        case end(HTTPFields)
    }

    /// The head, which declares the length of the content or that it is chunked.
    package var head: RequestHead
    package var content: Content
    /// The host and port of the URL if the head has no Host field. HTTP/2 has a field of its own for them.
    package var authority: String?
    /// The time to wait for status 100 before later content is sent, or `nil` to send it at once.
    package var continueTimeout: Duration?

    package init(_ head: RequestHead, content: Content = .none, continueTimeout: Duration? = nil) {
        self.head = head
        self.content = content
        self.continueTimeout = continueTimeout
    }

    /// `true` if the request asks for another protocol.
    package var asksForUpgrade: Bool { if case .upgrade = self.content { true } else { false } }
}

/// The parts of a response that arrived since the last call.
package struct ResponseParts: Sendable {
    package var parts: [ResponsePart]
    /// `true` if the response is complete and its transport can be used for another request.
    package var isReusable: Bool

    package init(parts: [ResponsePart], isReusable: Bool) { (self.parts, self.isReusable) = (parts, isReusable) }
}

extension [ResponsePart] {
    /// Appends a part. Small pieces of content are joined, because each takes more memory than its octets and keeps the whole
    /// buffer alive that it arrived in.
    package mutating func appendJoined(_ part: ResponsePart) {
        guard case .content(var octets) = part, octets.readableBytes < Self.smallPiece,
            case .content(var joined)? = self.last
        else { return self.append(part) }
        self.removeLast()
        joined.writeBuffer(&octets)
        self.append(.content(joined))
    }

    private static var smallPiece: Int { 16 << 10 }
}

/// The reasons for a missing or incomplete response.
package enum HTTPExchangeError: Error, Sendable {
    /// The server's message is not a valid response.
    case message(HTTPMessageError)
    /// The server was silent for too long, in the head or after it.
    case timedOut(isInHead: Bool)
    /// The connection broke, or TLS found it tampered with or truncated.
    case connection(any Error, hasBegun: Bool)
    /// The client closed the connection.
    case closed
    /// The server answered before it had received the whole request.
    case answeredEarly
    /// The server violated its protocol or ended the request. The value describes the event, as the rest of a sentence about the
    /// server.
    case violation(any Error & CustomStringConvertible)
    /// The server has not processed the request, so that any request can be sent again (RFC 9113 §8.7). The value describes the
    /// event, as the rest of a sentence about the server, or is `nil` if the server only closed the connection.
    case notProcessed((any Error & CustomStringConvertible)?)
    /// The server requires HTTP/1.1 for this request (RFC 9113 §7).
    case http11Required
    /// The request cannot be expressed in HTTP/2. No part of it was sent.
    case onlyHTTP1

    /// `true` if the connection ended before any octet of a response.
    package var isUnanswered: Bool {
        switch self {
        case .message(.noResponse), .closed, .connection(_, hasBegun: false): true
        case .message, .connection, .timedOut, .answeredEarly, .violation, .notProcessed, .http11Required, .onlyHTTP1:
            false
        }
    }

    /// `true` if the connection ended or fell silent and the received part of the response has no error.
    package var isEndOfConnection: Bool {
        switch self {
        case .message(.cutInContent), .connection, .timedOut, .closed: true
        case .message, .answeredEarly, .violation, .notProcessed, .http11Required, .onlyHTTP1: false
        }
    }
}
