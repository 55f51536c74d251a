//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import NIOCore

/// Reads one response of HTTP/1.1 after the other (RFC 9112), as its octets come.
///
/// It is strict where leniency lets two readers see two messages: what frames the content is one thing or an error. Lines may
/// end with LF alone, and folded fields are read, as RFC 9112 §2.2 and §5.2 have user agents do. Field values keep their
/// octets, which NIOHTTP1 would repair to UTF-8: Location and Set-Cookie mean octets.
public struct ResponseReader: Sendable {
    /// How much of a response is taken, apart from its content.
    public struct Limits: Sendable, Hashable {
        /// The octets of the head with all informational responses before it, and of the trailers.
        public var headSize = 300 << 10
        /// The fields of one head.
        public var fieldCount = 5_000
        /// The octets of one line of a chunk's size, with its extensions.
        public var chunkLineSize = 4_096
        /// The octets of all extensions of chunks beyond as many as the content has.
        public var chunkExtensionSize = 64 << 10

        /// The limits of a client that knows nothing about its servers.
        public init() {}
    }

    private enum State: Sendable {
        case idle
        case statusLine
        case fields
        case content(left: Int)
        case untilClose
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
        case end(HTTPFields)
    }

    private let limits: Limits
    private var buffer = ByteBuffer()
    /// The octets of the buffer that have no line end in them.
    private var scanned = 0
    private var state = State.idle
    private var method = HTTPRequest.Method.get
    private var headSize = 0
    private var head = ResponseHead(minorVersion: 1, status: 0, fields: [:], octets: ByteBuffer())
    private var lines: FieldLineReader
    private var keepsConnection = false
    private var hasOctets = false
    /// The octets that extensions of chunks may still have.
    private var extensionsLeft = 0

    /// A reader.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        self.lines = FieldLineReader(limit: limits.fieldCount)
    }

    /// Begins with the response to a request.
    ///
    /// - Parameter method: The method of the request, which says whether the response has content.
    public mutating func begin(method: HTTPRequest.Method) {
        (self.method, self.state, self.headSize, self.hasOctets) = (method, .statusLine, 0, false)
        self.extensionsLeft = self.limits.chunkExtensionSize
    }

    /// Whether an octet of the response has come.
    public var hasBegun: Bool { self.hasOctets }

    /// Whether octets are there that were not read yet.
    public var hasRest: Bool { self.buffer.readableBytes > 0 }

    /// Whether the connection can be used again after the response that was read last (RFC 9112 §9.3).
    public var isReusable: Bool {
        guard case .idle = self.state else { return false }
        return self.keepsConnection && self.buffer.readableBytes == 0
    }

    /// Takes what came.
    public mutating func receive(_ octets: ByteBuffer) {
        self.hasOctets = self.hasOctets || octets.readableBytes > 0
        if self.buffer.readableBytes == 0 {
            (self.buffer, self.scanned) = (octets, 0)
        } else {
            // A piece of a line can be left behind every time: what was read must not be kept with it.
            if self.buffer.readerIndex > Self.keptSize { self.buffer.discardReadBytes() }
            var octets = octets
            self.buffer.writeBuffer(&octets)
        }
    }

    /// The octets that were read and may stay before those that were not.
    private static let keptSize = 64 << 10

    /// The octets that the reader keeps alive.
    var heldSize: Int { self.buffer.storageCapacity }

    /// The next part of the response; `nil` when more octets have to come.
    public mutating func next() throws(HTTPMessageError) -> ResponsePart? {
        while true {
            switch try self.step() {
            case .part(let part): return part
            case .wait: return nil
            case .goOn: continue
            }
        }
    }

    /// What one line, or one piece of content, comes to.
    private enum Step {
        case part(ResponsePart)
        case wait
        case goOn
    }

    private mutating func step() throws(HTTPMessageError) -> Step {
        switch self.state {
        case .idle:
            guard self.buffer.readableBytes == 0 else { throw .unexpectedOctets }
            return .wait
        case .statusLine, .fields, .trailers: return try self.stepInLines()
        case .content(let left):
            guard left == 0 else { return self.content(left) { .content(left: $0) } }
            self.state = .end([:])
        case .untilClose: return self.content(.max) { _ in .untilClose }
        case .chunkSize:
            guard let line = try self.line(limit: self.limits.chunkLineSize) else { return .wait }
            try self.readChunkSize(line)
        case .chunk(let left):
            guard left == 0 else { return self.content(left) { .chunk(left: $0) } }
            self.state = .chunkEnd
        case .chunkEnd: return try self.readChunkEnd() ? .goOn : .wait
        case .end(let trailers):
            self.state = .idle
            return .part(.end(trailers))
        }
        return .goOn
    }

    private mutating func stepInLines() throws(HTTPMessageError) -> Step {
        if case .statusLine = self.state {
            // What is no HTTP/1 is told before a line of it has come.
            let beginning = "HTTP/1.".utf8.prefix(self.buffer.readableBytes)
            guard self.buffer.readableBytesView.starts(with: beginning) else { throw .statusLine }
        }
        guard let line = try self.headLine() else { return .wait }
        switch self.state {
        case .statusLine: try self.readStatusLine(line)
        case .trailers: if try self.lines.read(line) { self.state = .end(self.lines.fields) }
        default: if try self.lines.read(line) { return .part(try self.finishHead()) }
        }
        return .goOn
    }

    /// Takes the end of the connection.
    ///
    /// - Returns: The end of a response that reaches until it; `nil` between responses.
    public mutating func finish() throws(HTTPMessageError) -> ResponsePart? {
        switch self.state {
        case .idle: return nil
        case .statusLine where !self.hasOctets: throw .noResponse
        case .statusLine, .fields: throw .cutInHead
        case .untilClose:
            (self.state, self.keepsConnection) = (.idle, false)
            return .end([:])
        case .content, .chunkSize, .chunk, .chunkEnd, .trailers, .end: throw .cutInContent
        }
    }
}

// MARK: - Heads

extension ResponseReader {
    private mutating func readStatusLine(_ line: ByteBufferView) throws(HTTPMessageError) {
        // HTTP/1.x and three digits; the reason, with the blank before it, may be missing (RFC 9112 §4).
        let octets = Array(line.prefix(13))
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
        self.lines = FieldLineReader(limit: self.limits.fieldCount)
        self.state = .fields
    }

    private static func digit(_ octet: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) ? Int(octet) - 0x30 : nil
    }

    private mutating func finishHead() throws(HTTPMessageError) -> ResponsePart {
        self.head.fields = self.lines.fields
        let head = self.head
        self.head.octets = ByteBuffer()
        // 101 ends HTTP on the connection, and is an answer (RFC 9110 §15.2.2).
        if head.isInformational, head.status != 101 {
            self.state = .statusLine
            return .informational(head)
        }
        let framing = try head.framing(method: self.method)
        self.keepsConnection = head.keepsConnection(framing, method: self.method)
        switch framing {
        case .none: self.state = .end([:])
        case .length(let length): self.state = .content(left: length)
        case .chunked: self.state = .chunkSize
        case .untilClose: self.state = .untilClose
        }
        return .head(head)
    }

    /// A line of a head or of trailers, which are kept as they came and counted.
    private mutating func headLine() throws(HTTPMessageError) -> ByteBufferView? {
        let (limit, before) = (self.limits.headSize - self.headSize, self.buffer)
        guard let line = try self.line(limit: limit) else { return nil }
        let size = before.readableBytes - self.buffer.readableBytes
        self.headSize += size
        if var octets = before.getSlice(at: before.readerIndex, length: size) { self.head.octets.writeBuffer(&octets) }
        return line
    }

    /// The next line without its end, of at most so many octets with it.
    private mutating func line(limit: Int) throws(HTTPMessageError) -> ByteBufferView? {
        let view = self.buffer.readableBytesView
        let unscanned = view.dropFirst(self.scanned)
        guard let feed = unscanned.firstIndex(of: UInt8(ascii: "\n")), feed - view.startIndex < limit else {
            guard view.count < limit else { throw .headTooLarge(limit: self.limits.headSize) }
            self.scanned = view.count
            return nil
        }
        var line = view[..<feed]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard !line.contains(0), !line.contains(UInt8(ascii: "\r")) else { throw .forbiddenOctet }
        self.scanned = 0
        self.buffer.moveReaderIndex(forwardBy: feed - view.startIndex + 1)
        return line
    }
}

// MARK: - Content

extension ResponseReader {
    private mutating func content(_ left: Int, _ rest: (Int) -> State) -> Step {
        let count = min(left, self.buffer.readableBytes)
        guard count > 0, let octets = self.buffer.readSlice(length: count) else { return .wait }
        self.scanned = 0
        self.state = rest(left - count)
        return .part(.content(octets))
    }

    private mutating func readChunkSize(_ line: ByteBufferView) throws(HTTPMessageError) {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        // Blanks may stand before an extension, and nothing else (RFC 9112 §7.1.1).
        let rest = line[digits.endIndex...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let size = Self.chunkSize(digits), rest.isEmpty || rest.first == UInt8(ascii: ";") else { throw .chunk }
        self.extensionsLeft -= line.count - digits.count
        guard self.extensionsLeft >= 0 else { throw .chunk }
        self.extensionsLeft += min(size, self.limits.chunkExtensionSize)
        guard size > 0 else {
            self.lines = FieldLineReader(limit: self.limits.fieldCount)
            self.state = .trailers
            return
        }
        self.state = .chunk(left: size)
    }

    /// Up to fifteen digits: sixteen would not fit.
    private static func chunkSize(_ digits: ByteBufferView) -> Int? {
        guard (1...256).contains(digits.count) else { return nil }
        var size = 0
        for octet in digits {
            guard let digit = Self.hexadecimalDigit(octet), size < 1 << 56 else { return nil }
            size = size << 4 | digit
        }
        return size
    }

    private static func hexadecimalDigit(_ octet: UInt8) -> Int? {
        switch octet {
        case 0x30...0x39: Int(octet) - 0x30
        case 0x41...0x46: Int(octet) - 0x41 + 10
        case 0x61...0x66: Int(octet) - 0x61 + 10
        default: nil
        }
    }

    /// The line end behind a chunk.
    private mutating func readChunkEnd() throws(HTTPMessageError) -> Bool {
        let octets = Array(self.buffer.readableBytesView.prefix(2))
        switch (octets.first, octets.count) {
        case (UInt8(ascii: "\n"), _): self.buffer.moveReaderIndex(forwardBy: 1)
        case (UInt8(ascii: "\r"), 2) where octets[1] == UInt8(ascii: "\n"): self.buffer.moveReaderIndex(forwardBy: 2)
        case (nil, _), (UInt8(ascii: "\r"), 1): return false
        default: throw .chunk
        }
        (self.state, self.scanned) = (.chunkSize, 0)
        return true
    }
}
