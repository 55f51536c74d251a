//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A bounded reader for the files of a tar archive (POSIX.1-2017, pax). It reports links without following them, and skips
/// folders and all other entries.
struct TarReader {
    /// A regular file or a link.
    struct File {
        let path: String
        let contents: ArraySlice<UInt8>
        var isLink = false
    }

    /// The reason why an archive cannot be read.
    struct Malformation: Error, CustomStringConvertible {
        let description: String
    }

    private var rest: ArraySlice<UInt8>
    private var entries = 0
    /// The path from an extended header, which applies to the next entry.
    private var nextPath: String?

    private static let blockSize = 512
    private static let maximumEntries = 200_000
    private static let maximumPath = 4_096

    init(_ archive: [UInt8]) {
        self.rest = archive[...]
    }

    /// Returns the next file, or `nil` at the end.
    mutating func next() throws(Malformation) -> File? {
        while let entry = try self.entry() {
            switch entry.type {
            case UInt8(ascii: "x"): self.nextPath = try Self.paxPath(entry.contents) ?? self.nextPath
            case UInt8(ascii: "L"): self.nextPath = Self.text(entry.contents)
            case UInt8(ascii: "g"): continue
            case UInt8(ascii: "0"), 0:
                defer { self.nextPath = nil }
                return File(path: self.nextPath ?? entry.path, contents: entry.contents)
            case UInt8(ascii: "1"), UInt8(ascii: "2"):
                defer { self.nextPath = nil }
                return File(path: self.nextPath ?? entry.path, contents: [], isLink: true)
            default: self.nextPath = nil
            }
        }
        return nil
    }

    private struct Entry {
        let path: String
        let type: UInt8
        let contents: ArraySlice<UInt8>
    }

    private mutating func entry() throws(Malformation) -> Entry? {
        guard let header = self.take(Self.blockSize) else { throw Malformation(description: "it is cut off") }
        // Two blocks of zeros end the archive. The rest is padding.
        guard header.contains(where: { $0 != 0 }) else { return nil }
        self.entries += 1
        guard self.entries <= Self.maximumEntries else { throw Malformation(description: "it has too many entries") }
        let start = header.startIndex
        func field(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
            header[(start + offset)..<(start + offset + count)]
        }
        let sum = header.enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 0x20 : Int($1.element)) }
        guard Self.octal(field(148, 8)) == sum else { throw Malformation(description: "it is not a tar archive") }
        guard let size = Self.octal(field(124, 12)), let contents = self.take(size) else {
            throw Malformation(description: "it is cut off")
        }
        guard self.take((Self.blockSize - size % Self.blockSize) % Self.blockSize) != nil else {
            throw Malformation(description: "it is cut off")
        }
        let isUSTAR = field(257, 5).elementsEqual(Array("ustar".utf8))
        let prefix = isUSTAR ? Self.text(field(345, 155)) : ""
        let name = Self.text(field(0, 100))
        return Entry(
            path: prefix.isEmpty ? name : prefix + "/" + name, type: header[start + 156], contents: contents)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= self.rest.count else { return nil }
        defer { self.rest = self.rest.dropFirst(count) }
        return self.rest.prefix(count)
    }

    /// Returns the text up to its first zero.
    private static func text(_ octets: ArraySlice<UInt8>) -> String {
        String(decoding: octets.prefix(Self.maximumPath).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Parses octal digits between spaces and zeros, or returns `nil` for any other text.
    private static func octal(_ octets: ArraySlice<UInt8>) -> Int? {
        let digits = octets.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
        guard digits.count <= 12 else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }

    /// Returns the path in the records of a pax header, which have the form `LENGTH KEYWORD=VALUE` and a newline.
    private static func paxPath(_ contents: ArraySlice<UInt8>) throws(Malformation) -> String? {
        var rest = contents
        while let space = rest.firstIndex(of: 0x20) {
            guard let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
                length > space - rest.startIndex + 1,
                length <= rest.count
            else { throw Malformation(description: "a header of it is malformed") }
            let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
            let prefix = Array("path=".utf8)
            if record.starts(with: prefix) { return Self.text(record.dropFirst(prefix.count)) }
            rest = rest.dropFirst(length)
        }
        return nil
    }
}
