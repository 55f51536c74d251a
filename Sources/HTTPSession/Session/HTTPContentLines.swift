//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore

/// The lines of a content, as they come. One task reads them.
public struct HTTPContentLines: AsyncSequence, Sendable {
    /// A line without its end, as UTF-8. Octets that are not UTF-8 are replaced.
    public typealias Element = String
    /// Why there are no more.
    public typealias Failure = HTTPSessionError

    let content: HTTPContent
    let limit: Int

    /// Reads from where the content is.
    public func makeAsyncIterator() -> Iterator { Iterator(content: self.content, limit: self.limit) }

    /// Reads lines.
    public struct Iterator: AsyncIteratorProtocol {
        private let content: HTTPContent
        private let limit: Int
        private var buffer = ByteBuffer()
        /// The octets of the buffer that have no line end in them.
        private var scanned = 0

        init(content: HTTPContent, limit: Int) { (self.content, self.limit) = (content, limit) }

        /// The next line; `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError``
        public mutating func next() async throws(HTTPSessionError) -> String? {
            while true {
                if let line = try self.line() { return line }
                guard var octets = try await self.content.next() else { return self.rest() }
                self.buffer.discardReadBytes()
                self.buffer.writeBuffer(&octets)
            }
        }

        /// The next line; `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError``
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPSessionError) -> String? { try await self.next() }

        /// A line that ends within the buffer.
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

        /// A last line without an end.
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
    /// The content in lines, which end with LF or CRLF, for JSON in lines and events of a server. Empty lines are lines.
    ///
    /// ```swift
    /// for try await line in content.lines() { … }
    /// ```
    ///
    /// - Parameter limit: The octets of the longest line. A longer one is an error.
    public func lines(limit: Int = 1 << 20) -> HTTPContentLines { HTTPContentLines(content: self, limit: limit) }

    /// A line that is longer than allowed, which ends the connection.
    fileprivate func lineError(limit: Int) -> HTTPSessionError {
        self.close()
        return HTTPSessionError(
            .size, .dataLengthExceedsMaximum, url: self.url, reason: "A line has more than \(limit) bytes.",
            remedy: "Allow longer ones, or read the content in pieces.")
    }
}
