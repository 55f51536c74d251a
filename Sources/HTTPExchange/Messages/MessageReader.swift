//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore

/// Reads what messages of both directions are made of: a start line, field lines, content in one framing, and trailers
/// (RFC 9112 §2.1), as their octets come.
struct MessageReader: Sendable {
    /// How lines are read.
    enum Strictness: Sendable {
        /// As a user agent reads responses: LF alone ends a line, and a folded field is one field (RFC 9112 §2.2 and §5.2).
        case userAgent
        /// As a proxy reads requests: each message has one reading. Lines end with CRLF, nothing is folded, and control characters
        /// are refused.
        case proxy
    }

    /// What was read.
    enum Part {
        /// The first line, without its end.
        case startLine([UInt8])
        /// The fields of the head. Its framing is to be said next.
        case fields(HTTPFields)
        /// Content.
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
    /// The octets of the buffer that have no line end in them.
    private var scanned = 0
    private var state = State.idle
    private var headSize = 0
    /// The octets of the head as they came.
    private var headOctets = ByteBuffer()
    private var lines: FieldLineReader
    /// Whether an octet of the message has come.
    private(set) var hasBegun = false
    /// Whether an empty line may still stand before the first line: some clients send one behind content (RFC 9112 §2.2).
    private var takesEmptyLine = false
    /// The octets that extensions of chunks may still have.
    private var extensionsLeft = 0

    init(limits: MessageLimits, _ strictness: Strictness) {
        self.limits = limits
        self.strictness = strictness
        self.lines = FieldLineReader(limit: limits.fieldCount, allowsFolds: strictness == .userAgent)
    }

    /// Begins with a message.
    mutating func begin() {
        // Octets of it may have come together with the end of the message before.
        self.state = .startLine
        self.headSize = 0
        self.hasBegun = self.buffer.readableBytes > 0
        self.takesEmptyLine = self.strictness == .proxy
        self.headOctets = ByteBuffer()
        self.extensionsLeft = self.limits.chunkExtensionSize
    }

    /// Goes on with another head of the same message: a response follows an informational one.
    mutating func beginAnotherHead() { (self.state, self.headOctets) = (.startLine, ByteBuffer()) }

    /// Says what follows the fields that were read last.
    mutating func follow(_ framing: MessageFraming) {
        self.headOctets = ByteBuffer()
        switch framing {
        case .none: self.state = .end([:])
        case .length(let length): self.state = .content(left: length)
        case .chunked: self.state = .chunkSize
        case .untilClose: self.state = .untilClose
        }
    }

    /// Whether the reader is between messages.
    var isIdle: Bool { if case .idle = self.state { true } else { false } }

    /// The octets that the head may still have.
    var headLeft: Int { max(0, self.limits.headSize - self.headSize) }

    /// Whether the first line of a head comes next.
    var isAtStartLine: Bool { if case .startLine = self.state { true } else { false } }

    /// The octets of the head that is read, as they came.
    var head: ByteBuffer { self.headOctets }

    /// The octets that were not read yet.
    var unread: ByteBufferView { self.buffer.readableBytesView }

    /// Takes the octets out that were not read yet.
    mutating func takeRest() -> ByteBuffer {
        defer { (self.buffer, self.scanned) = (ByteBuffer(), 0) }
        return self.buffer.slice()
    }

    /// The octets that the reader keeps alive.
    var heldSize: Int { self.buffer.storageCapacity }

    /// Takes what came.
    mutating func receive(_ octets: ByteBuffer) {
        self.hasBegun = self.hasBegun || octets.readableBytes > 0
        if self.buffer.readableBytes == 0 {
            self.buffer = octets
            self.scanned = 0
        } else {
            // A piece of a line can be left behind every time: what was read must not be kept with it.
            if self.buffer.readerIndex > Self.keptSize { self.buffer.discardReadBytes() }
            var octets = octets
            self.buffer.writeBuffer(&octets)
        }
    }

    /// The octets that were read and may stay before those that were not.
    private static let keptSize = 64 << 10

    /// The next part of the message; `nil` when more octets have to come.
    mutating func next() throws(HTTPMessageError) -> Part? {
        while true {
            switch try self.step() {
            case .part(let part): return part
            case .wait:
                // Content that is handed over is kept alive by its reader alone.
                if self.buffer.readableBytes == 0 { self.buffer = ByteBuffer() }
                return nil
            case .goOn: continue
            }
        }
    }

    /// What one line, or one piece of content, comes to.
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
    /// - Returns: The end of a message that reaches until it; `nil` between messages.
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
    /// A line of a head, which is kept as it came, or of trailers. Both are counted.
    private mutating func headLine() throws(HTTPMessageError) -> Range<Int>? {
        let start = self.buffer.readerIndex
        guard let line = try self.line(limit: self.limits.headSize - self.headSize) else { return nil }
        self.headSize += self.buffer.readerIndex - start
        if case .trailers = self.state { return line }
        // The head of a request is not asked for as it came.
        if self.strictness == .userAgent { self.keepHead(start..<self.buffer.readerIndex) }
        return line
    }

    private mutating func keepHead(_ line: Range<Int>) {
        let buffer = self.buffer
        if self.headOctets.capacity == 0 { self.headOctets.reserveCapacity(Self.usualHeadSize) }
        buffer.withVeryUnsafeBytes { _ = self.headOctets.writeBytes($0[line]) }
    }

    private static let usualHeadSize = 512

    /// Reads a field line that was found just now.
    private mutating func readFieldLine(_ line: Range<Int>) throws(HTTPMessageError) -> Bool {
        let buffer = self.buffer
        return try buffer.withVeryUnsafeBytes { octets throws(HTTPMessageError) in
            try self.lines.read(UnsafeRawBufferPointer(rebasing: octets[line]))
        }
    }

    /// The octets of a line that was found just now.
    private func octets(_ line: Range<Int>) -> [UInt8] { self.buffer.withVeryUnsafeBytes { Array($0[line]) } }

    /// Where the next line is in the buffer, without its end, of at most so many octets with it. Lines of a head may end with a bare
    /// line feed (RFC 9112 §2.2), those of chunks may not (§7.1): readers that differ in it find other chunks.
    private mutating func line(limit: Int, ofChunk: Bool = false) throws(HTTPMessageError) -> Range<Int>? {
        let (start, count) = (self.buffer.readerIndex, self.buffer.readableBytes)
        let found = self.buffer.withUnsafeReadableBytes { MessageLine(in: $0, from: self.scanned, self.strictness) }
        guard let found, found.feed < limit else {
            guard count < limit else { throw .headTooLarge(limit: self.limits.headSize) }
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
        // Blanks may stand before an extension, and nothing else (RFC 9112 §7.1.1).
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

    /// Up to fifteen digits: sixteen would not fit.
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

    /// The line end behind a chunk.
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
