//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore

/// Reads field lines (RFC 9112 §5), of heads and of trailers, as they come.
struct FieldLineReader: Sendable {
    private(set) var fields = HTTPFields()
    /// The line that the next one may continue.
    private var pending: (name: HTTPField.Name, value: [UInt8])?
    private var count = 0
    private let limit: Int
    private let allowsFolds: Bool

    /// - Parameters:
    ///   - limit: The most fields.
    ///   - allowsFolds: Whether a line may continue the one before it.
    init(limit: Int, allowsFolds: Bool) { (self.limit, self.allowsFolds) = (limit, allowsFolds) }

    /// Takes a line without its end.
    ///
    /// - Returns: Whether it was the empty line behind the fields.
    mutating func read(_ line: ByteBufferView) throws(HTTPMessageError) -> Bool {
        guard let first = line.first else {
            self.finishLine()
            return true
        }
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            // A user agent reads a fold as one blank, and a server refuses it (RFC 9112 §5.2).
            guard self.allowsFolds, self.pending != nil else { throw .fieldLine(self.count + 1) }
            self.pending?.value.append(UInt8(ascii: " "))
            self.pending?.value.append(contentsOf: Self.trimmed(line))
            return false
        }
        self.finishLine()
        guard self.count < self.limit else { throw .tooManyFields(limit: self.limit) }
        self.count += 1
        // A blank before the colon is an error: readers that drop it and readers that keep it see two messages (RFC 9112 §5.1).
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = Self.name(line[..<colon]) else {
            throw .fieldLine(self.count)
        }
        self.pending = (name, Array(Self.trimmed(line[line.index(after: colon)...])))
        return false
    }

    private mutating func finishLine() {
        guard let (name, value) = self.pending else { return }
        self.pending = nil
        self.fields.append(HTTPField(name: name, lenientValue: value))
    }

    private static func name(_ octets: ByteBufferView) -> HTTPField.Name? {
        HTTPField.Name(String(decoding: octets, as: UTF8.self))
    }

    private static func trimmed(_ octets: ByteBufferView) -> ByteBufferView {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = octets.firstIndex(where: { !isBlank($0) }),
            let last = octets.lastIndex(where: { !isBlank($0) })
        else { return octets[octets.endIndex...] }
        return octets[first...last]
    }
}
