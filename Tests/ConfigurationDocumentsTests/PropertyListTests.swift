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

private let malformed = [
    "", "<dict/><dict/>", "<dict><string/></dict>", "<dict><key>a</key></dict>",
    "<dict><key>a</key><key>b</key></dict>",
    "<dict><true/><key>a</key></dict>", "<dict>text</dict>", "<array>text</array>",
    "<dict><key><b/></key><true/></dict>",
    "<strin/>", "<integer>1.5</integer>", "<integer/>", "<integer>0x</integer>", "<integer>--1</integer>",
    "<integer>0x-1</integer>", "<integer>9223372036854775808</integer>", "<real>x</real>", "<real>0x1p3</real>",
    "<date>2024-02-30T00:00:00Z</date>", "<date>2024-01-01</date>", "<date>0000-01-01T00:00:00Z</date>",
    "<data>A</data>", "<data>#</data>", "<true>x</true>", "<string><b/></string>", "text",
]

private let values: [(String, DocumentNode.Value)] = [
    ("<true/>", .boolean(true)), ("<false/>", .boolean(false)), ("<string> a&amp;b </string>", .string(" a&b ")),
    ("<string/>", .string("")), ("<integer> -12 </integer>", .integer(-12)), ("<integer>0x1F</integer>", .integer(31)),
    ("<integer>-0X1f</integer>", .integer(-31)), ("<integer>-9223372036854775808</integer>", .integer(.min)),
    ("<real>1.5e3</real>", .real(1_500)), ("<real>-infinity</real>", .real(-.infinity)),
    ("<data>\n AAE\n C </data>", .data([0, 1, 2])), ("<array/>", .array([])), ("<dict/>", .dictionary([])),
    ("<date>2001-01-01T00:00:00Z</date>", .date(Date(timeIntervalSinceReferenceDate: 0))),
    ("<date>2024-02-29T23:59:60Z</date>", .date(Date(timeIntervalSince1970: 1_709_251_200))),
    ("<date>0001-01-01T00:00:00Z</date>", .date(Date(timeIntervalSinceReferenceDate: -63_113_904_000))),
]

private let openStep = [
    "{ a = b; }", "{ \"a\" = \"b\"; }", "( a, b )", "// comment\n{}", "<0fbd 77>", "\"a\"", "{ /* c */ }", "a = b;",
]

private func parse(_ text: String) throws(DocumentError) -> DocumentNode {
    try PropertyListDocument.parse(Array(text.utf8))
}

@Suite struct PropertyListTests {
    @Test(arguments: malformed)
    func `What is no property list is refused`(_ text: String) {
        #expect(Reader.propertyList.error(Array("<plist>\(text)</plist>".utf8)) != nil)
    }

    @Test(arguments: openStep)
    func `An OpenStep property list is refused with what converts it`(_ text: String) throws {
        let error = try #require(Reader.propertyList.error(Array(text.utf8)))
        #expect(error.description.contains("plutil -convert xml1"))
    }

    @Test func `Another outermost element is refused`() {
        #expect(Reader.propertyList.error(Array("<dict/>".utf8)) != nil)
    }

    @Test(arguments: values)
    func `A value is of its type`(_ text: String, _ value: DocumentNode.Value) throws {
        #expect(try parse("<plist version=\"1.0\">\n\(text)</plist>").value == value)
    }

    @Test func `Entries keep their order, their places and their duplicates`() throws {
        let root = try parse(
            "<plist><dict>\n<key>b</key><true/>\n<key>a</key>\n <false/><key>b</key><integer>1</integer></dict></plist>"
        )
        let entries = try #require(root.dictionary)
        #expect(entries.map(\.key) == ["b", "a", "b"])
        #expect(entries[1].keyPosition == TextPosition(line: 3, column: 1))
        #expect(entries[1].value.position == TextPosition(line: 4, column: 2))
        #expect(root["b"]?.boolean == true)
        #expect(root["c"] == nil)
    }

    @Test func `JSON is read, with lines`() throws {
        let root = try parse("{\n \"a\": [1, 2.5, true, \"x\"],\n\"b\": {}}")
        #expect(root["a"]?.array?.map(\.kindName) == ["an integer", "a real number", "a boolean", "a string"])
        #expect(root["b"]?.position == TextPosition(line: 3, column: 6))
        #expect(try parse("{}").dictionary == [])
    }
}
