//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import NIOCore

/// A reader of the responses of HTTP/1.1 on one connection (RFC 9112), as their octets arrive.
///
/// It is strict about the framing of content, because leniency would let two readers see two messages. It accepts lines that end
/// with a bare LF, and folded fields, as RFC 9112 §2.2 and §5.2 allow user agents. Field values keep their octets, which matter in
/// Location and Set-Cookie. NIOHTTP1 would repair them to UTF-8.
///
/// ```swift
/// var reader = ResponseReader()
/// reader.begin(method: .get)
/// reader.receive(octets)
/// while let part = try reader.next() { … }
/// ```
public struct ResponseReader: Sendable {
    /// The limits on a response, apart from its content.
    public typealias Limits = MessageLimits

    private var message: MessageReader
    private var method = HTTPRequest.Method.get
    private var upgrades = false
    private var head = ResponseHead(minorVersion: 1, status: 0, fields: [:], octets: ByteBuffer())
    private var keepsConnection = false

    /// Creates a reader.
    public init(limits: Limits = Limits()) { self.message = MessageReader(limits: limits, .userAgent) }

    /// Begins the response to a request.
    ///
    /// - Parameter method: The method of the request, which determines if the response has content.
    public mutating func begin(method: HTTPRequest.Method) { self.begin(method: method, upgrades: false) }

    /// Begins the response to a request that may ask for another protocol. The octets of that protocol are read as content.
    package mutating func begin(method: HTTPRequest.Method, upgrades: Bool) {
        self.method = method
        self.upgrades = upgrades
        self.message.begin()
    }

    /// `true` once an octet of the response has arrived.
    public var hasBegun: Bool { self.message.hasBegun }

    /// `true` if there are unread octets.
    public var hasRest: Bool { !self.message.unread.isEmpty }

    /// `true` if the connection can be used again after the last response (RFC 9112 §9.3).
    public var isReusable: Bool { self.message.isIdle && self.keepsConnection && !self.hasRest }

    /// Takes octets from the connection.
    public mutating func receive(_ octets: ByteBuffer) { self.message.receive(octets) }

    var heldSize: Int { self.message.heldSize }

    /// Returns the next part of the response, or `nil` if more octets must arrive.
    public mutating func next() throws(HTTPMessageError) -> ResponsePart? {
        while true {
            try self.checkBeginning()
            switch try self.message.next() {
            case .startLine(let line)?: try self.readStatusLine(line)
            case .fields(let fields)?: return try self.finishHead(fields)
            case .content(let octets)?: return .content(octets)
            case .end(let trailers)?: return .end(trailers)
            case nil: return nil
            }
        }
    }

    /// Throws if the octets are not HTTP/1, even before the first line is complete. Octets beyond the limit are ignored, so that
    /// the error does not depend on how the octets were split.
    private func checkBeginning() throws(HTTPMessageError) {
        guard self.message.isAtStartLine else { return }
        let beginning = "HTTP/1.".utf8.prefix(min(self.message.unread.count, self.message.headLeft))
        guard self.message.unread.starts(with: beginning) else { throw .statusLine }
    }

    /// Takes the end of the connection.
    ///
    /// - Returns: The end of a response that lasts until the end of the connection, or `nil` between responses.
    public mutating func finish() throws(HTTPMessageError) -> ResponsePart? {
        guard case .end(let trailers)? = try self.message.finish() else { return nil }
        self.keepsConnection = false
        return .end(trailers)
    }

    private mutating func readStatusLine(_ line: [UInt8]) throws(HTTPMessageError) {
        // HTTP/1.x and three digits. The reason and the blank before it may be missing (RFC 9112 §4).
        let octets = line.prefix(13)
        guard octets.count >= 12, octets.starts(with: "HTTP/1.".utf8), octets[8] == UInt8(ascii: " "),
            let minor = Self.digit(octets[7]), octets.count == 12 || octets[12] == UInt8(ascii: " ")
        else { throw .statusLine }
        var status = 0
        for octet in octets[9..<12] {
            guard let digit = Self.digit(octet) else { throw .statusLine }
            status = status * 10 + digit
        }
        guard status >= 100 else { throw .statusLine }
        (self.head.minorVersion, self.head.status) = (minor, status)
    }

    private static func digit(_ octet: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) ? Int(octet) - 0x30 : nil
    }

    private mutating func finishHead(_ fields: HTTPFields) throws(HTTPMessageError) -> ResponsePart {
        var head = self.head
        (head.fields, head.octets) = (fields, self.message.head)
        // 101 ends HTTP on the connection, and is a final answer (RFC 9110 §15.2.2).
        if head.isInformational, head.status != 101 {
            self.message.beginAnotherHead()
            return .informational(head)
        }
        let framing = try head.framing(method: self.method, upgrades: self.upgrades)
        self.keepsConnection = head.keepsConnection(framing, method: self.method)
        self.message.follow(framing)
        return .head(head)
    }
}
