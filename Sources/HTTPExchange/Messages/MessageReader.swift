//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore

/// A reader of the common parts of requests and responses, as their octets arrive: a start line, field lines, content in one
/// framing, and trailers (RFC 9112 §2.1).
struct MessageReader: Sendable {
    /// The rules for lines.
    enum Strictness: Sendable {
        /// The rules of a user agent for responses. A bare LF ends a line, and a folded field is one field (RFC 9112 §2.2 and
        /// §5.2).
        case userAgent
        /// The rules of a proxy for requests, under which each message has one reading. Lines end with CRLF, folds and control
        /// characters are refused.
        case proxy
    }

    /// A part of a message.
    enum Part {
        /// The first line without its line end.
        case startLine([UInt8])
        /// The fields of the head. The caller must then call ``follow(_:)``.
        case fields(HTTPFields)
        case content(ByteBuffer)
        /// The end of the message, with its trailers.
        case end(HTTPFields)
    }

    private enum State: Sendable {
        case idle
        case startLine
        case fields
        case content(left: Int)
        case untilClose
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
        case end(HTTPFields)
    }

    private let limits: MessageLimits
    private let strictness: Strictness
    private var buffer = ByteBuffer()
    /// The number of octets at the start of the buffer that are known to have no line end.
    private var scanned = 0
    private var state = State.idle
    private var headSize = 0
    /// The octets of the head as they were received.
    private var headOctets = ByteBuffer()
    private var lines: FieldLineReader
    private(set) var hasBegun = false
    /// `true` if an empty line may still precede the first line, because some clients send one after content (RFC 9112 §2.2).
    private var takesEmptyLine = false
    /// The number of octets that extensions of chunks may still have.
    private var extensionsLeft = 0

    init(limits: MessageLimits, _ strictness: Strictness) {
        self.limits = limits
        self.strictness = strictness
        self.lines = FieldLineReader(limit: limits.fieldCount, allowsFolds: strictness == .userAgent)
    }

    mutating func begin() {
        // Octets of this message may have arrived with the end of the one before.
        self.state = .startLine
        self.headSize = 0
        self.hasBegun = self.buffer.readableBytes > 0
        self.takesEmptyLine = self.strictness == .proxy
        self.headOctets = ByteBuffer()
        self.extensionsLeft = self.limits.chunkExtensionSize
    }

    /// Begins another head of the same message: a response that follows an informational one.
    mutating func beginAnotherHead() { (self.state, self.headOctets) = (.startLine, ByteBuffer()) }

    /// Sets the framing of the content after the last fields.
    mutating func follow(_ framing: MessageFraming) {
        self.headOctets = ByteBuffer()
        switch framing {
        case .none: self.state = .end([:])
        case .length(let length): self.state = .content(left: length)
        case .chunked: self.state = .chunkSize
        case .untilClose: self.state = .untilClose
        }
    }

    var isIdle: Bool { if case .idle = self.state { true } else { false } }

    var headLeft: Int { max(0, self.limits.headSize - self.headSize) }

    var isAtStartLine: Bool { if case .startLine = self.state { true } else { false } }

    /// The octets of the current head as they were received.
    var head: ByteBuffer { self.headOctets }

    var unread: ByteBufferView { self.buffer.readableBytesView }

    mutating func takeRest() -> ByteBuffer {
        defer { (self.buffer, self.scanned) = (ByteBuffer(), 0) }
        return self.buffer.slice()
    }

    /// The number of octets that the reader keeps alive.
    var heldSize: Int { self.buffer.storageCapacity }

    mutating func receive(_ octets: ByteBuffer) {
        self.hasBegun = self.hasBegun || octets.readableBytes > 0
        if self.buffer.readableBytes == 0 {
            self.buffer = octets
            self.scanned = 0
        } else {
            // A piece of a line may remain after each read. The octets before it must not accumulate.
            if self.buffer.readerIndex > Self.keptSize { self.buffer.discardReadBytes() }
            var octets = octets
            self.buffer.writeBuffer(&octets)
        }
    }

    /// 64 KiB, the maximum number of octets to keep before the unread ones.
    private static let keptSize = 64 << 10

    /// Returns the next part of the message, or `nil` if more octets must arrive.
    mutating func next() throws(HTTPMessageError) -> Part? {
        while true {
            switch try self.step() {
            case .part(let part): return part
            case .wait:
                // Only the receiver of delivered content should keep its buffer alive.
                if self.buffer.readableBytes == 0 { self.buffer = ByteBuffer() }
                return nil
            case .goOn: continue
            }
        }
    }

    /// The result of one line or one piece of content.
    private enum Step {
        case part(Part)
        case wait
        case goOn
    }

    private mutating func step() throws(HTTPMessageError) -> Step {
        switch self.state {
        case .idle:
            guard self.buffer.readableBytes == 0 else { throw .unexpectedOctets }
            return .wait
        case .startLine, .fields, .trailers: return try self.stepInLines()
        case .content(let left):
            guard left == 0 else { return self.content(left) { .content(left: $0) } }
            self.state = .end([:])
        case .untilClose: return self.content(.max) { _ in .untilClose }
        case .chunkSize:
            guard let line = try self.line(limit: self.limits.chunkLineSize, ofChunk: true) else { return .wait }
            try self.readChunkSize(self.octets(line))
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
        guard let line = try self.headLine() else { return .wait }
        switch self.state {
        case .startLine where line.isEmpty && self.takesEmptyLine:
            self.takesEmptyLine = false
            self.hasBegun = self.buffer.readableBytes > 0
        case .startLine:
            self.beginFields(.fields)
            return .part(.startLine(self.octets(line)))
        case .trailers: if try self.readFieldLine(line) { self.state = .end(self.lines.fields) }
        default: if try self.readFieldLine(line) { return .part(.fields(self.lines.fields)) }
        }
        return .goOn
    }

    private mutating func beginFields(_ state: State) {
        self.lines = FieldLineReader(limit: self.limits.fieldCount, allowsFolds: self.strictness == .userAgent)
        self.state = state
    }

    /// Takes the end of the connection.
    ///
    /// - Returns: The end of a message that lasts until the end of the connection, or `nil` between messages.
    mutating func finish() throws(HTTPMessageError) -> Part? {
        switch self.state {
        case .idle: return nil
        case .startLine where !self.hasBegun: throw .noResponse
        case .startLine, .fields: throw .cutInHead
        case .untilClose:
            self.state = .idle
            return .end([:])
        case .content, .chunkSize, .chunk, .chunkEnd, .trailers, .end: throw .cutInContent
        }
    }
}

// MARK: - Lines

extension MessageReader {
    /// Reads a line of a head or of trailers and counts it. The octets of a head are kept.
    private mutating func headLine() throws(HTTPMessageError) -> Range<Int>? {
        let start = self.buffer.readerIndex
        guard let line = try self.line(limit: self.limits.headSize - self.headSize) else { return nil }
        self.headSize += self.buffer.readerIndex - start
        if case .trailers = self.state { return line }
        // Only the octets of a response's head are needed as received.
        if self.strictness == .userAgent { self.keepHead(start..<self.buffer.readerIndex) }
        return line
    }

    private mutating func keepHead(_ line: Range<Int>) {
        let buffer = self.buffer
        if self.headOctets.capacity == 0 { self.headOctets.reserveCapacity(Self.usualHeadSize) }
        buffer.withVeryUnsafeBytes { _ = self.headOctets.writeBytes($0[line]) }
    }

    private static let usualHeadSize = 512

    /// Reads the field line that was just found.
    private mutating func readFieldLine(_ line: Range<Int>) throws(HTTPMessageError) -> Bool {
        let buffer = self.buffer
        return try buffer.withVeryUnsafeBytes { octets throws(HTTPMessageError) in
            try self.lines.read(UnsafeRawBufferPointer(rebasing: octets[line]))
        }
    }

    /// Returns the octets of the line that was just found.
    private func octets(_ line: Range<Int>) -> [UInt8] { self.buffer.withVeryUnsafeBytes { Array($0[line]) } }

    /// Finds the next line of at most `limit` octets, and returns its range in the buffer without the line end.
    ///
    /// Lines of a head may end with a bare line feed (RFC 9112 §2.2), but lines of chunks may not (§7.1), because readers that
    /// disagree on this find different chunks.
    private mutating func line(limit: Int, ofChunk: Bool = false) throws(HTTPMessageError) -> Range<Int>? {
        let (start, count) = (self.buffer.readerIndex, self.buffer.readableBytes)
        let found = self.buffer.withUnsafeReadableBytes { MessageLine(in: $0, from: self.scanned, self.strictness) }
        guard let found, found.feed < limit else {
            guard count < limit else { throw ofChunk ? .chunk : .headTooLarge(limit: self.limits.headSize) }
            self.scanned = count
            return nil
        }
        guard found.isAllowed else { throw .forbiddenOctet }
        guard found.hasReturn || !ofChunk else { throw .chunk }
        self.scanned = 0
        self.buffer.moveReaderIndex(forwardBy: found.feed + 1)
        return start..<start + found.size
    }
}

// MARK: - Content

extension MessageReader {
    private mutating func content(_ left: Int, _ rest: (Int) -> State) -> Step {
        let count = min(left, self.buffer.readableBytes)
        guard count > 0, let octets = self.buffer.readSlice(length: count) else { return .wait }
        self.scanned = 0
        self.state = rest(left - count)
        return .part(.content(octets))
    }

    private mutating func readChunkSize(_ line: [UInt8]) throws(HTTPMessageError) {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        // Only blanks may precede an extension (RFC 9112 §7.1.1).
        let blanks = line[digits.endIndex...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let rest = line[blanks.endIndex...]
        guard blanks.isEmpty || self.strictness == .userAgent else { throw .chunk }
        guard let size = Self.chunkSize(digits), rest.isEmpty || rest.first == UInt8(ascii: ";") else { throw .chunk }
        self.extensionsLeft -= line.count - digits.count
        guard self.extensionsLeft >= 0 else { throw .chunk }
        self.extensionsLeft += min(size, self.limits.chunkExtensionSize)
        guard size > 0 else {
            return self.beginFields(.trailers)
        }
        self.state = .chunk(left: size)
    }

    /// Returns the size of a chunk, or `nil` if it is not a hexadecimal number below 2^60. Leading zeros are allowed, up to 256
    /// digits.
    private static func chunkSize(_ digits: ArraySlice<UInt8>) -> Int? {
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

    /// Reads the line end after a chunk. Returns `false` if more octets must arrive.
    private mutating func readChunkEnd() throws(HTTPMessageError) -> Bool {
        let octets = Array(self.buffer.readableBytesView.prefix(2))
        switch (octets.first, octets.count) {
        case (UInt8(ascii: "\r"), 2) where octets[1] == UInt8(ascii: "\n"): self.buffer.moveReaderIndex(forwardBy: 2)
        case (nil, _), (UInt8(ascii: "\r"), 1): return false
        default: throw .chunk
        }
        self.state = .chunkSize
        self.scanned = 0
        return true
    }
}
