//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import Testing

@testable import PinningDialects

private let refused: [(String, DocumentError.Code?)] = [
    ("# only\n", .empty), ("a: 1\na: 2\n", .duplicateKey("a")), ("{\"a\": 1, \"a\": 2}", .duplicateKey("a")),
    ("1: a\n\"1\": b\n", .duplicateKey("1")), ("a\n---\nb\n", .multipleDocuments), ("a: [1, 2", nil), ("a: \"x", nil),
    ("a: b: c", nil), ("\ta: b", nil), ("a: *x", nil), ("a: &x *x", nil), ("a: &x [*x]", nil), ("!!map {a: b}", nil),
    ("a: !!int 1", nil), ("a: !x b", nil), ("!!seq [a]", nil), ("!!binary AA==", nil), ("[a]: b", nil),
    ("{a: b}: c", nil),
    ("? [a]\n: b", nil), ("a: &x {b: c}\n*x : d", nil), ("a: &x {b: c}\nd:\n  <<: *x\n", nil), ("a: \u{1}", nil),
    ("a: \"\\ud83d\\ude00\"", nil), ("a: \"\\q\"", nil), ("%YAML 3.0\n---\na", nil), ("!!int a: b", nil), ("@a", nil),
]

private let scalars: [(String, DocumentNode.Value)] = [
    ("true", .boolean(true)), ("False", .boolean(false)), ("TRUE", .boolean(true)), ("tRUE", .string("tRUE")),
    ("yes", .string("yes")), ("no", .string("no")), ("on", .string("on")), ("~", .null), ("", .null), ("Null", .null),
    ("\"null\"", .string("null")), ("'1'", .string("1")), ("12", .integer(12)), ("-0", .integer(0)),
    ("+7", .integer(7)),
    ("0x1F", .integer(31)), ("0o17", .integer(15)), ("017", .integer(17)), ("0x-1", .string("0x-1")),
    ("1_000", .string("1_000")), ("1.10", .string("1.10")), ("2024-01-01", .string("2024-01-01")),
    ("9223372036854775807", .integer(.max)), ("9223372036854775808", .string("9223372036854775808")),
    ("!!str 1", .string("1")), ("! 1", .string("1")), ("|\n  1\n", .string("1\n")), (">-\n  a\n  b\n", .string("a b")),
    (".inf", .string(".inf")), ("\"\\u00e9\\/\"", .string("\u{e9}/")),
]

private let bombKeys = ["*k : 1", "? *k\n: 1", "[*k]: 1", "{a: 1, *k : 1}", "k: [ ? *k : 1 ]", "k: [[*k] : 1]"]

private func parse(_ text: String) throws(DocumentError) -> DocumentNode {
    try YAMLDocument.parse(Array(text.utf8))
}

/// The error of a reading that must fail.
private func fault(_ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()) -> DocumentError? {
    do {
        _ = try YAMLDocument.parse(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

private let notUTF8: [[UInt8]] = [
    [0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61], [0x00, 0x00, 0xFE, 0xFF], Array("a: ".utf8) + [0xC3, 0x28],
    Array("a: ".utf8) + [0xED, 0xA0, 0x80], Array("a: ".utf8) + [0xF4, 0x90, 0x80, 0x80],
]

@Suite struct YAMLTextTests {
    @Test func `An empty file is refused`() {
        for bytes in [[], Array(" \r\n\t".utf8), [0xEF, 0xBB, 0xBF]] { #expect(fault(bytes)?.code == .empty) }
    }

    @Test func `A file above the limit is refused`() {
        #expect(fault(Array("a: b".utf8), limits: DocumentLimits(maximumSize: 3))?.code == .tooLarge(limit: 3))
    }

    @Test(arguments: notUTF8)
    func `What is not UTF-8 is refused`(_ bytes: [UInt8]) {
        #expect(fault(bytes)?.code == .notUTF8)
    }

    @Test func `The places of a zero byte and of a damaged character are given`() {
        #expect(fault(Array("a:\n \0".utf8)) == DocumentError(.zeroByte, TextPosition(line: 2, column: 2)))
        #expect(fault(Array("a: \u{e9}\nb: ".utf8) + [0xFF])?.position == TextPosition(line: 2, column: 4))
    }

    @Test func `A byte order mark is accepted and not counted`() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(try YAMLDocument.parse(mark + Array("a: b".utf8)).position == TextPosition(line: 1, column: 1))
    }
}

@Suite struct YAMLDocumentTests {
    @Test(arguments: refused)
    func `What is not one plain document is refused`(_ text: String, _ code: DocumentError.Code?) {
        let error = fault(Array(text.utf8))
        #expect(error != nil)
        if let code { #expect(error?.code == code) }
    }

    @Test func `A surrogate pair is refused with what to write`() {
        let error = fault(Array("{\"a\":\n \"\\ud83d\\ude00\"}".utf8))
        #expect(error?.description.contains("write the character itself") == true)
        #expect(error?.position?.line == 2)
    }

    @Test func `The second of two documents and the first of two keys are where they are`() {
        #expect(fault(Array("a\n---\nb\n".utf8))?.position == TextPosition(line: 2, column: 1))
        #expect(fault(Array("x: 1\na: 1\na: 2\n".utf8))?.position == TextPosition(line: 2, column: 1))
    }

    @Test(arguments: scalars)
    func `A scalar means what the core schema says`(_ text: String, _ value: DocumentNode.Value) throws {
        #expect(try parse("a: \(text)")["a"]?.value == value)
    }

    @Test func `Numbers with a fraction are texts in brackets too`() throws {
        #expect(try parse("[1.5, -2e3, 1e999]").array?.map(\.string) == ["1.5", "-2e3", "1e999"])
    }

    @Test func `Keys and values know their places`() throws {
        let root = try parse("# c\na: &x\n  - 1\n\"b\": *x\n")
        let entries = try #require(root.dictionary)
        #expect(entries.map(\.key) == ["a", "b"])
        #expect(entries[1].keyPosition == TextPosition(line: 4, column: 1))
        #expect(entries[0].value.array?.first?.position == TextPosition(line: 3, column: 5))
        // An alias is where its anchor is.
        #expect(entries[1].value.array?.first?.position == TextPosition(line: 3, column: 5))
    }

    @Test func `Lines are an editor's even where libyaml sees more of them`() throws {
        let root = try parse("a: \"x\u{2028}y\u{85}z\" # c\u{2029}\r\n\u{e9}: 1\rb: {c: d}\n")
        #expect(root.dictionary?.map(\.keyPosition?.line) == [1, 2, 3])
        #expect(root["b"]?["c"]?.position == TextPosition(line: 3, column: 8))
        #expect(try parse("{a: \"\u{2028}\", b: c}")["b"]?.position == TextPosition(line: 1, column: 13))
    }
}

@Suite struct YAMLLimitTests {
    @Test(arguments: ["[", "{a: ", "- ", "a:\n- - ", "? "])
    func `A megabyte of beginnings is refused`(_ unit: String) {
        #expect(fault(Array(String(repeating: unit, count: (1 << 20) / unit.utf8.count).utf8)) != nil)
    }

    @Test func `Depth is counted exactly`() {
        let text = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(fault(text(65)) == DocumentError(.tooDeep(limit: 64), TextPosition(line: 1, column: 65)))
        #expect(fault(text(64)) == nil)
    }

    /// Yams recurses through them with more than a kilobyte each.
    @Test func `Nearly a thousand levels need no stack of the caller's`() {
        let text = String(repeating: "- ", count: 990) + "x"
        #expect(fault(Array(text.utf8))?.code == .tooDeep(limit: 64))
    }

    /// libyaml walks over all of them for every token that follows.
    @Test func `Brackets within hundreds of brackets are refused before anything is walked over`() {
        for unit in ["[", "{a: ", "[a, "] {
            let text = String(repeating: unit, count: 200) + String(repeating: "x, ", count: 1_000)
            #expect(fault(Array(text.utf8))?.code == .tooDeep(limit: 128))
        }
        #expect(fault(Array(("a: '" + String(repeating: "[]", count: 1_000) + "'").utf8)) == nil)
    }

    @Test func `Aliases are counted as what they stand for`() {
        let error = fault(Array(Self.bomb.utf8))
        #expect(error?.code == .tooManyNodes(limit: 500_000))
    }

    @Test(arguments: bombKeys)
    func `Aliases in keys are refused before they are compared`(_ key: String) {
        #expect(fault(Array((Self.bomb + "k: &k [*a30]\n" + key).utf8)) != nil)
    }

    @Test func `Keys within keys are few`() {
        let text = String(repeating: "? ", count: 9) + "a"
        #expect(fault(Array(text.utf8))?.position == TextPosition(line: 1, column: 17))
    }

    @Test func `An enormous scalar is a text`() throws {
        let text = String(repeating: "x", count: 4_000_000)
        #expect(try parse("a: \(text)")["a"]?.string?.utf8.count == 4_000_000)
    }

    private static let bomb =
        "a0: &a0 [x, x, x]\n" + (1...30).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1), *a\($0 - 1)]\n" }.joined()
}
