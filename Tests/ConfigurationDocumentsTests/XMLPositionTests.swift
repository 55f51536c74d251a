//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import Testing

private let lineEnds = ["\n", "\r\n", "\r"]

@Suite struct XMLPositionTests {
    @Test(arguments: lineEnds)
    func `An element is where its start tag begins`(_ end: String) throws {
        let text = ["<?xml version='1.0'?>", "<!-- <no> -->", "<a", " b='1'>", "  <c d='", ">'/><e/>", "</a>"]
        let root = try parseXML(text.joined(separator: end))
        #expect(root.position == TextPosition(line: 3, column: 1))
        #expect(root.children.map(\.position) == [TextPosition(line: 5, column: 3), TextPosition(line: 6, column: 5)])
    }

    @Test func `Columns are counted in scalars`() throws {
        let root = try parseXML("<a>\u{e9}\u{1F600}\t<b/></a>")
        #expect(root.children.first?.position == TextPosition(line: 1, column: 7))
    }

    @Test func `Markup that is no tag is not taken for one`() throws {
        let root = try parseXML("<a><![CDATA[<b>]]><!--<c>--></a>")
        #expect(root.children.isEmpty)
    }

    @Test func `Lines are counted beyond 65,535`() throws {
        let root = try parseXML("<a>" + String(repeating: "\n", count: 70_000) + "<b/></a>")
        #expect(root.children.first?.position == TextPosition(line: 70_001, column: 1))
    }

    @Test func `A fault is on its line`() {
        let error = Reader.xml.error(Array("<a>\n<b>\n&x;</b></a>".utf8))
        #expect(error?.position?.line == 3)
    }

    @Test func `An element without an end is where it begins`() {
        let error = Reader.xml.error(Array("<a>\n <b>\n".utf8))
        #expect(error?.position == TextPosition(line: 2, column: 2))
    }
}
