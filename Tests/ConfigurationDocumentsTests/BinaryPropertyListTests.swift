//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A binary property list put together from encoded objects, the first of which is the outermost.
private struct BinaryList: Sendable {
    var objects: [[UInt8]]
    var count: UInt64?
    var root: UInt64 = 0
    var table: UInt64?
    var offsets: [UInt8]?
    var offsetSize: UInt8 = 1
    var referenceSize: UInt8 = 1

    init(_ objects: [[UInt8]]) {
        self.objects = objects
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in self.objects {
            offsets.append(UInt8(truncatingIfNeeded: bytes.count))
            bytes += object
        }
        let table = UInt64(bytes.count)
        bytes += self.offsets ?? offsets
        bytes += [0, 0, 0, 0, 0, 0, self.offsetSize, self.referenceSize]
        for number in [self.count ?? UInt64(self.objects.count), self.root, self.table ?? table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        }
        return bytes
    }
}

private let one = BinaryList([[0xA1, 1], [0x09]])

private let damaged: [BinaryList] = [
    one.with { $0.count = 1 << 60 }, one.with { $0.count = .max }, one.with { $0.count = 0 },
    one.with { $0.root = 2 }, one.with { $0.root = .max }, one.with { $0.table = .max },
    one.with { $0.table = 1 << 62 },
    one.with { $0.table = 0 }, one.with { $0.offsets = [255, 255] }, one.with { $0.offsets = [0, 0] },
    one.with { $0.offsetSize = 0 }, one.with { $0.offsetSize = 255 }, one.with { $0.referenceSize = 0 },
    one.with { $0.referenceSize = 255 },
    // Arrays that claim 2^62 and 2^63 values: the second makes PropertyListDecoder trap.
    BinaryList([[0xAF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]]), BinaryList([[0xAF, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0]]),
    BinaryList([[0xAF, 0x20]]), BinaryList([[0xAF]]), BinaryList([[0xAF, 0x1F]]), BinaryList([[0xDF, 0x13, 0x7F]]),
    BinaryList([[0x4F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]]), BinaryList([[0x6F, 0x10, 200]]),
    BinaryList([[0x51]]), BinaryList([[0x51, 0xFF]]), BinaryList([[0x61, 0xD8, 0x3D]]), BinaryList([[0xA1, 9]]),
    BinaryList([[0xD1, 1, 1], [0x10, 5]]), BinaryList([[0xD1, 0, 0]]), BinaryList([[0x13, 1]]),
    BinaryList([[0x14, 1]]),
    BinaryList([[0x00]]), BinaryList([[0x0F]]), BinaryList([[0x15]]), BinaryList([[0x32, 0, 0, 0, 0]]),
    // A date that is not a number, which makes PropertyListDecoder trap, and one beyond all calendars.
    BinaryList([[0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]]), BinaryList([[0x33, 0x7F, 0xEF, 0, 0, 0, 0, 0, 0]]),
    BinaryList([[0x14] + [UInt8](repeating: 0x7F, count: 16)]), BinaryList([[0x80, 5]]),
]

private let values: [(BinaryList, DocumentNode.Value)] = [
    (BinaryList([[0x08]]), .boolean(false)), (BinaryList([[0x09]]), .boolean(true)),
    (BinaryList([[0x10, 0xFF]]), .integer(255)), (BinaryList([[0x11, 1, 0]]), .integer(256)),
    (BinaryList([[0x13] + [UInt8](repeating: 0xFF, count: 8)]), .integer(-1)),
    (BinaryList([[0x14] + [UInt8](repeating: 0, count: 15) + [7]]), .integer(7)),
    (BinaryList([[0x22, 0x3F, 0x80, 0, 0]]), .real(1)),
    (BinaryList([[0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]]), .real(1)),
    (BinaryList([[0x33, 0, 0, 0, 0, 0, 0, 0, 0]]), .date(Date(timeIntervalSinceReferenceDate: 0))),
    (BinaryList([[0x42, 1, 2]]), .data([1, 2])), (BinaryList([[0x52, 0x61, 0x62]]), .string("ab")),
    (BinaryList([[0x62, 0xD8, 0x3D, 0xDE, 0x00]]), .string("\u{1F600}")),
    (BinaryList([[0x5F, 0x10, 1, 0x61]]), .string("a")), (BinaryList([[0xA0]]), .array([])),
]

@Suite struct BinaryPropertyListTests {
    @Test(arguments: damaged)
    private func `Damage is refused`(_ list: BinaryList) {
        #expect(Reader.propertyList.error(list.bytes) != nil)
    }

    @Test func `Every truncation is refused`() {
        let bytes = BinaryList([[0xD1, 1, 2], [0x51, 0x61], [0x10, 5]]).bytes
        for count in 1..<bytes.count {
            #expect(Reader.propertyList.error(Array(bytes.prefix(count))) != nil)
        }
    }

    @Test func `An array within itself is too deep`() {
        #expect(Reader.propertyList.error(BinaryList([[0xA1, 0]]).bytes)?.code == .tooDeep(limit: 64))
        let dictionary = BinaryList([[0xD1, 1, 0], [0x51, 0x61]])
        #expect(Reader.propertyList.error(dictionary.bytes)?.code == .tooDeep(limit: 64))
    }

    @Test func `References that double at every level are counted`() {
        let objects = (1...40).map { [0xA2, UInt8($0), UInt8($0)] as [UInt8] } + [[0x09]]
        #expect(Reader.propertyList.error(BinaryList(objects).bytes)?.code == .tooManyNodes(limit: 500_000))
    }

    @Test func `Texts that overlap are refused once they are longer than the file`() {
        let text: [UInt8] = [0x5F, 0x10, 40] + [UInt8](repeating: 0x58, count: 100)
        let references = (1...14).map { UInt8($0) }
        let list = BinaryList([[0xAE] + references, text]).with {
            $0.count = 15
            $0.offsets = [8] + [UInt8](repeating: 23, count: 14)
        }
        #expect(Reader.propertyList.error(list.bytes)?.description.contains("overlap") == true)
    }

    @Test func `An unknown version is refused`() throws {
        let error = try #require(Reader.propertyList.error(Array("bplist15 and so on".utf8)))
        #expect(error.description.contains("plutil"))
    }

    @Test(arguments: values)
    private func `A value is of its type`(_ list: BinaryList, _ value: DocumentNode.Value) throws {
        #expect(try PropertyListDocument.parse(list.bytes) == DocumentNode(value, at: nil))
    }

    @Test func `Entries keep their order and their duplicates`() throws {
        let list = BinaryList([[0xD3, 1, 2, 1, 3, 4, 3], [0x51, 0x62], [0x51, 0x61], [0x09], [0x10, 5]])
        let root = try PropertyListDocument.parse(list.bytes)
        #expect(root.dictionary?.map(\.key) == ["b", "a", "b"])
        #expect(root["a"]?.integer == 5)
    }
}
