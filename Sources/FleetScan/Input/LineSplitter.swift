//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Cuts bytes into lines, however they arrive, and keeps no more of a line than is allowed.
struct LineSplitter {
    /// A line without its end.
    struct Line: Sendable, Equatable {
        /// Its number, from 1.
        let number: Int
        /// Its bytes; of one that is too long, those at its beginning.
        let bytes: [UInt8]
        let isTooLong: Bool
        /// Whether a line break follows; of the last line there may be none.
        let isEnded: Bool
        /// Where the next line begins, in bytes from the start.
        let end: Int
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    private var position = 0
    /// How much of the buffer has no line break: a long line that arrives in parts is searched once.
    private var searched = 0
    private var isTooLong = false
    private var number = 0
    private var consumed = 0
    private var isAtEnd = false

    /// - Parameter limit: The bytes that a line may have.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next bytes. All lines before should have been taken out, so that there is nothing to keep but one part.
    mutating func append(_ bytes: [UInt8]) {
        self.buffer.removeFirst(self.position)
        self.searched = max(0, self.searched - self.position)
        self.position = 0
        self.buffer += bytes
    }

    /// Says that nothing more comes.
    mutating func finish() { self.isAtEnd = true }

    /// The next line; `nil` when more bytes are needed, or there are no more.
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

    /// Forgets what is too much of a line that has not ended; its beginning says which it was.
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
