//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore

/// The lines of a content, as a sequence of strings. Only one task may read it.
public struct HTTPContentLines: AsyncSequence, Sendable {
    /// A line without its line break, decoded as UTF-8. Invalid octets are replaced.
    public typealias Element = String
    /// The type of the error that ends the sequence.
    public typealias Failure = HTTPSessionError

    let content: HTTPContent
    let limit: Int

    /// Returns an iterator that continues at the current position of the content.
    public func makeAsyncIterator() -> Iterator { Iterator(content: self.content, limit: self.limit) }

    /// An iterator over the lines of a content.
    public struct Iterator: AsyncIteratorProtocol {
        private let content: HTTPContent
        private let limit: Int
        private var buffer = ByteBuffer()
        /// The number of octets of the buffer that contain no line break.
        private var scanned = 0

        init(content: HTTPContent, limit: Int) { (self.content, self.limit) = (content, limit) }

        /// Returns the next line, or `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError`` if the content cannot be read or a line is too long.
        public mutating func next() async throws(HTTPSessionError) -> String? {
            while true {
                if let line = try self.line() { return line }
                guard var octets = try await self.content.next() else { return self.rest() }
                self.buffer.discardReadBytes()
                self.buffer.writeBuffer(&octets)
            }
        }

        /// Returns the next line, or `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError`` if the content cannot be read or a line is too long.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPSessionError) -> String? { try await self.next() }

        /// Returns the next complete line of the buffer, or `nil` if there is none.
        private mutating func line() throws(HTTPSessionError) -> String? {
            let octets = self.buffer.readableBytesView
            let feed = octets.dropFirst(self.scanned).firstIndex(of: UInt8(ascii: "\n"))
            let line = octets[..<(feed ?? octets.endIndex)]
            guard line.count <= self.limit else { throw self.content.lineError(limit: self.limit) }
            guard feed != nil else {
                self.scanned = octets.count
                return nil
            }
            self.buffer.moveReaderIndex(forwardBy: line.count + 1)
            self.scanned = 0
            return Self.text(line)
        }

        /// Returns the last line if it has no line break, or `nil` if the buffer is empty.
        private mutating func rest() -> String? {
            let line = self.buffer.readableBytesView
            guard !line.isEmpty else { return nil }
            self.buffer = ByteBuffer()
            self.scanned = 0
            return Self.text(line)
        }

        private static func text(_ line: ByteBufferView) -> String {
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
    }
}

extension HTTPContent {
    /// Returns the lines of the content, which end with LF or CRLF. They include empty lines.
    ///
    /// Use this for JSON lines and server-sent events.
    ///
    /// ```swift
    /// for try await line in content.lines() { … }
    /// ```
    ///
    /// - Parameter limit: The maximum length of a line in octets. A longer line is an error.
    public func lines(limit: Int = 1 << 20) -> HTTPContentLines { HTTPContentLines(content: self, limit: limit) }

    /// Returns the error for a line that is too long, and closes the connection.
    fileprivate func lineError(limit: Int) -> HTTPSessionError {
        self.close()
        return HTTPSessionError(
            .size, .dataLengthExceedsMaximum, url: self.url, reason: "A line has more than \(limit) bytes.",
            remedy: "Allow longer ones, or read the content in pieces.")
    }
}
