//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A splitter of bytes into lines that keeps at most `limit` bytes of a line.
struct LineSplitter {
    /// A line without its line break.
    struct Line: Sendable, Equatable {
        /// The line number, from 1.
        let number: Int
        /// The bytes of the line. Of a line that is too long, only the beginning is kept.
        let bytes: [UInt8]
        let isTooLong: Bool
        /// `true` if a line break follows. The last line may have none.
        let isEnded: Bool
        /// The offset of the next line, in bytes from the start.
        let end: Int
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    private var position = 0
    /// The end of the part of the buffer that has no line break. A long line that arrives in parts is searched only once.
    private var searched = 0
    private var isTooLong = false
    private var number = 0
    private var consumed = 0
    private var isAtEnd = false

    /// Creates a splitter.
    ///
    /// - Parameter limit: The maximum length of a line, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Appends bytes. The caller takes all complete lines first, so that only one partial line is moved.
    mutating func append(_ bytes: [UInt8]) {
        self.buffer.removeFirst(self.position)
        self.searched = max(0, self.searched - self.position)
        self.position = 0
        self.buffer += bytes
    }

    mutating func finish() { self.isAtEnd = true }

    /// Returns the next line, or `nil` if more bytes are needed or the input has ended.
    mutating func next() -> Line? {
        let rest = self.buffer[self.position...]
        guard let feed = self.buffer[max(self.position, self.searched)...].firstIndex(of: 0x0A) else {
            self.searched = self.buffer.count
            return self.isAtEnd ? self.last() : self.shorten()
        }
        let line = self.line(rest[..<feed], consuming: feed + 1 - self.position, isEnded: true)
        self.position = feed + 1
        self.isTooLong = false
        return line
    }

    private mutating func last() -> Line? {
        let rest = self.buffer[self.position...]
        guard !rest.isEmpty || self.isTooLong else { return nil }
        let line = self.line(rest, consuming: rest.count, isEnded: false)
        self.position = self.buffer.count
        self.isTooLong = false
        return line
    }

    private mutating func line(_ part: ArraySlice<UInt8>, consuming count: Int, isEnded: Bool) -> Line {
        self.number += 1
        self.consumed += count
        let bytes = part.last == 0x0D ? part.dropLast() : part
        let isTooLong = self.isTooLong || bytes.count > self.limit
        return Line(
            number: self.number, bytes: Array(bytes.prefix(self.limit)), isTooLong: isTooLong, isEnded: isEnded,
            end: self.consumed)
    }

    /// Drops the excess bytes of an unfinished line. Its beginning is kept to identify it.
    private mutating func shorten() -> Line? {
        let excess = self.buffer.count - self.position - self.limit - 1
        if excess > 0 {
            self.isTooLong = true
            self.consumed += excess
            self.buffer.removeLast(excess)
            self.searched = self.buffer.count
        }
        return nil
    }
}
