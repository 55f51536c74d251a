//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes
package import NIOCore

/// A request to be sent on a connection.
package struct ExchangeRequest: Sendable {
    /// How its content is sent.
    package enum Content: Sendable {
        /// None.
        case none
        /// With the head.
        case octets(ByteBuffer)
        /// None, but octets of the protocol that the request asks for, with ``Exchange/write(_:_:)``, once the server agrees
        /// (RFC 9110 §7.8). What the server sends then is content.
        case upgrade
        /// Afterwards, with ``Exchange/write(_:_:)``: in chunks where HTTP/1.1 needs them, or as many octets as the head says.
        case later(isChunked: Bool)
    }

    /// What is sent of content that comes afterwards.
    package enum Piece: Sendable {
        case octets(ByteBuffer)
        /// The end, with trailers, which HTTP/1.1 has in chunked content alone (RFC 9110 §6.5).
        case end(HTTPFields)
    }

    /// The head. It says how long the content is, or that it is chunked.
    package var head: RequestHead
    /// The content.
    package var content: Content
    /// The host and port of the URL, where the head has no Host field: HTTP/2 has a field of its own for them.
    package var authority: String?
    /// The time that the server has to say 100 before content is sent that comes later; `nil` sends it at once.
    package var continueTimeout: Duration?

    /// A request.
    package init(_ head: RequestHead, content: Content = .none, continueTimeout: Duration? = nil) {
        self.head = head
        self.content = content
        self.continueTimeout = continueTimeout
    }

    /// Whether it asks for another protocol.
    package var asksForUpgrade: Bool { if case .upgrade = self.content { true } else { false } }
}

/// What came of a response since it was last asked for.
package struct ResponseParts: Sendable {
    /// The parts in their order.
    package var parts: [ResponsePart]
    /// Whether the response is complete, and what it came over can be used for another request.
    package var isReusable: Bool

    /// Parts in their order.
    package init(parts: [ResponsePart], isReusable: Bool) { (self.parts, self.isReusable) = (parts, isReusable) }
}

extension [ResponsePart] {
    /// Keeps a part. Small pieces of content are joined: each takes more memory than its octets, and keeps the whole buffer alive that
    /// it came in.
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

/// Why a response does not come.
package enum HTTPExchangeError: Error, Sendable {
    /// The server does not send a response of HTTP/1.1.
    case message(HTTPMessageError)
    /// The server was silent for too long, before its head was complete or after it.
    case timedOut(isInHead: Bool)
    /// The connection broke, or TLS found it tampered with or cut.
    case connection(any Error, hasBegun: Bool)
    /// The connection was closed here.
    case closed
    /// The server has answered before it had the whole request.
    case answeredEarly
    /// The server breaks the rules of its protocol, or ends the request; with what it did, as the rest of a sentence about it.
    case violation(any Error & CustomStringConvertible)
    /// The server says that it has done nothing with the request (RFC 9113 §8.7): it can be sent again, whatever it is. With
    /// what it did, as the rest of a sentence about it; `nil` where it just closed the connection.
    case notProcessed((any Error & CustomStringConvertible)?)
    /// The server wants this request over HTTP/1.1 (RFC 9113 §7).
    case http11Required
    /// HTTP/2 cannot say this request, of which nothing was sent.
    case onlyHTTP1

    /// Whether the connection ended before an octet of a response came on it.
    package var isUnanswered: Bool {
        switch self {
        case .message(.noResponse), .closed, .connection(_, hasBegun: false): true
        case .message, .connection, .timedOut, .answeredEarly, .violation, .notProcessed, .http11Required, .onlyHTTP1:
            false
        }
    }

    /// Whether the connection ended, or nothing more came on it, and what did come was no error.
    package var isEndOfConnection: Bool {
        switch self {
        case .message(.cutInContent), .connection, .timedOut, .closed: true
        case .message, .answeredEarly, .violation, .notProcessed, .http11Required, .onlyHTTP1: false
        }
    }
}
