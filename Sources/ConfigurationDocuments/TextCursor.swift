//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A counter of lines and columns along UTF-8, which only moves forward.
package struct TextCursor {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var column = 1

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the position of one offset. It counts from the start, so use it only for an error that ends the reading.
    package static func position(of offset: Int, in bytes: [UInt8]) -> TextPosition {
        var cursor = TextCursor(bytes)
        return cursor.advance(to: offset)
    }

    /// Advances to an offset and returns its position. An offset already passed changes nothing.
    package mutating func advance(to target: Int) -> TextPosition {
        while self.offset < min(target, self.bytes.count) {
            self.step(over: self.bytes[self.offset])
            self.offset += 1
        }
        return TextPosition(line: self.line, column: self.column)
    }

    private mutating func step(over byte: UInt8) {
        if byte == 0x0A || byte == 0x0D && !self.isFollowedByLineFeed {
            self.line += 1
            self.column = 1
        } else if byte & 0xC0 != 0x80 {
            self.column += 1
        }
    }

    private var isFollowedByLineFeed: Bool {
        self.offset + 1 < self.bytes.count && self.bytes[self.offset + 1] == 0x0A
    }
}
