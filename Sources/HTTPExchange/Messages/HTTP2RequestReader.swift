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
    private enum State: Sendable {
        case head
        /// How many octets may still come: `nil` for any number.
        case content(left: Int?)
        case ended
    }

    private let limits: MessageLimits
    private var state = State.head
    /// The octets of the head and the trailers, as SETTINGS_MAX_HEADER_LIST_SIZE counts them (§6.5.2).
    private var size = 0
    private var fieldCount = 0
    /// The method, as soon as it is read: an answer to HEAD has no content.
    private(set) package var method: HTTPRequest.Method?

    /// The octets of the longest method that is taken, as over HTTP/1.1.
    private static let maximumMethodSize = RequestReader.maximumMethodSize

    /// A reader.
    ///
    /// - Parameter limits: How much of a request is taken.
    package init(limits: MessageLimits = .ofRequests) { self.limits = limits }

    /// Whether all of the request has come.
    package var isAtEnd: Bool { if case .ended = self.state { true } else { false } }

    /// Takes the fields of a HEADERS frame.
    ///
    /// - Parameters:
    ///   - lines: The names and values in their order.
    ///   - isLast: Whether the stream ends with them.
    /// - Returns: The head, or the end with the trailers.
    package mutating func receive(
        _ lines: some Sequence<(name: String, value: String)>, isLast: Bool
    ) throws(HTTPRequestError) -> RequestPart {
        switch self.state {
        case .head: return try self.head(lines, isLast: isLast)
        case .content(let left):
            // Fields behind content end the request (§8.1).
            guard isLast else { throw .http2(.unendedTrailers) }
            guard left == nil || left == 0 else { throw .http2(.contentLength) }
            let trailers = try self.fields(lines) { _, _ throws(HTTPRequestError) in throw .http2(.pseudoField) }
            // Not before: a malformed request must not look whole to what passes it on (§8.1.1).
            self.state = .ended
            return .end(trailers)
        case .ended: throw .http2(.unendedTrailers)
        }
    }

    /// Takes the content of a DATA frame.
    ///
    /// - Parameters:
    ///   - count: The number of octets.
    ///   - isLast: Whether the stream ends with them.
    package mutating func receive(_ count: Int, isLast: Bool) throws(HTTPRequestError) {
        guard case .content(var left) = self.state else { throw .http2(.contentLength) }
        if let most = left {
            guard count <= most else { throw .http2(.contentLength) }
            left = most - count
        }
        guard !isLast || left == nil || left == 0 else { throw .http2(.contentLength) }
        self.state = isLast ? .ended : .content(left: left)
    }

    // MARK: Heads

    private mutating func head(
        _ lines: some Sequence<(name: String, value: String)>, isLast: Bool
    ) throws(HTTPRequestError) -> RequestPart {
        var pseudo = HTTP2PseudoFields()
        let fields = try self.fields(lines) { name, value throws(HTTPRequestError) in try pseudo.take(name, value) }
        self.method = pseudo.method.flatMap { HTTPRequest.Method($0) }
        guard let method = self.method, method.rawValue.utf8.count <= Self.maximumMethodSize else {
            throw .http2(.method)
        }
        let isWebSocket = method == .connect && pseudo.protocol == "websocket"
        guard isWebSocket || method != .connect && pseudo.protocol == nil else { throw .connect }
        let (authority, rest) = try Self.authority(pseudo.authority, fields)
        guard !isWebSocket else {
            return try self.webSocket(try pseudo.target(method, at: authority), rest, isLast: isLast)
        }
        guard let head = RequestHead(method, target: try pseudo.target(method, at: authority), fields: rest) else {
            throw .http2(.path)
        }
        let framing = try Self.framing(of: head, isLast: isLast)
        switch framing {
        case .length(let length) where !isLast: self.state = .content(left: length)
        case .chunked: self.state = .content(left: nil)
        default: self.state = .ended
        }
        return .head(head, framing)
    }

    /// A request for WebSocket on a stream (RFC 8441 §5), as HTTP/1.1 asks for it, but for its key. The octets of WebSocket follow.
    private mutating func webSocket(
        _ target: String, _ fields: HTTPFields, isLast: Bool
    ) throws(HTTPRequestError) -> RequestPart {
        var fields = fields
        fields.upgrade(to: "websocket")
        guard let head = RequestHead(.get, target: target, fields: fields) else { throw .http2(.path) }
        guard try head.framing() == .none else { throw .http2(.contentLength) }
        self.state = isLast ? .ended : .content(left: nil)
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
        case .length(let length):
            guard !isLast || length == 0 else { throw .http2(.contentLength) }
            return .length(length)
        case .none where !isLast:
            // Of TRACE nothing follows (RFC 9110 §9.3.8).
            guard head.method != .trace else { throw .framing }
            return .chunked
        default: return .none
        }
    }

    /// The fields, without those that `takePseudo` takes: they come first (§8.3).
    private mutating func fields(
        _ lines: some Sequence<(name: String, value: String)>,
        _ takePseudo: (String, String) throws(HTTPRequestError) -> Void
    ) throws(HTTPRequestError) -> HTTPFields {
        var fields = HTTPFields()
        var hasCookie = false
        for (name, value) in lines {
            self.size += name.utf8.count + value.utf8.count
            guard self.size <= self.limits.headSize else { throw .message(.headTooLarge(limit: self.limits.headSize)) }
            guard name.utf8.first != UInt8(ascii: ":") else {
                guard fields.isEmpty else { throw .http2(.pseudoField) }
                try takePseudo(name, value)
                continue
            }
            // Cookies may come one by one, and are one field elsewhere (§8.2.3).
            self.fieldCount += name == "cookie" && hasCookie ? 0 : 1
            hasCookie = hasCookie || name == "cookie"
            guard self.fieldCount <= self.limits.fieldCount else {
                throw .message(.tooManyFields(limit: self.limits.fieldCount))
            }
            // What HTTP/1.1 has no octet for would reach the server in a line (RFC 9112 §2.2).
            guard !value.utf8.contains(where: MessageLine.isForbiddenToProxies) else { throw .http2(.value) }
            do { fields.append(try HTTPField(http2: name, value: value)) } catch { throw .http2(.field(error)) }
        }
        return fields
    }
}

/// The pseudo-header fields of a request, each once (RFC 9113 §8.3.1, RFC 8441 §4).
private struct HTTP2PseudoFields {
    private(set) var method, scheme, authority, path, `protocol`: String?

    mutating func take(_ name: String, _ value: String) throws(HTTPRequestError) {
        switch name {
        case ":method": try Self.set(&self.method, value)
        case ":scheme": try Self.set(&self.scheme, value)
        case ":authority": try Self.set(&self.authority, value)
        case ":path": try Self.set(&self.path, value)
        case ":protocol": try Self.set(&self.protocol, value)
        default: throw .http2(.pseudoField)
        }
    }

    private static func set(_ field: inout String?, _ value: String) throws(HTTPRequestError) {
        guard field == nil else { throw .http2(.pseudoField) }
        // §8.2.1 holds for them, too.
        let blanks: [UInt8?] = [0x20, 0x09]
        guard !blanks.contains(value.utf8.first), !blanks.contains(value.utf8.last) else { throw .http2(.value) }
        field = value
    }

    /// The target as HTTP/1.1 writes it: a path, or a URL where the scheme is not that of the connection.
    func target(_ method: HTTPRequest.Method, at authority: String) throws(HTTPRequestError) -> String {
        guard let scheme, !scheme.isEmpty, scheme.utf8.allSatisfy(Self.isOfScheme) else { throw .http2(.scheme) }
        guard let path, path.hasPrefix("/") || path == "*" && method == .options, !path.utf8.contains(UInt8(ascii: "#"))
        else {
            throw .http2(.path)
        }
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
