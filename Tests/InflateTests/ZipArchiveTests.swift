//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import Inflate

@Suite("Zip archives")
struct ZipArchiveTests {
    private static let text = Array("<plist/>".utf8)

    private static func file(_ change: (inout TestZip.File) -> Void = { _ in }) -> TestZip.File {
        var file = TestZip.File("Payload/A.app/Info.plist", Self.text)
        change(&file)
        return file
    }

    /// Reads the only file of an archive.
    private static func read(_ octets: [UInt8], limit: Int = 1 << 20) throws(ZipError) -> [UInt8] {
        let archive = try ZipArchive(size: octets.count) { range throws(ZipError) in Array(octets[range]) }
        guard let entry = archive.entries.first else { throw .malformed }
        return try archive.contents(of: entry, limit: limit) { range throws(ZipError) in Array(octets[range]) }
    }

    @Test("Stored and compressed files are read, with zip64 and a comment too")
    func good() throws {
        for change: (inout TestZip.File) -> Void in [
            { _ in }, { $0.method = 0 }, { $0.usesZip64 = true }, { $0.flags = 8 },
        ] {
            var zip = TestZip([Self.file(change)])
            #expect(try Self.read(zip.octets) == Self.text)
            zip.comment = Array("PK\u{5}\u{6} a comment".utf8)
            #expect(try Self.read(zip.octets) == Self.text)
        }
        let empty = try ZipArchive(size: 22) { range throws(ZipError) in Array(TestZip([]).octets[range]) }
        #expect(empty.entries.isEmpty)
    }

    /// 64 KiB of zeros, as zlib compresses them.
    private static let bomb: [UInt8] =
        Data(
            base64Encoded:
                "7cEBAQAAAICQ/q/uCAoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABq"
        ).map(Array.init) ?? []

    @Test("Archives that contradict themselves, or hold what is not read, are refused by name")
    func faults() {
        let name = "Payload/A.app/Info.plist"
        let faults: [(ZipError, (inout TestZip.File) -> Void)] = [
            (.encrypted(name), { $0.flags = 1 }), (.encrypted(name), { $0.flags = 0x2000 }),
            (.method(name, 14), { $0.method = 14 }),
            (.contradiction(name), { $0.localName = "Payload/B.app/Info.plist" }),
            (.contradiction(name), { $0.localMethod = 0 }), (.contradiction(name), { $0.size = 9 }),
            (.contradiction(name), { $0.size = 7 }), (.wrongChecksum(name), { $0.checksum = 1 }),
            (.damaged(name), { $0.packed = [6, 6, 6] }),
            (
                .tooLarge(name),
                {
                    $0.size = 5 << 30
                    $0.compressedSize = 5 << 30
                    $0.usesZip64 = true
                }
            ),
            (
                .contradiction(name),
                {
                    $0.size = 1 << 40
                    $0.usesZip64 = true
                }
            ),
            (.unsafeName("../Info.plist"), { $0.name = "../Info.plist" }),
            (.unsafeName("a/../../Info.plist"), { $0.name = "a/../../Info.plist" }),
            (.unsafeName("/etc/Info.plist"), { $0.name = "/etc/Info.plist" }),
            (.unsafeName("a\\b"), { $0.name = "a\\b" }), (.unsafeName(""), { $0.name = "" }),
            (
                .truncated,
                {
                    $0.compressedSize = 60_000
                    $0.flags = 8
                }
            ),
        ]
        for (error, change) in faults {
            let octets = TestZip([Self.file(change)]).octets
            #expect(throws: error, "\(error)") { try Self.read(octets) }
            #expect(!"\(error)".isEmpty)
        }
    }

    @Test("A small file that becomes a large one is cut at its limit, and one that says too little is refused")
    func bombs() {
        let honest = TestZip([
            Self.file {
                $0.packed = Self.bomb
                $0.size = 65_536
                $0.checksum = 0xD797_8EEB
            }
        ]).octets
        #expect(throws: ZipError.tooLarge("Payload/A.app/Info.plist")) { try Self.read(honest, limit: 65_535) }
        let lying = TestZip([
            Self.file {
                $0.packed = Self.bomb
                $0.size = 100
            }
        ]).octets
        #expect(throws: ZipError.contradiction("Payload/A.app/Info.plist")) { try Self.read(lying) }
    }

    @Test("Every cut and every flipped bit ends in an error or in the same file")
    func damage() throws {
        let octets = TestZip([Self.file(), TestZip.File("b", "other")]).octets
        for count in octets.indices {
            #expect(throws: ZipError.self) { try Self.read(Array(octets[..<count])) }
        }
        for index in octets.indices {
            for bit in 0..<8 {
                var damaged = octets
                damaged[index] ^= 1 << bit
                guard let contents = try? Self.read(damaged) else { continue }
                #expect(contents == Self.text || contents == Array("other".utf8))
            }
        }
    }

    @Test("More files than the directory has, other parts, and huge numbers are refused")
    func ends() {
        var zip = TestZip([Self.file()])
        zip.count = 2
        #expect(throws: ZipError.truncated) { try Self.read(zip.octets) }
        zip.count = 0
        #expect(throws: ZipError.malformed) { try Self.read(zip.octets) }
        zip.count = nil
        zip.disk = 1
        #expect(throws: ZipError.severalParts) { try Self.read(zip.octets) }
        #expect(throws: ZipError.truncated) { try Self.read([]) }
        #expect(throws: ZipError.noEnd) { try Self.read([UInt8](repeating: 0x50, count: 70_000)) }
    }
}
