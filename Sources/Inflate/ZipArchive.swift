//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The files of a zip archive (PKWARE APPNOTE.TXT 6.3.10).
///
/// The central directory alone decides which files the archive has, and the header before a file must agree with it. Nothing is
/// written to disk. Files may be stored or compressed with DEFLATE. Any other method is an error that names it.
public struct ZipArchive: Sendable {
    /// A file of an archive, as the central directory describes it.
    public struct Entry: Sendable, Hashable {
        /// The path, with slashes.
        public let name: String
        /// The size of the file in octets, not compressed.
        public let size: UInt64
        let nameOctets: [UInt8]
        let flags: UInt16
        let method: UInt16
        let checksum: UInt32
        let compressedSize: UInt64
        let offset: UInt64

        /// `true` if the file is encrypted.
        public var isEncrypted: Bool { self.flags & 0x1 != 0 }
    }

    /// A function that returns a range of the archive's octets.
    public typealias Source = (Range<Int>) throws(ZipError) -> [UInt8]

    /// The files in the order of the central directory.
    public let entries: [Entry]
    private let size: Int

    /// The maximum number of files in an archive. Large apps have a tenth of it.
    public static let maximumEntries = 200_000
    /// The maximum size of a central directory in octets.
    static let maximumDirectory = 32 << 20
    /// The maximum length of a name in octets.
    static let maximumName = 4_096

    /// Reads the central directory.
    ///
    /// - Parameters:
    ///   - size: The size of the archive in octets.
    ///   - source: A function that returns a range of the archive's octets.
    /// - Throws: ``ZipError``
    public init(size: Int, source: Source) throws(ZipError) {
        let end = try ZipEnd(size: size, source: source)
        guard let start = Int(exactly: end.directoryOffset), let length = Int(exactly: end.directorySize),
            start <= end.offset, length <= end.offset - start
        else { throw .malformed }
        guard length <= Self.maximumDirectory, end.count <= UInt64(Self.maximumEntries) else { throw .tooManyFiles }
        var fields = ZipFields(try source(start..<(start + length)))
        var entries: [Entry] = []
        for _ in 0..<end.count { entries.append(try Self.entry(&fields)) }
        guard fields.isEmpty else { throw .malformed }
        self.entries = entries
        self.size = size
    }

    /// Returns `true` if octets begin like a zip archive.
    public static func isZip(_ octets: ArraySlice<UInt8>) -> Bool {
        octets.starts(with: [0x50, 0x4B, 0x03, 0x04]) || octets.starts(with: [0x50, 0x4B, 0x05, 0x06])
    }

    /// Returns the contents of one file and verifies its size and checksum.
    ///
    /// - Parameters:
    ///   - entry: The file.
    ///   - limit: The maximum size of the file in octets, compressed or not.
    ///   - source: A function that returns a range of the archive's octets.
    /// - Throws: ``ZipError``
    public func contents(of entry: Entry, limit: Int, source: Source) throws(ZipError) -> [UInt8] {
        guard !entry.isEncrypted else { throw .encrypted(entry.name) }
        guard entry.size <= UInt64(limit), entry.compressedSize <= UInt64(limit) else { throw .tooLarge(entry.name) }
        guard let start = Int(exactly: entry.offset), start <= self.size - Self.localHeader else { throw .malformed }
        let header = try self.header(at: start, of: entry, source)
        let begin = start + Self.localHeader + header
        guard begin <= self.size, let length = Int(exactly: entry.compressedSize), length <= self.size - begin else {
            throw .truncated
        }
        let contents = try Self.decompressed(try source(begin..<(begin + length)), entry)
        guard Checksum.crc32.of(contents) == entry.checksum else { throw .wrongChecksum(entry.name) }
        return contents
    }

    private static let localHeader = 30

    private static func decompressed(_ octets: [UInt8], _ entry: Entry) throws(ZipError) -> [UInt8] {
        switch entry.method {
        case 0:
            guard UInt64(octets.count) == entry.size else { throw .contradiction(entry.name) }
            return octets
        case 8:
            let contents: [UInt8]
            do throws(InflateError) {
                contents = try Inflate.raw(octets[...], limit: Int(entry.size))
            } catch {
                throw error == .tooLarge ? .contradiction(entry.name) : .damaged(entry.name)
            }
            guard UInt64(contents.count) == entry.size else { throw .contradiction(entry.name) }
            return contents
        default: throw .method(entry.name, Int(entry.method))
        }
    }

    /// Compares the header before a file with the central directory and returns the length of its name and extra fields in octets.
    private func header(at start: Int, of entry: Entry, _ source: Source) throws(ZipError) -> Int {
        var fields = ZipFields(try source(start..<(start + Self.localHeader)))
        guard try fields.number(4) == 0x0403_4B50 else { throw .contradiction(entry.name) }
        _ = try fields.number(2)
        let (flags, method) = (try fields.number(2), try fields.number(2))
        try fields.skip(4)
        let (checksum, compressed, size) = (try fields.number(4), try fields.number(4), try fields.number(4))
        let (name, extra) = (Int(try fields.number(2)), Int(try fields.number(2)))
        let nameStart = start + Self.localHeader
        guard name <= self.size - nameStart else { throw .truncated }
        // With bit 3 the numbers follow the file, and zip64 stores them in an extra field.
        let hasNumbers = flags & 0x8 == 0 && compressed != 0xFFFF_FFFF && size != 0xFFFF_FFFF
        let isSame =
            flags & 0x1 == UInt64(entry.flags & 0x1) && method == UInt64(entry.method)
            && (!hasNumbers
                || (checksum == UInt64(entry.checksum) && compressed == entry.compressedSize && size == entry.size))
        guard isSame, try source(nameStart..<(nameStart + name)) == entry.nameOctets else {
            throw .contradiction(entry.name)
        }
        return name + extra
    }
}

// MARK: - The central directory

extension ZipArchive {
    private static func entry(_ fields: inout ZipFields) throws(ZipError) -> Entry {
        guard try fields.number(4) == 0x0201_4B50 else { throw .malformed }
        try fields.skip(4)
        let (flags, method) = (try fields.number(2), try fields.number(2))
        try fields.skip(4)
        let checksum = try fields.number(4)
        var (compressed, size) = (try fields.number(4), try fields.number(4))
        let (nameLength, extraLength, commentLength) = (
            Int(try fields.number(2)), Int(try fields.number(2)), Int(try fields.number(2))
        )
        let disk = try fields.number(2)
        try fields.skip(6)
        var offset = try fields.number(4)
        let name = try fields.octets(nameLength)
        var extra = ZipFields(try fields.octets(extraLength))
        try fields.skip(commentLength)
        try extra.readLargeNumbers(&size, &compressed, &offset)
        let text = String(decoding: name, as: UTF8.self)
        // Bit 13 masks the numbers in the header before a file.
        guard flags & 0x2000 == 0 else { throw .encrypted(text) }
        guard disk == 0 else { throw .severalParts }
        guard name.count <= Self.maximumName else { throw .malformed }
        guard Self.isPlain(name) else { throw .unsafeName(text) }
        // DEFLATE expands an octet to at most 1,032.
        guard method != 8 || size / 1_033 <= compressed else { throw .contradiction(text) }
        return Entry(
            name: text, size: size, nameOctets: name, flags: UInt16(flags), method: UInt16(method),
            checksum: UInt32(checksum), compressedSize: compressed, offset: offset)
    }

    /// Returns `true` if a name stays below the folder into which the archive is unpacked.
    private static func isPlain(_ name: [UInt8]) -> Bool {
        guard let first = name.first, first != UInt8(ascii: "/"), !name.contains(0), !name.contains(UInt8(ascii: "\\"))
        else {
            return false
        }
        return !name.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }
}

/// The end of central directory record.
private struct ZipEnd {
    let count: UInt64
    let directorySize: UInt64
    let directoryOffset: UInt64
    /// The offset at which the directory must end: that of this record, or of zip64's own.
    let offset: Int

    init(size: Int, source: ZipArchive.Source) throws(ZipError) {
        let tailSize = min(size, 22 + 0xFFFF)
        let tail = try source((size - tailSize)..<size)
        guard let place = Self.place(in: tail) else { throw tail.isEmpty ? .truncated : .noEnd }
        var fields = ZipFields(Array(tail[(place + 4)...]))
        let disks = (try fields.number(2), try fields.number(2))
        let counts = (try fields.number(2), try fields.number(2))
        let (directorySize, directoryOffset) = (try fields.number(4), try fields.number(4))
        let start = size - tailSize + place
        if counts.1 == 0xFFFF || directorySize == 0xFFFF_FFFF || directoryOffset == 0xFFFF_FFFF,
            let large = try ZipEnd(before: start, source: source)
        {
            self = large
            return
        }
        guard disks == (0, 0), counts.0 == counts.1 else { throw .severalParts }
        self.init(count: counts.1, directorySize: directorySize, directoryOffset: directoryOffset, offset: start)
    }

    private init(count: UInt64, directorySize: UInt64, directoryOffset: UInt64, offset: Int) {
        self.count = count
        self.directorySize = directorySize
        self.directoryOffset = directoryOffset
        self.offset = offset
    }

    /// Returns the offset of the record. Its comment must end with the archive, so that no other record can be meant.
    private static func place(in tail: [UInt8]) -> Int? {
        guard tail.count >= 22 else { return nil }
        return (0...(tail.count - 22)).reversed().first { place in
            guard tail[place...].starts(with: [0x50, 0x4B, 0x05, 0x06]) else { return false }
            let comment = Int(tail[place + 20]) + Int(tail[place + 21]) * 256
            return place + 22 + comment == tail.count
        }
    }

    /// Reads the end records of zip64 (§4.3.14, §4.3.15), or returns `nil` if the archive has none.
    private init?(before end: Int, source: ZipArchive.Source) throws(ZipError) {
        guard end >= 20 else { return nil }
        var locator = ZipFields(try source((end - 20)..<end))
        guard try locator.number(4) == 0x0706_4B50 else { return nil }
        let disk = try locator.number(4)
        let position = try locator.number(8)
        guard disk == 0, try locator.number(4) <= 1 else { throw .severalParts }
        guard let start = Int(exactly: position), start <= end - 20 - 56 else { throw .malformed }
        var fields = ZipFields(try source(start..<(start + 56)))
        guard try fields.number(4) == 0x0606_4B50 else { throw .malformed }
        try fields.skip(12)
        let disks = (try fields.number(4), try fields.number(4))
        let counts = (try fields.number(8), try fields.number(8))
        guard disks == (0, 0), counts.0 == counts.1 else { throw .severalParts }
        self.init(
            count: counts.1, directorySize: try fields.number(8), directoryOffset: try fields.number(8), offset: start)
    }
}

/// A reader of zip's fields, which are little-endian.
private struct ZipFields {
    private var rest: ArraySlice<UInt8>

    init(_ octets: [UInt8]) { self.rest = octets[...] }

    var isEmpty: Bool { self.rest.isEmpty }

    mutating func octets(_ count: Int) throws(ZipError) -> [UInt8] {
        guard count <= self.rest.count else { throw .truncated }
        defer { self.rest = self.rest.dropFirst(count) }
        return Array(self.rest.prefix(count))
    }

    mutating func skip(_ count: Int) throws(ZipError) { _ = try self.octets(count) }

    mutating func number(_ count: Int) throws(ZipError) -> UInt64 {
        try self.octets(count).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    }

    /// Replaces the numbers that the directory marks as too large with those of zip64's extra field (§4.5.3).
    mutating func readLargeNumbers(
        _ size: inout UInt64, _ compressed: inout UInt64, _ offset: inout UInt64
    ) throws(ZipError) {
        let isLarge = [size, compressed, offset].contains(0xFFFF_FFFF)
        while isLarge, self.rest.count >= 4 {
            let kind = try self.number(2)
            var field = ZipFields(try self.octets(Int(try self.number(2))))
            guard kind == 1 else { continue }
            if size == 0xFFFF_FFFF { size = try field.number(8) }
            if compressed == 0xFFFF_FFFF { compressed = try field.number(8) }
            if offset == 0xFFFF_FFFF { offset = try field.number(8) }
            return
        }
        guard !isLarge else { throw .malformed }
    }
}
