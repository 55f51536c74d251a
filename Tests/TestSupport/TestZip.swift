//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A zip archive made in code, of which every number can be wrong.
package struct TestZip: Sendable {
    /// A file of the archive.
    package struct File: Sendable {
        package var name: String
        package var contents: [UInt8]
        /// The octets in the archive; `nil` for the contents in a stored block of DEFLATE, or as they are.
        package var packed: [UInt8]?
        package var method: UInt16 = 8
        package var flags: UInt16 = 0
        package var checksum: UInt32?
        /// The size in the directory; `nil` for the true one.
        package var size: UInt64?
        package var compressedSize: UInt64?
        /// The name in the header before the file; `nil` for the one in the directory.
        package var localName: String?
        package var localMethod: UInt16?
        package var usesZip64 = false

        package init(_ name: String, _ contents: [UInt8]) { (self.name, self.contents) = (name, contents) }
        package init(_ name: String, _ contents: String) { self.init(name, Array(contents.utf8)) }

        fileprivate var data: [UInt8] {
            if let packed { return packed }
            guard self.method == 8 else { return self.contents }
            let chunks = stride(from: 0, to: max(1, self.contents.count), by: 0xFFFF).map {
                self.contents[min($0, self.contents.count)..<min($0 + 0xFFFF, self.contents.count)]
            }
            return chunks.enumerated().flatMap { index, chunk in
                let count = UInt16(chunk.count)
                return [index == chunks.count - 1 ? 1 : 0] + TestZip.number(UInt64(count), 2)
                    + TestZip.number(UInt64(~count), 2) + chunk
            }
        }
    }

    package var files: [File]
    package var comment: [UInt8] = []
    package var count: UInt64?
    package var disk: UInt64 = 0

    package init(_ files: [File]) { self.files = files }

    package var octets: [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        for file in self.files {
            directory += Self.entry(file, at: archive.count)
            archive += Self.local(file)
        }
        let start = UInt64(archive.count)
        archive += directory
        archive += [0x50, 0x4B, 5, 6] + Self.number(self.disk, 2) + Self.number(0, 2)
        archive += Self.number(self.count ?? UInt64(self.files.count), 2)
        archive += Self.number(self.count ?? UInt64(self.files.count), 2)
        archive += Self.number(UInt64(directory.count), 4) + Self.number(start, 4)
        return archive + Self.number(UInt64(self.comment.count), 2) + self.comment
    }

    private static func local(_ file: File) -> [UInt8] {
        let name = Array((file.localName ?? file.name).utf8)
        return [0x50, 0x4B, 3, 4] + self.number(20, 2) + self.number(UInt64(file.flags), 2)
            + self.number(UInt64(file.localMethod ?? file.method), 2) + self.number(0, 4)
            + self.number(UInt64(file.checksum ?? self.crc32(file.contents)), 4) + self.sizes(file)
            + self.number(UInt64(name.count), 2) + self.number(0, 2) + name + file.data
    }

    private static func entry(_ file: File, at offset: Int) -> [UInt8] {
        let name = Array(file.name.utf8)
        let (size, compressed) = (
            file.size ?? UInt64(file.contents.count), file.compressedSize ?? UInt64(file.data.count)
        )
        let extra =
            file.usesZip64
            ? self.number(1, 2) + self.number(16, 2) + self.number(size, 8) + self.number(compressed, 8) : []
        let start = [0x50, 0x4B, 1, 2] + self.number(20, 2) + self.number(20, 2) + self.number(UInt64(file.flags), 2)
        let middle =
            self.number(UInt64(file.method), 2) + self.number(0, 4)
            + self.number(UInt64(file.checksum ?? self.crc32(file.contents)), 4) + self.sizes(file)
        let lengths = self.number(UInt64(name.count), 2) + self.number(UInt64(extra.count), 2) + self.number(0, 2)
        return start + middle + lengths + self.number(0, 8) + self.number(UInt64(offset), 4) + name + extra
    }

    private static func sizes(_ file: File) -> [UInt8] {
        guard !file.usesZip64 else { return self.number(0xFFFF_FFFF, 4) + self.number(0xFFFF_FFFF, 4) }
        return self.number(file.compressedSize ?? UInt64(file.data.count), 4)
            + self.number(file.size ?? UInt64(file.contents.count), 4)
    }

    fileprivate static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    package static func crc32(_ octets: [UInt8]) -> UInt32 {
        ~octets.reduce(~0 as UInt32) { sum, octet in
            (0..<8).reduce(sum ^ UInt32(octet)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
        }
    }
}
