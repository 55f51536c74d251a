//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

/// A reader of the request on one stream of HTTP/2 (RFC 9113 §8.1), with the strictness of a proxy: a request that two readers
/// could read as two is an error.
///
/// The request is converted to HTTP/1.1, and the rules of HTTP/1.1 apply as well.
package struct HTTP2RequestReader: Sendable {
    private var message: HTTP2MessageReader
    /// The method as soon as it is read, because a response to HEAD has no content.
    private(set) package var method: HTTPRequest.Method?

    /// The maximum length of a method in octets, as over HTTP/1.1.
    private static let maximumMethodSize = RequestReader.maximumMethodSize

    /// Creates a reader.
    ///
    /// - Parameter limits: The limits on a request.
    package init(limits: MessageLimits = .ofRequests) {
        self.message = HTTP2MessageReader(.request, limits: limits)
    }

    package var isAtEnd: Bool { self.message.isAtEnd }

    /// Takes the fields of a HEADERS frame.
    ///
    /// - Parameters:
    ///   - lines: The names and values in their order.
    ///   - isLast: `true` if the frame ends the stream.
    /// - Returns: The head, or the end with the trailers.
    package mutating func receive(
        _ lines: some Sequence<(name: String, value: String)>, isLast: Bool
    ) throws(HTTPRequestError) -> RequestPart {
        let block: HTTP2MessageReader.Block
        do { block = try self.message.receive(lines, isLast: isLast) } catch { throw HTTPRequestError(error) }
        switch block {
        case .head(let pseudo, let fields): return try self.head(pseudo, fields, isLast: isLast)
        case .trailers(let fields): return .end(fields)
        }
    }

    /// Takes the content of a DATA frame.
    ///
    /// - Parameters:
    ///   - count: The number of octets.
    ///   - isLast: `true` if the frame ends the stream.
    package mutating func receive(_ count: Int, isLast: Bool) throws(HTTPRequestError) {
        do { try self.message.receive(count, isLast: isLast) } catch { throw HTTPRequestError(error) }
    }

    // MARK: Heads

    private mutating func head(
        _ pseudo: [String: String], _ fields: HTTPFields, isLast: Bool
    ) throws(HTTPRequestError) -> RequestPart {
        self.method = pseudo[":method"].flatMap { HTTPRequest.Method($0) }
        guard let method = self.method, method.rawValue.utf8.count <= Self.maximumMethodSize else {
            throw .http2(.method)
        }
        let isWebSocket = method == .connect && pseudo[":protocol"] == "websocket"
        guard isWebSocket || method != .connect && pseudo[":protocol"] == nil else { throw .connect }
        let (authority, rest) = try Self.authority(pseudo[":authority"], fields)
        let target = try Self.target(pseudo, method, at: authority)
        guard !isWebSocket else { return try self.webSocket(target, rest, isLast: isLast) }
        guard let head = RequestHead(method, target: target, fields: rest) else { throw .http2(.path) }
        let framing = try Self.framing(of: head, isLast: isLast)
        try self.expect(framing, isLast: isLast)
        return .head(head, framing)
    }

    private mutating func expect(_ framing: MessageFraming, isLast: Bool) throws(HTTPRequestError) {
        do { try self.message.expect(framing, isLast: isLast) } catch { throw HTTPRequestError(error) }
    }

    /// Returns the head of a WebSocket request (RFC 8441 §5) in the form of HTTP/1.1, but without a key. The octets of WebSocket
    /// follow.
    private mutating func webSocket(
        _ target: String, _ fields: HTTPFields, isLast: Bool
    ) throws(HTTPRequestError) -> RequestPart {
        var fields = fields
        fields.upgrade(to: "websocket")
        guard let head = RequestHead(.get, target: target, fields: fields) else { throw .http2(.path) }
        guard try head.framing() == .none else { throw .http2(.contentLength) }
        try self.expect(.untilClose, isLast: isLast)
        return .head(head, .none)
    }

    /// Returns the server from `:authority` or the Host field, which must agree (§8.3.1), and the fields with a Host field at the
    /// start.
    private static func authority(
        _ authority: String?, _ fields: HTTPFields
    ) throws(HTTPRequestError) -> (String, HTTPFields) {
        let hosts = fields[values: .hostName]
        guard hosts.count <= 1, let named = authority ?? hosts.first, !named.isEmpty,
            !named.utf8.contains(UInt8(ascii: "@")),
            hosts.isEmpty || hosts[0].lowercased() == named.lowercased()
        else { throw .http2(.authority) }
        var rest = HTTPFields()
        rest.append(HTTPField(name: .hostName, value: named))
        for field in fields where field.name != .hostName { rest.append(field) }
        // In HTTP/1.1, TE is for one connection only (RFC 9110 §10.1.4).
        if rest.contains(.te) { rest[.connection] = "TE" }
        return (named, rest)
    }

    /// Returns the framing of the content. HTTP/2 ends content with the stream, whatever the fields say (§8.1.1).
    private static func framing(of head: RequestHead, isLast: Bool) throws(HTTPRequestError) -> MessageFraming {
        switch try head.framing() {
        case .length(let length): return .length(length)
        case .none where !isLast:
            // TRACE has no content (RFC 9110 §9.3.8).
            guard head.method != .trace else { throw .framing }
            return .chunked
        default: return .none
        }
    }

    /// Returns the target in the form of HTTP/1.1: a path, or a URL if the scheme is not `https`.
    private static func target(
        _ pseudo: [String: String], _ method: HTTPRequest.Method, at authority: String
    ) throws(HTTPRequestError) -> String {
        guard let scheme = pseudo[":scheme"], !scheme.isEmpty, scheme.utf8.allSatisfy(Self.isOfScheme) else {
            throw .http2(.scheme)
        }
        guard let path = pseudo[":path"], path.hasPrefix("/") || path == "*" && method == .options,
            !path.utf8.contains(UInt8(ascii: "#"))
        else { throw .http2(.path) }
        return scheme.lowercased() == "https" ? path : "\(scheme)://\(authority)\(path == "*" ? "" : path)"
    }

    /// Returns `true` for the characters of a scheme (RFC 3986 §3.1).
    private static func isOfScheme(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
