//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import TestSupport
import Testing

/// JSON by RFC 8259.
private let json = [
    "{}", "[]", " [ ] ", "null", "true", "false", "0", "-0", "10", "1.50", "1e5", "1E+5", "-1.5e-3", "\"\"", "\"é😀\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00aF\"", "{\"a\":{\"b\":[1,[2,{}],\"c\"]},\"d\":[]}",
    "\t{ \"a\" : 1 ,\r\"b\" :\n2 } ", "\"\u{7F}\u{202E}\"", "{\"a\":{\"a\":1},\"A\":2}",
    "{\"\u{E9}\":1,\"e\u{301}\":2}", "\u{FEFF}[1]",
    String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
]

/// Texts that are not JSON, and what follows from the first byte on that RFC 8259 does not allow.
private let other: [(String, String)] = [
    ("{", ""), ("[", ""), ("{\"a\"", ""), ("{\"a\":", ""), ("[1,", ""), ("\"a", ""), ("\"\\", ""), ("\"\\u00", ""),
    ("-", ""), ("{\"x\":01}", "1}"), ("{\"x\":-}", "}"), ("{\"x\":--1}", "-1}"), ("{\"x\":1.}", "}"),
    ("{\"x\":.5}", ".5}"), ("{\"x\":1e}", "}"), ("{\"x\":+1}", "+1}"), ("{\"x\":0x1}", "x1}"), ("{\"x\":[1,]}", "]}"),
    ("{\"x\":1,}", "}"), ("{,}", ",}"), ("[,1]", ",1]"), ("[1 2]", "2]"), ("[1]]", "]"), ("[1}", "}"),
    ("{\"x\":1]", "]"), ("{\"x\" 1}", "1}"), ("{x:1}", "x:1}"), ("{1:1}", "1:1}"), ("{\"x\":1} y", "y"),
    ("\"\\q\"", "q\""), ("\"\\u12g4\"", "g4\""), ("\"\\U0041\"", "U0041\""), ("\"a\tb\"", "\tb\""),
    ("\"\u{1F}\"", "\u{1F}\""), ("\"a\nb\"", "\nb\""), ("nul", "nul"), ("True", "True"), ("NaN", "NaN"),
    ("-Infinity", "Infinity"), ("'a'", "'a'"), ("[1]\u{A0}", "\u{A0}"), ("// a", "// a"), ("# a", "# a"),
    ("nullé", "é"),
    ("[1]\u{C}", "\u{C}"), ("\u{FEFF}\u{FEFF}1", "\u{FEFF}1"), ("a: b", "a: b"), ("{} {}", "{}"),
    ("\"\\ud800\"", "\\ud800\""), ("\"\\ude00\\ud83d\"", "\\ude00\\ud83d\""), ("\"\\ud83dx\"", "\\ud83dx\""),
    ("\"\\ud83d\\u0041\"", "\\ud83d\\u0041\""), ("\"\\ud83d\\n\"", "\\ud83d\\n\""),
]

private let values: [(String, DocumentNode.Value)] = [
    ("12", .integer(12)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
    ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .real(9_223_372_036_854_775_808)),
    ("1.0", .real(1)), ("1e2", .real(100)), ("1e999", .real(.infinity)), ("-2e-999", .real(-0.0)),
    ("\"1\"", .string("1")),
    ("true", .boolean(true)), ("null", .null), ("\"null\"", .string("null")), ("\"\\u00e9\\/\"", .string("\u{e9}/")),
    ("\"\\ud83d\\ude00\"", .string("\u{1F600}")), ("\"\\uD800\\uDC00\\uDBFF\\uDFFF\"", .string("\u{10000}\u{10FFFF}")),
    ("\"a\\u0000b\"", .string("a\0b")), ("[1,[]]", .array([DocumentNode(.integer(1), at: place(2)), empty])),
]

private let empty = DocumentNode(.array([]), at: place(4))

private func place(_ column: Int) -> TextPosition { TextPosition(line: 1, column: column) }

private func parse(_ text: String) throws(DocumentError) -> DocumentNode {
    try JSONDocument.parse(Array(text.utf8))
}

@Suite struct JSONDocumentTests {
    @Test(arguments: other)
    func `What RFC 8259 does not allow is refused where it begins`(_ text: String, _ rest: String) throws {
        let error = try #require(Reader.json.error(Array(text.utf8)))
        guard case .malformed = error.code else {
            Issue.record("not refused as malformed: \(error)")
            return
        }
        // A byte order mark is not counted, and in these texts there are line feeds only where they are refused.
        let mark = text.unicodeScalars.first == "\u{FEFF}" ? 1 : 0
        #expect(error.position?.column == text.unicodeScalars.count - mark - rest.unicodeScalars.count + 1)
    }

    @Test(arguments: json)
    func `What RFC 8259 allows is read`(_ text: String) {
        #expect(Reader.json.error(Array(text.utf8)) == nil)
    }

    @Test(arguments: values)
    func `A value is of its type`(_ text: String, _ value: DocumentNode.Value) throws {
        #expect(try parse(text).value == value)
    }

    @Test func `A name that an object has twice is refused with the place of the first`() {
        let error = Reader.json.error(Array("{\"x\": 1,\n \"a\": {\"x\": 2}, \"\\u0061\": 3}".utf8))
        #expect(error == DocumentError(.duplicateKey("a"), TextPosition(line: 2, column: 2)))
    }

    @Test func `Names and values know their places`() throws {
        let root = try parse("{\r\n\t\"é\": [1,\n {\"b\" : \"\"}],\r \"c\":\n\nfalse}")
        let entries = try #require(root.dictionary)
        #expect(entries.map(\.key) == ["é", "c"])
        #expect(entries.map(\.keyPosition) == [TextPosition(line: 2, column: 2), TextPosition(line: 4, column: 2)])
        #expect(entries[0].value.array?[1]["b"]?.position == TextPosition(line: 3, column: 9))
        #expect(entries[1].value.position == TextPosition(line: 6, column: 1))
    }

    @Test func `A value is found by the octets of its name`() throws {
        let root = try parse("{\"\u{212A}\": 1, \"K\": 2}")
        #expect(root["K"]?.integer == 2)
        #expect(try parse("{\"\u{212A}\": 1}")["K"] == nil)
    }

    @Test func `Numbers with a fraction are numbers`() throws {
        #expect(try parse("[1.5, -2e3, 1e999]").array?.map(\.real) == [1.5, -2_000, .infinity])
    }
}

@Suite struct JSONLimitTests {
    @Test(arguments: ["[", "{\"a\":", "[[],", "[{\"a\":1},", "\"\\u0041", "-", "1", "{\"a\":[", "[1,"])
    func `Megabytes of beginnings are refused`(_ unit: String) {
        let text = String(repeating: unit, count: (3 << 20) / unit.utf8.count)
        let duration = ProcessorTime.measure { #expect(Reader.json.error(Array(text.utf8)) != nil) }
        #expect(duration < .seconds(10))
    }

    @Test func `Depth is counted exactly`() {
        let text = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(Reader.json.error(text(65)) == DocumentError(.tooDeep(limit: 64), TextPosition(line: 1, column: 65)))
        #expect(Reader.json.error(text(30_000)) == Reader.json.error(text(65)))
        #expect(Reader.json.error(text(64)) == nil)
    }

    @Test func `Names and values are counted`() {
        let limits = DocumentLimits(maximumNodes: 4)
        #expect(Reader.json.error(Array("{\"a\":[1]}".utf8), limits: limits) == nil)
        #expect(Reader.json.error(Array("{\"a\":[1,2]}".utf8), limits: limits)?.code == .tooManyNodes(limit: 4))
    }

    @Test func `A number has a limited length`() throws {
        let digits = { String(repeating: "9", count: $0) }
        #expect(try parse(digits(1_024)).real == .infinity)
        let error = Reader.json.error(Array("[\n 0.\(digits(1_023))]".utf8))
        #expect(error?.position == TextPosition(line: 2, column: 2))
        #expect(error?.description.contains("1024 characters") == true)
    }

    @Test func `Enormous texts and objects are read in linear time`() throws {
        let text = String(repeating: "x\\n", count: 1 << 20)
        let object = (0..<200_000).map { "\"n\($0)\":1" }.joined(separator: ",")
        let duration = ProcessorTime.measure {
            #expect(Reader.json.error(Array("\"\(text)\"".utf8)) == nil)
            #expect(Reader.json.error(Array("{\(object)}".utf8)) == nil)
        }
        #expect(duration < .seconds(20))
    }
}
