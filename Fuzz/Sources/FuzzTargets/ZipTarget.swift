//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Inflate

/// Zip archives: no file is larger than its limit or than the directory says, and none has another checksum.
enum ZipTarget {
    private static let limit = 1 << 16

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let source: ZipArchive.Source = { range throws(ZipError) in
            guard range.upperBound <= bytes.count else { throw .truncated }
            return Array(bytes[range])
        }
        guard let archive = try? ZipArchive(size: bytes.count, source: source) else { return }
        for entry in archive.entries.prefix(16) {
            findings.expect(!entry.name.split(separator: "/").contains(".."), "a name that leads out")
            guard let contents = try? archive.contents(of: entry, limit: Self.limit, source: source) else { continue }
            findings.expect(contents.count <= Self.limit, "more than the limit")
            findings.expect(UInt64(contents.count) == entry.size, "another size than the directory's")
            let lower = contents.count - 1
            let isCut = contents.isEmpty || (try? archive.contents(of: entry, limit: lower, source: source)) == nil
            findings.expect(isCut, "more than a lower limit")
        }
    }

    static func seeds() -> [[UInt8]] {
        let names = ["Payload/A.app/Info.plist", "a", "b/c", "../d", "\u{e9}", String(repeating: "n", count: 300)]
        return names.flatMap { name in [Self.zip(name, 0, []), Self.zip(name, 8, [1, 0, 0, 0xFF, 0xFF])] }
    }

    /// An archive of one empty file.
    private static func zip(_ name: String, _ method: UInt8, _ data: [UInt8]) -> [UInt8] {
        let name = Array(name.utf8)
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let common =
            [0, 0, method, 0, 0, 0, 0, 0, 0, 0, 0, 0] + number(data.count, 4) + number(0, 4) + number(name.count, 2)
        let local = [0x50, 0x4B, 3, 4, 20, 0] + common + number(0, 2) + name + data
        let entry = [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + common + number(0, 16) + name
        let end = [0x50, 0x4B, 5, 6] + number(0, 4) + number(1, 2) + number(1, 2)
        return local + entry + end + number(entry.count, 4) + number(local.count, 4) + number(0, 2)
    }
}
