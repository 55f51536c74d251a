//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

/// Reads the request on one stream of HTTP/2 (RFC 9113 §8.1), as a proxy has to: what two readers may take for two requests is an
/// error.
///
/// A request becomes one of HTTP/1.1, and the rules for that hold too.
package struct HTTP2RequestReader: Sendable {
    private var message: HTTP2MessageReader
    /// The method, as soon as it is read: an answer to HEAD has no content.
    private(set) package var method: HTTPRequest.Method?

    /// The octets of the longest method that is taken, as over HTTP/1.1.
    private static let maximumMethodSize = RequestReader.maximumMethodSize

    /// A reader.
    ///
    /// - Parameter limits: How much of a request is taken.
    package init(limits: MessageLimits = .ofRequests) {
        self.message = HTTP2MessageReader(.request, limits: limits)
    }

    /// Whether all of the request has come.
    package var isAtEnd: Bool { self.message.isAtEnd }

    /// Takes the fields of a HEADERS frame.
    ///
    /// - Parameters:
    ///   - lines: The names and values in their order.
    ///   - isLast: Whether the stream ends with them.
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
    ///   - isLast: Whether the stream ends with them.
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

    /// A request for WebSocket on a stream (RFC 8441 §5), as HTTP/1.1 asks for it, but for its key. The octets of WebSocket follow.
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

    /// The server, by `:authority` or the Host field, which must agree (§8.3.1); and the fields with a Host field in its place.
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
        // In HTTP/1.1 it is for one connection alone (RFC 9110 §10.1.4).
        if rest.contains(.te) { rest[.connection] = "TE" }
        return (named, rest)
    }

    /// What content follows. HTTP/2 ends it with the stream, whatever the fields say (§8.1.1).
    private static func framing(of head: RequestHead, isLast: Bool) throws(HTTPRequestError) -> MessageFraming {
        switch try head.framing() {
        case .length(let length): return .length(length)
        case .none where !isLast:
            // Of TRACE nothing follows (RFC 9110 §9.3.8).
            guard head.method != .trace else { throw .framing }
            return .chunked
        default: return .none
        }
    }

    /// The target as HTTP/1.1 writes it: a path, or a URL where the scheme is not that of the connection.
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

    /// RFC 3986 §3.1.
    private static func isOfScheme(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
