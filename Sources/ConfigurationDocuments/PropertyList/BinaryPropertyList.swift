//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parser of binary property lists.
///
/// It replaces Foundation's `PropertyListDecoder`, which traps on some files (an array that claims 2^63 values, a date that is not
/// a number) and loses the order of keys and repeated keys. Core Foundation's `CFBinaryPList.c` describes the format.
enum BinaryPropertyList {
    static func parse(_ bytes: [UInt8], _ limits: DocumentLimits) throws(DocumentError) -> DocumentNode {
        guard bytes.starts(with: "bplist0".utf8) else {
            throw DocumentError(
                .unsupported("this version of binary property lists is not known. Convert it with plutil -convert xml1")
            )
        }
        var reader = BinaryObjectReader(bytes, try BinaryTrailer(of: bytes), limits: limits)
        return try reader.root()
    }

    static func malformed(_ detail: String) -> DocumentError {
        DocumentError(.malformed("the binary property list is damaged (\(detail))"))
    }
}

/// The last 32 bytes of a binary property list, which locate its objects.
struct BinaryTrailer {
    let offsetSize: Int
    let referenceSize: Int
    let objectCount: Int
    let rootObject: Int
    let tableStart: Int

    private static let size = 32
    private static let headerSize = 8

    init(of bytes: [UInt8]) throws(DocumentError) {
        let start = bytes.count - Self.size
        guard start > Self.headerSize else { throw BinaryPropertyList.malformed("it is too short") }
        self.offsetSize = Int(bytes[start + 6])
        self.referenceSize = Int(bytes[start + 7])
        guard (1...8).contains(self.offsetSize), (1...8).contains(self.referenceSize),
            let objectCount = bytes.bigEndian(at: start + 8, size: 8),
            let rootObject = bytes.bigEndian(at: start + 16, size: 8),
            let tableStart = bytes.bigEndian(at: start + 24, size: 8),
            (Self.headerSize...start).contains(tableStart),
            // A division, because the product may overflow.
            objectCount > 0, objectCount <= (start - tableStart) / self.offsetSize, rootObject < objectCount
        else { throw BinaryPropertyList.malformed("its table lies outside") }
        self.objectCount = objectCount
        self.rootObject = rootObject
        self.tableStart = tableStart
    }
}

extension [UInt8] {
    /// Returns an unsigned number of up to eight bytes, or `nil` if it lies outside or is too large for an `Int`.
    func bigEndian(at offset: Int, size: Int) -> Int? {
        guard size <= 8, offset >= 0, offset <= self.count, size <= self.count - offset else { return nil }
        let bits = self[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: bits)
    }
}
