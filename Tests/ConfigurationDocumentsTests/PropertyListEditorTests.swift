//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import ConfigurationDocuments

/// A file, and the file after `A.b = true` was set in it.
private struct Edit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: String
    let after: String

    init(_ name: String, _ before: String, _ after: String) {
        self.testDescription = name
        (self.before, self.after) = ("<plist>\(before)</plist>\n", "<plist>\(after)</plist>\n")
    }

    static let all = [
        Edit(
            "an empty list", "<dict/>",
            "<dict>\n\t<key>A</key>\n\t<dict>\n\t\t<key>b</key>\n\t\t<true/>\n\t</dict>\n</dict>"),
        Edit(
            "a list with other keys and comments",
            "\n<dict>\n    <!-- first -->\n    <key>Z</key> <integer>1</integer>\n    <!-- last -->\n</dict>\n",
            "\n<dict>\n    <!-- first -->\n    <key>Z</key> <integer>1</integer>\n    <key>A</key>\n    <dict>\n    \t<key>b</key>\n"
                + "    \t<true/>\n    </dict>\n    <!-- last -->\n</dict>\n"),
        Edit(
            "a dictionary that is there",
            "<dict>\n<key>A</key>\n<dict>\n  <key>a</key><string>&amp;<!-- why --></string>\n</dict>\n</dict>",
            "<dict>\n<key>A</key>\n<dict>\n  <key>a</key><string>&amp;<!-- why --></string>\n  <key>b</key>\n  <true/>\n</dict>\n</dict>"
        ),
        Edit(
            "a dictionary with a comment alone", "<dict><key>A</key><dict><!-- none yet --></dict></dict>",
            "<dict><key>A</key><dict>\n\t<key>b</key>\n\t<true/>\n<!-- none yet --></dict></dict>"),
        Edit(
            "a value that is there", "<dict><key>A</key><dict><key>b</key><string>YES</string><!-- c --></dict></dict>",
            "<dict><key>A</key><dict><key>b</key><true/><!-- c --></dict></dict>"),
        Edit(
            "a value where a dictionary belongs", "<dict><key>A</key><array><true/></array></dict>",
            "<dict><key>A</key><dict>\n\t<key>b</key>\n\t<true/>\n</dict></dict>"),
        Edit(
            "an empty list with an attribute that has the end of a tag", "<dict a=\">\"></dict>",
            "<dict a=\">\">\n\t<key>A</key>\n\t<dict>\n\t\t<key>b</key>\n\t\t<true/>\n\t</dict>\n</dict>"),
        Edit(
            "one tag with an attribute, and lines of Windows", "\r\n<dict a='/>'/>",
            "\r\n<dict a='/>'>\r\n\t<key>A</key>\r\n\t<dict>\r\n\t\t<key>b</key>\r\n\t\t<true/>\r\n\t</dict>\r\n</dict>"
        ),
        Edit(
            "a key that another one looks like",
            "<dict><key>a\u{301}</key><true/><key>A</key><dict><key>B</key><true/></dict></dict>",
            "<dict><key>a\u{301}</key><true/><key>A</key><dict><key>B</key><true/>\n<key>b</key>\n<true/></dict></dict>"
        ),
    ]
}

@Suite struct PropertyListEditorTests {
    @Test("A value is set where it belongs, and everything else stays as it was", arguments: Edit.all)
    private func set(edit: Edit) throws {
        var editor = try PropertyListEditor(Array(edit.before.utf8))
        try editor.set(.flag(true), at: ["A", "b"])
        #expect(editor.text == edit.after)
        #expect(try PropertyListDocument.parse(Array(editor.text.utf8))["A"]?["b"]?.boolean == true)
    }

    @Test("An entry is removed with its white space, and one that is not there changes nothing")
    func remove() throws {
        let text =
            "<plist><dict>\n  <key>A</key>\n  <dict>\n    <key>b</key>\n    <true/>\n    <!-- c -->\n  </dict>\n</dict></plist>"
        var editor = try PropertyListEditor(Array(text.utf8))
        for path in [["A", "c"], ["B", "b"], ["B"]] {
            try editor.remove(at: path)
            #expect(editor.text == text)
        }
        try editor.remove(at: ["A", "b"])
        #expect(editor.text == "<plist><dict>\n  <key>A</key>\n  <dict>\n    <!-- c -->\n  </dict>\n</dict></plist>")
        #expect(editor.keys(at: ["A"]) == [] && editor.keys(at: []) == ["A"] && editor.keys(at: ["A", "b"]) == nil)
    }

    @Test("Entries are added together, into a dictionary that is there and one that is not")
    func append() throws {
        for text in [
            "<plist><dict/></plist>", "<plist><dict><key>A</key><dict><key>z</key><true/></dict></dict></plist>",
        ] {
            var editor = try PropertyListEditor(Array(text.utf8))
            try editor.append([], at: ["A"])
            #expect(editor.text == text)
            try editor.append((0..<500).map { ("h\($0)", .flag(true)) }, at: ["A"])
            #expect(editor.keys(at: ["A"])?.suffix(500) == (0..<500).map { "h\($0)" }[...])
        }
    }

    @Test("A list in JSON becomes XML with the same values in the same order")
    func json() throws {
        var editor = try PropertyListEditor(Array(#"{"Z": ["é<&>", 1, 2.5], "A": {"c": false}}"#.utf8))
        try editor.set(.flag(true), at: ["A", "b"])
        let list = try PropertyListDocument.parse(Array(editor.text.utf8))
        #expect(list.dictionary?.map(\.key) == ["Z", "A"])
        #expect(list["Z"]?.array?.map(\.value) == [.string("é<&>"), .integer(1), .real(2.5)])
        #expect(list["A"]?["c"]?.boolean == false && list["A"]?["b"]?.boolean == true)
    }

    @Test("A byte order mark is no obstacle, dates and data of a binary list are kept, and other files are refused")
    func forms() throws {
        var editor = try PropertyListEditor([0xEF, 0xBB, 0xBF] + Array("<plist><dict/></plist>".utf8))
        try editor.set(.text("a\u{1}b"), at: ["A"])
        #expect(try PropertyListDocument.parse(Array(editor.text.utf8))["A"]?.string == "a\u{FFFD}b")
        for text in ["", "<plist><array/></plist>", "<plist><true/></plist>", "[1]", "text", "<plist><dict>"] {
            #expect(throws: DocumentError.self, "\(text)") { try PropertyListEditor(Array(text.utf8)) }
        }
        let node = DocumentNode.named([
            ("date", DocumentNode(.date(.init(timeIntervalSince1970: 1_780_272_000)), at: nil)),
            ("data", DocumentNode(.data([0, 1, 254, 255]), at: nil)),
        ])
        let read = try PropertyListDocument.parse(Array(PropertyListText.text(of: node).utf8))
        #expect(read.dictionary?.map(\.value.value) == node.dictionary?.map(\.value.value))
    }
}
