//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import NIOCore

/// A part of what a client sends.
public enum RequestPart: Sendable {
    /// The head, and what content follows it: never content without a length.
    case head(RequestHead, MessageFraming)
    /// Content.
    case content(ByteBuffer)
    /// The end of the request, with its trailers.
    case end(HTTPFields)
}

/// Reads one request of HTTP/1.1 after the other (RFC 9112), as a proxy has to: what two readers may take for two requests is an
/// error.
///
/// Lines end with CRLF, nothing is folded, and the length of content is said once and in one way.
public struct RequestReader: Sendable {
    private var message: MessageReader
    private var line: (method: HTTPRequest.Method, target: String, minorVersion: Int)?

    /// The octets of the longest method that is registered, UPDATEREDIRECTREF, and some more.
    static let maximumMethodSize = 32

    /// A reader.
    ///
    /// - Parameter limits: How much of a request is taken.
    public init(limits: MessageLimits = .ofRequests) { self.message = MessageReader(limits: limits, .proxy) }

    /// Begins with a request, once the one before it is answered.
    public mutating func begin() { self.message.begin() }

    /// Whether octets are there that were not read yet.
    public var hasRest: Bool { !self.message.unread.isEmpty }

    /// Whether an octet of the request has come, early or not.
    public var hasBegun: Bool { self.message.hasBegun || self.hasRest }

    /// Takes the octets out that were not read yet: after an upgrade they are of another protocol.
    package mutating func takeRest() -> ByteBuffer { self.message.takeRest() }

    /// Takes what came.
    public mutating func receive(_ octets: ByteBuffer) { self.message.receive(octets) }

    /// The next part of the request; `nil` when more octets have to come, and between requests.
    ///
    /// - Throws: ``HTTPRequestError``, after which nothing more can be read.
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
    /// - Throws: ``HTTPRequestError`` where it is within a request.
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

    /// RFC 9112 §3: a method, a target and a version, with one blank between them.
    private static func requestLine(
        _ line: [UInt8]
    ) throws(HTTPRequestError) -> (method: HTTPRequest.Method, target: String, minorVersion: Int) {
        let blank = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: blank), let last = line.lastIndex(of: blank), first < last else {
            throw .requestLine
        }
        // A third blank would be in the target, where none may be.
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
