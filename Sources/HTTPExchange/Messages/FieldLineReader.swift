//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// A reader of the field lines of heads and trailers, as they arrive (RFC 9112 §5).
struct FieldLineReader: Sendable {
    private(set) var fields = HTTPFields()
    /// The value of the last field, if folded lines have continued it.
    private var folded: [UInt8]?
    private var count = 0
    private let limit: Int
    private let allowsFolds: Bool

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of fields.
    ///   - allowsFolds: `true` to let a line continue the one before it.
    init(limit: Int, allowsFolds: Bool) { (self.limit, self.allowsFolds) = (limit, allowsFolds) }

    /// Takes a line without its line end.
    ///
    /// - Returns: `true` for the empty line after the fields.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(HTTPMessageError) -> Bool {
        guard let first = line.first else {
            self.finishFold()
            return true
        }
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            // A user agent reads a fold as one blank, and a server refuses it (RFC 9112 §5.2).
            guard self.allowsFolds, let last = self.fields.last else { throw .fieldLine(self.count + 1) }
            self.fold(Self.trimmed(line[...]), onto: last)
            return false
        }
        self.finishFold()
        guard self.count < self.limit else { throw .tooManyFields(limit: self.limit) }
        self.count += 1
        // A blank before the colon is an error, because readers that drop it and readers that keep it disagree on the message (RFC
        // 9112 §5.1).
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = Self.name(line[..<colon]) else {
            throw .fieldLine(self.count)
        }
        let value = UnsafeRawBufferPointer(rebasing: Self.trimmed(line[(colon + 1)...]))
        self.fields.append(HTTPField(name: name, lenientValue: value))
        return false
    }

    private mutating func fold(_ octets: Slice<UnsafeRawBufferPointer>, onto last: HTTPField) {
        if self.folded == nil { self.folded = last.withUnsafeBytesOfValue { Array($0) } }
        self.folded?.append(UInt8(ascii: " "))
        self.folded?.append(contentsOf: octets)
    }

    private mutating func finishFold() {
        guard let folded, let last = self.fields.popLast() else { return }
        self.folded = nil
        self.fields.append(HTTPField(name: last.name, lenientValue: folded))
    }

    private static func name(_ octets: Slice<UnsafeRawBufferPointer>) -> HTTPField.Name? {
        HTTPField.Name(String(decoding: UnsafeRawBufferPointer(rebasing: octets), as: UTF8.self))
    }

    private static func trimmed(_ octets: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = octets.firstIndex(where: { !isBlank($0) }),
            let last = octets.lastIndex(where: { !isBlank($0) })
        else { return octets[octets.endIndex...] }
        return octets[first...last]
    }
}
