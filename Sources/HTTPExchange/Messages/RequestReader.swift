//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import NIOCore

/// A part of a request.
///
/// A request is one head, any number of pieces of content, and one end.
public enum RequestPart: Sendable {
    /// The head, and the framing of its content, which always has a length or chunks.
    case head(RequestHead, MessageFraming)
    /// A piece of the content.
    case content(ByteBuffer)
    /// The end of the request, with its trailers.
    case end(HTTPFields)
}

/// A reader of the requests of HTTP/1.1 on one connection (RFC 9112), with the strictness of a proxy: a request that two readers
/// could read as two is an error.
///
/// Lines end with CRLF, folded lines are refused, and the length of content is declared once and in one way.
///
/// ```swift
/// var reader = RequestReader()
/// reader.begin()
/// reader.receive(octets)
/// while let part = try reader.next() { … }
/// ```
public struct RequestReader: Sendable {
    private var message: MessageReader
    private var line: (method: HTTPRequest.Method, target: String, minorVersion: Int)?

    /// 32 octets, more than the longest registered method, UPDATEREDIRECTREF.
    static let maximumMethodSize = 32

    /// Creates a reader.
    ///
    /// - Parameter limits: The limits on a request.
    public init(limits: MessageLimits = .ofRequests) { self.message = MessageReader(limits: limits, .proxy) }

    /// Begins the next request, after the one before is answered.
    public mutating func begin() { self.message.begin() }

    /// `true` if there are unread octets.
    public var hasRest: Bool { !self.message.unread.isEmpty }

    /// `true` once an octet of the request has arrived, even if before ``begin()``.
    public var hasBegun: Bool { self.message.hasBegun || self.hasRest }

    /// Removes and returns the unread octets, which belong to another protocol after an upgrade.
    package mutating func takeRest() -> ByteBuffer { self.message.takeRest() }

    /// Takes octets from the connection.
    public mutating func receive(_ octets: ByteBuffer) { self.message.receive(octets) }

    /// Returns the next part of the request. Returns `nil` if more octets must arrive, and between requests.
    ///
    /// - Throws: ``HTTPRequestError`` if the request is invalid. Nothing more can be read afterwards.
    public mutating func next() throws(HTTPRequestError) -> RequestPart? {
        while !self.message.isIdle {
            switch try self.part() {
            case .startLine(let line)?: self.line = try Self.requestLine(line)
            case .fields(let fields)?: return try self.finishHead(fields)
            case .content(let octets)?: return .content(octets)
            case .end(let trailers)?: return .end(trailers)
            case nil: return nil
            }
        }
        return nil
    }

    /// Takes the end of the connection.
    ///
    /// - Throws: ``HTTPRequestError`` if the end is within a request.
    public mutating func finish() throws(HTTPRequestError) {
        guard self.hasBegun, !self.message.isIdle else { return }
        do { _ = try self.message.finish() } catch { throw .message(error) }
    }

    private mutating func part() throws(HTTPRequestError) -> MessageReader.Part? {
        do { return try self.message.next() } catch { throw .message(error) }
    }

    private mutating func finishHead(_ fields: HTTPFields) throws(HTTPRequestError) -> RequestPart {
        guard let line, var head = RequestHead(line.method, target: line.target, fields: fields) else {
            throw .requestLine
        }
        head.minorVersion = line.minorVersion
        let framing = try head.framing()
        self.message.follow(framing)
        return .head(head, framing)
    }

    /// Parses a request line (RFC 9112 §3): a method, a target and a version, separated by single blanks.
    private static func requestLine(
        _ line: [UInt8]
    ) throws(HTTPRequestError) -> (method: HTTPRequest.Method, target: String, minorVersion: Int) {
        let blank = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: blank), let last = line.lastIndex(of: blank), first < last else {
            throw .requestLine
        }
        // A third blank would be in the target, which may have none.
        let (word, target, version) = (line[..<first], line[(first + 1)..<last], line[(last + 1)...])
        guard (1...Self.maximumMethodSize).contains(word.count),
            let method = HTTPRequest.Method(String(decoding: word, as: UTF8.self)),
            !target.isEmpty, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else { throw .requestLine }
        guard version.starts(with: "HTTP/".utf8) else { throw .requestLine }
        guard version.elementsEqual("HTTP/1.1".utf8) || version.elementsEqual("HTTP/1.0".utf8) else { throw .version }
        return (method, String(decoding: target, as: UTF8.self), version.last == UInt8(ascii: "1") ? 1 : 0)
    }
}
