//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import ServerTrustCommand

@Suite("Requests as their options say")
struct GetRequestTests {
    private static func options(_ arguments: [String]) throws -> GetRequestOptions {
        try GetRequestOptions.parse(Array(CurlArguments.separated(["get"] + arguments).dropFirst()))
    }

    @Test("--data and --data-binary keep their order, and files their line ends with the latter alone")
    func order() async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file("data", contents: Array("a\r\nb\n\0c".utf8))
            let options = try Self.options(
                ["-d", "1", "--data-binary", "@\(file)", "--data", "@\(file)", "--data-binary=2", "-d3", "--data", ""])
            #expect(try options.form().map { String(buffer: $0) } == "1&a\r\nb\n\0c&abc&2&3&")
            #expect(options.meantMethod == .post)
        }
    }

    @Test(
        "Text that is no field is passed over, and told",
        arguments: ["foo", "", ": foo", ":", ";", "foo;bar", "foo; bar"])
    func withoutField(text: String) throws {
        let options = try Self.options(["-H", text, "-H", "A: b"])
        #expect(try options.fields().set == [HTTPField.Name("A") ?? .accept: "b"])
        #expect(try options.fields().omitted.isEmpty)
        #expect(try options.textsWithoutField() == [text])
    }

    @Test("A name that no field has is an error", arguments: ["a b: c", " a: b", "ä: b", "a;b: c"])
    func names(text: String) throws {
        #expect(throws: (any Error).self) { try Self.options(["-H", text]).fields() }
    }

    @Test("A Referer of --header stands in place of that of --referer, and may leave it out")
    func referer() throws {
        #expect(try Self.options(["-e", "x"]).fields().set[.referer] == "x")
        #expect(try Self.options(["-e", "x", "-H", "referer: y"]).fields().set[values: .referer] == ["y"])
        #expect(try Self.options(["-e", "x", "-H", "Referer:"]).fields().set[.referer] == nil)
    }
}
