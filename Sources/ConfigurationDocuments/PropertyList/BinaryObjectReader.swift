//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of the objects of a binary property list, within bounds.
///
/// Several references may lead to one object, and an object may refer to itself. The budget counts an object at every reference,
/// and the limit of the depth ends every cycle. Texts and data are decoded once, so that all references to one share its memory.
/// Together they may not be longer than the file, which only overlapping ones are.
struct BinaryObjectReader {
    private let bytes: [UInt8]
    private let trailer: BinaryTrailer
    private var budget: DocumentBudget
    private var decoded: [Int: DocumentNode.Value] = [:]
    private var remainingContent: Int

    init(_ bytes: [UInt8], _ trailer: BinaryTrailer, limits: DocumentLimits) {
        self.bytes = bytes
        self.trailer = trailer
        self.budget = DocumentBudget(limits)
        self.remainingContent = bytes.count
    }

    mutating func root() throws(DocumentError) -> DocumentNode {
        try self.object(self.trailer.rootObject, depth: 1)
    }

    private mutating func object(_ reference: Int, depth: Int) throws(DocumentError) -> DocumentNode {
        try self.budget.spend(depth: depth, at: nil)
        guard reference < self.trailer.objectCount,
            let offset = self.bytes.bigEndian(
                at: self.trailer.tableStart + reference * self.trailer.offsetSize, size: self.trailer.offsetSize
            ),
            (8..<self.trailer.tableStart).contains(offset)
        else { throw BinaryPropertyList.malformed("a reference leads outside") }
        let marker = self.bytes[offset]
        switch marker >> 4 {
        case 0xA: return DocumentNode(.array(try self.array(offset, depth)), at: nil)
        case 0xD: return DocumentNode(.dictionary(try self.dictionary(offset, depth)), at: nil)
        case 0x4, 0x5, 0x6, 0x7: return DocumentNode(try self.content(reference, offset), at: nil)
        default: return DocumentNode(try self.number(marker, offset), at: nil)
        }
    }
}

// MARK: Collections

extension BinaryObjectReader {
    private mutating func array(_ offset: Int, _ depth: Int) throws(DocumentError) -> [DocumentNode] {
        let (count, start) = try self.count(at: offset, unit: self.trailer.referenceSize)
        guard self.budget.allows(count) else { throw self.tooManyNodes }
        var nodes: [DocumentNode] = []
        nodes.reserveCapacity(count)
        for index in 0..<count {
            nodes.append(try self.object(self.reference(index, from: start), depth: depth + 1))
        }
        return nodes
    }

    private mutating func dictionary(_ offset: Int, _ depth: Int) throws(DocumentError) -> [DocumentEntry] {
        let (count, start) = try self.count(at: offset, unit: 2 * self.trailer.referenceSize)
        guard self.budget.allows(count) else { throw self.tooManyNodes }
        var entries: [DocumentEntry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            let key = try self.object(self.reference(index, from: start), depth: depth + 1)
            guard let name = key.string else { throw BinaryPropertyList.malformed("a key is \(key.kindName)") }
            let value = try self.object(self.reference(count + index, from: start), depth: depth + 1)
            entries.append(DocumentEntry(key: name, keyPosition: nil, value: value))
        }
        return entries
    }

    /// Reads a reference that is known to lie within the file.
    private func reference(_ index: Int, from start: Int) throws(DocumentError) -> Int {
        let size = self.trailer.referenceSize
        guard let reference = self.bytes.bigEndian(at: start + index * size, size: size) else {
            throw BinaryPropertyList.malformed("a reference leads outside")
        }
        return reference
    }

    private var tooManyNodes: DocumentError {
        DocumentError(.tooManyNodes(limit: self.budget.limits.maximumNodes))
    }

    /// Reads the number of units of an object and the offset of the first. All units lie before the table.
    private func count(at offset: Int, unit: Int) throws(DocumentError) -> (count: Int, start: Int) {
        var count = Int(self.bytes[offset] & 0x0F)
        var start = offset + 1
        if count == 0x0F {
            guard start < self.trailer.tableStart, self.bytes[start] & 0xF0 == 0x10 else {
                throw BinaryPropertyList.malformed("a length is no integer")
            }
            let size = 1 << Int(self.bytes[start] & 0x0F)
            guard let length = self.bytes.bigEndian(at: start + 1, size: size) else {
                throw BinaryPropertyList.malformed("a length is too large")
            }
            count = length
            start += 1 + size
        }
        guard start <= self.trailer.tableStart, count <= (self.trailer.tableStart - start) / unit else {
            throw BinaryPropertyList.malformed("an object is longer than the file")
        }
        return (count, start)
    }
}

// MARK: Texts and bytes

extension BinaryObjectReader {
    private mutating func content(
        _ reference: Int, _ offset: Int
    ) throws(DocumentError) -> DocumentNode.Value {
        if let value = self.decoded[reference] { return value }
        let kind = self.bytes[offset] >> 4
        let unit = kind == 0x6 ? 2 : 1
        let (count, start) = try self.count(at: offset, unit: unit)
        let content = self.bytes[start..<(start + count * unit)]
        self.remainingContent -= content.count
        guard self.remainingContent >= 0 else { throw BinaryPropertyList.malformed("texts overlap") }
        let value = try self.value(of: content, kind: kind)
        self.decoded[reference] = value
        return value
    }

    private func value(of content: ArraySlice<UInt8>, kind: UInt8) throws(DocumentError) -> DocumentNode.Value {
        guard kind != 0x4 else { return .data(Array(content)) }
        guard let string = kind == 0x6 ? Self.utf16(content) : String(validating: content, as: UTF8.self) else {
            throw BinaryPropertyList.malformed("a text is not Unicode")
        }
        return .string(string)
    }

    private static func utf16(_ content: ArraySlice<UInt8>) -> String? {
        let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map {
            UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
        }
        return String(validating: units, as: UTF16.self)
    }
}

// MARK: Numbers

extension BinaryObjectReader {
    private func number(_ marker: UInt8, _ offset: Int) throws(DocumentError) -> DocumentNode.Value {
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10...0x12:
            return .integer(Int(try self.bits(offset, size: 1 << Int(marker & 0x0F))))
        case 0x13: return .integer(Int(Int64(bitPattern: try self.bits(offset, size: 8))))
        case 0x14: return .integer(try self.wideInteger(offset))
        case 0x22: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try self.bits(offset, size: 4)))))
        case 0x23: return .real(Double(bitPattern: try self.bits(offset, size: 8)))
        case 0x33: return try self.date(offset)
        case 0x80...0x8F:
            throw DocumentError(.unsupported("this is a keyed archive, not a configuration. Give a property list"))
        default:
            throw BinaryPropertyList.malformed("an object is of an unknown type")
        }
    }

    private func bits(_ offset: Int, size: Int) throws(DocumentError) -> UInt64 {
        guard size <= self.trailer.tableStart - offset - 1 else {
            throw BinaryPropertyList.malformed("a number is longer than the file")
        }
        return self.bytes[(offset + 1)...(offset + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads an integer of sixteen bytes, the form of numbers above `Int64.max`.
    private func wideInteger(_ offset: Int) throws(DocumentError) -> Int {
        let high = try self.bits(offset, size: 8)
        // All sixteen bytes must lie before the table.
        guard self.trailer.tableStart - offset - 1 >= 16 else {
            throw BinaryPropertyList.malformed("a number is longer than the file")
        }
        let low = Int64(bitPattern: try self.bits(offset + 8, size: 8))
        guard high == (low < 0 ? UInt64.max : 0) else {
            throw DocumentError(.unsupported("an integer is too large. Give one of at most 64 bits"))
        }
        return Int(low)
    }

    private func date(_ offset: Int) throws(DocumentError) -> DocumentNode.Value {
        let seconds = Double(bitPattern: try self.bits(offset, size: 8))
        guard let date = PropertyListDate.date(secondsSince2001: seconds) else {
            throw BinaryPropertyList.malformed("a date is not of the years 1 to 9999")
        }
        return .date(date)
    }
}
