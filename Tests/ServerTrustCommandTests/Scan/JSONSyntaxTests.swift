//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerTrustCommand

/// What is JSON by RFC 8259.
private let json = [
    "{}", "[]", " [ ] ", "null", "true", "false", "0", "-0", "10", "1.50", "1e5", "1E+5", "-1.5e-3", "\"\"", "\"é😀\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00aF\"", "\"\\ud800\"", "{\"a\":{\"b\":[1,[2,{}],\"c\"]},\"d\":[]}",
    "\t{ \"a\" : 1 ,\r\"b\" :\n2 } ", "{\"a\":1,\"a\":2}", "\"\u{7F}\u{202E}\"",
    String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000),
]

/// What is not, and where it stops being so.
private let other: [(String, String)] = [
    ("", ""), (" ", ""), ("{", ""), ("[", ""), ("{\"a\"", ""), ("\"a", ""), ("{\"x\":01}", "1}"), ("{\"x\":-}", "}"),
    ("{\"x\":--1}", "-1}"), ("{\"x\":1.}", "}"), ("{\"x\":.5}", ".5}"), ("{\"x\":1e}", "}"), ("{\"x\":+1}", "+1}"),
    ("{\"x\":0x1}", "x1}"), ("{\"x\":[1,]}", "]}"), ("{\"x\":1,}", "}"), ("{,}", ",}"), ("[,1]", ",1]"),
    ("[1 2]", "2]"),
    ("[1]]", "]"), ("[1}", "}"), ("{\"x\" 1}", "1}"), ("{x:1}", "x:1}"), ("{1:1}", "1:1}"), ("{\"x\":1} y", "y"),
    ("\"\\q\"", "q\""), ("\"\\u12g4\"", "g4\""), ("\"a\tb\"", "\tb\""), ("\"\u{1F}\"", "\u{1F}\""), ("nul", "nul"),
    ("True", "True"), ("NaN", "NaN"), ("'a'", "'a'"), ("[1]\u{A0}", "\u{A0}"), ("// a", "// a"), ("nullé", "é"),
]

@Suite("The grammar of JSON")
struct JSONSyntaxTests {
    @Test("What RFC 8259 allows is JSON", arguments: json)
    func valid(text: String) { #expect(JSONSyntax.fault(in: text) == nil) }

    @Test("Anything else is not, from the first byte on that it does not allow", arguments: other)
    func invalid(text: String, rest: String) { #expect(JSONSyntax.fault(in: text).map(String.init) == rest) }

    @Test("JSON is escaped without changing what it says, and space stays space")
    func escaping() {
        #expect(
            JSONText.escaped("{\t\"a\":\r\"\u{9B}\u{7F}\u{E0001}é\"}") == "{\t\"a\": \"\\u009b\\u007f\\udb40\\udc01é\"}"
        )
    }
}
