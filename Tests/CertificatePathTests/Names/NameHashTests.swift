//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Hashes of names")
struct NameHashTests {
    /// A string type by its tag, and the octets of a value in it.
    typealias Value = (tag: UInt8, octets: [UInt8])

    private static let equal: [(String, Value, Value)] = [
        ("case", (0x0C, Array("Example Root R1".utf8)), (0x0C, Array("EXAMPLE ROOT r1".utf8))),
        ("string type", (0x0C, Array("Example Root R1".utf8)), (0x13, Array("Example Root R1".utf8))),
        ("spaces", (0x0C, Array("  Example  Root\tR1 ".utf8)), (0x13, Array("Example Root R1".utf8))),
        ("BMPString", (0x1E, [0, 0x52, 0, 0x31]), (0x0C, Array("r1".utf8))),
        ("UniversalString", (0x1C, [0, 0, 0, 0x52, 0, 0, 0, 0x31]), (0x0C, Array("R1".utf8))),
        ("BMPString of octets that are letters", (0x1E, [0x41, 0x42]), (0x0C, Array("\u{4142}".utf8))),
        ("Latin 1", (0x14, Array("M".utf8) + [0xFC] + Array("nchen".utf8)), (0x0C, Array("München".utf8))),
        ("upper case beyond ASCII", (0x0C, Array("MÜNCHEN".utf8)), (0x0C, Array("münchen".utf8))),
        ("a letter that folds to ASCII", (0x0C, Array("\u{212A}elvin".utf8)), (0x0C, Array("Kelvin".utf8))),
        (
            "letters beyond ASCII far to the left", (0x0C, Array("Ü 0123456789abcd".utf8)),
            (0x1E, wide("ü 0123456789ABCD"))
        ),
        ("octets that are no UTF-8", (0x0C, [0x41, 0xFF, 0x42]), (0x0C, [0x61, 0xFF, 0x62])),
        ("control characters", (0x0C, [0x41, 0x11, 0x42]), (0x1E, [0, 0x61, 0, 0x11, 0, 0x62])),
        ("nothing", (0x0C, []), (0x13, [])),
    ]

    @Test("Equal names have equal hashes, however they are written", arguments: equal.indices)
    func equality(index: Int) throws {
        let (_, left, right) = Self.equal[index]
        let names = [left, right].map { Self.name($0) }
        let ranges = names.map { ByteRange(0, $0.count) }
        #expect(DistinguishedName.areEqual(ranges[0], of: names[0], ranges[1], of: names[1]))
        let hashes = try zip(names, ranges).map { try DistinguishedName.check($1, in: $0.span) }
        #expect(hashes[0] == hashes[1])
    }

    private static let different: [(String, Value, Value)] = [
        ("a code unit beyond Unicode and an invalid octet", (0x1C, [0x80, 0, 0, 0xED]), (0x0C, [0xED])),
        ("a code unit beyond Unicode and the odd octet of a BMPString", (0x1C, [0x80, 0, 0, 0xED]), (0x1E, [0xED])),
        ("an invalid octet and its Latin 1 letter", (0x0C, [0xED]), (0x14, [0xED])),
        ("an invalid octet and its code point", (0x0C, [0xFF]), (0x0C, Array("\u{FF}".utf8))),
        ("two values and one with both", (0x0C, Array("a".utf8)), (0x0C, Array("aa".utf8))),
        ("a string and an octet string", (0x0C, Array("a".utf8)), (0x04, Array("a".utf8))),
        ("accents", (0x0C, Array("u".utf8)), (0x0C, Array("ü".utf8))),
    ]

    @Test("Different names are different, however they are written", arguments: different.indices)
    func inequality(index: Int) {
        let (what, left, right) = Self.different[index]
        let names = [left, right].map { Self.name($0) }
        let ranges = names.map { ByteRange(0, $0.count) }
        #expect(!DistinguishedName.areEqual(ranges[0], of: names[0], ranges[1], of: names[1]), "\(what)")
    }

    @Test("Attributes of one relative name may stand in any order")
    func order() throws {
        let names = [
            TestDER.name([[.o("Example"), .cn("R1")]]), TestDER.name([[.cn("r1"), .o("EXAMPLE")]]),
        ].map { Array($0.dropFirst(2)) }
        let hashes = try names.map { try DistinguishedName.check(ByteRange(0, $0.count), in: $0.span) }
        #expect(hashes[0] == hashes[1])
    }

    @Test("Names of authorities that differ at their ends have different hashes")
    func difference() throws {
        let names = ["Example Root R1", "Example Root R2", "Example TLS CA 1B3", "Example Root"].map {
            Self.name((0x0C, Array($0.utf8)))
        }
        let hashes = try names.map { try DistinguishedName.check(ByteRange(0, $0.count), in: $0.span) }
        #expect(Set(hashes).count == names.count)
    }

    /// The content of a name with one common name.
    private static func name(_ value: Value) -> [UInt8] {
        DER.set(DER.sequence(DER.oid("2.5.4.3"), DER.element(value.tag, value.octets)))
    }
}

/// Text as a BMPString has it.
private func wide(_ text: String) -> [UInt8] {
    text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
}
