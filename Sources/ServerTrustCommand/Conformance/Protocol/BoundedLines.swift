//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The lines of an input with a length limit. A longer line is reported without its contents.
struct BoundedLines {
    enum Line: Equatable {
        case whole([UInt8])
        case tooLong
    }

    private let maximumLength: Int
    private let read: () throws -> [UInt8]
    private var buffer: [UInt8] = []
    private var searched = 0
    private var isAtEnd = false

    /// Creates a reader of lines.
    ///
    /// - Parameters:
    ///   - maximumLength: The limit in bytes.
    ///   - read: Returns the next bytes, or an empty array at the end.
    init(maximumLength: Int, read: @escaping () throws -> [UInt8]) {
        self.maximumLength = maximumLength
        self.read = read
    }

    /// Returns the next line without its end, or `nil` at the end of the input.
    mutating func next() throws -> Line? {
        var isTooLong = false
        while true {
            if let newline = self.buffer[self.searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(self.buffer[..<newline])
                self.buffer.removeFirst(newline + 1)
                self.searched = 0
                return isTooLong || line.count > self.maximumLength ? .tooLong : .whole(line)
            }
            guard !self.isAtEnd else {
                defer { (self.buffer, self.searched) = ([], 0) }
                if isTooLong { return .tooLong }
                return self.buffer.isEmpty ? nil : .whole(self.buffer)
            }
            self.searched = self.buffer.count
            if self.buffer.count > self.maximumLength {
                (self.buffer, self.searched, isTooLong) = ([], 0, true)
            }
            try self.fill()
        }
    }

    private mutating func fill() throws {
        let bytes = try self.read()
        self.isAtEnd = bytes.isEmpty
        self.buffer.append(contentsOf: bytes)
    }
}
