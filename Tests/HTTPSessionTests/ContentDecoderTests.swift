//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import ServerTrustNIO
import Testing

@testable import HTTPSession

@Suite("Content codings, undone as they come")
struct ContentDecoderTests {
    private static let url = Result { try HTTPURL("https://server.test/") }

    private static func decoded(_ codings: String, _ text: String, ratio: Int = 1_100) throws -> String {
        let decoder = try #require(
            try ContentDecoder([codings], ratio: ratio, url: try Self.url.get(), takesOthers: false))
        var content = ByteBuffer()
        decoder.receive(ByteBuffer(bytes: try #require(Data(base64Encoded: text))))
        while var octets = try decoder.next() { content.writeBuffer(&octets) }
        try decoder.finish()
        return String(buffer: content)
    }

    /// "hello" in five codings, by Python's gzip.
    private static let five =
        "H4sIAAAAAAACA5Pv5mAAASbmye+fJTAwqj07+X6+qoHBKlvrn3X7VjUe1Lp91+ry/ZuvV9/Scn9pN2XGuYM1Py7L3y2dLOMiqTd/gshlpixGhi3Pq15aA00BACMrmftOAAAA"
    /// 60,000 empty members of gzip, compressed twice: 94 octets that come to 1,200,000, and those to nothing.
    private static let bomb =
        "H4sIAAAAAAACA5Pv5mAAASbmtyc28jIocDAYKHXHFxj4C7OZ+2ccD7sfoW48r+ic5fM5xaPEKDFKjBKjxCgxSowSo8QoMUpQSNTmM9xxDqpq8BdiAABitLBeiwsAAA=="

    @Test("What grows too much between two codings is refused, though nothing comes of it in the end")
    func growthBetween() throws {
        #expect(throws: HTTPSessionError.self) { try Self.decoded("gzip, gzip, gzip", Self.bomb) }
        #expect(try Self.decoded("gzip, gzip, gzip", Self.bomb, ratio: 100_000) == "")
    }

    /// "hello hello hello" by Python's zlib and gzip, cut, damaged, with octets behind it, or in another coding.
    private static let damaged: [(String, String)] = [
        ("gzip", "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAA"),
        ("gzip", "H4sIAAAAAAACA8tI"),
        ("gzip", "H4sIAAAAAAACA8tIzcnJV8hAkAAAAAAAEQAAAA=="),
        ("gzip", "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAHg="),
        ("gzip", "eJzLSM3JyVfIQJAAOi4GfQ=="),
        ("gzip", "y0jNyclXyECQAA=="),
        ("deflate", "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA=="),
        ("deflate", "eJzLSM3JyVfIQJAAOi4G"),
        ("deflate", "eJzLSM3JyVfIQJAAAAAAAA=="),
        ("deflate", "y0jNyclXyECQ"),
        ("deflate", "y0jNyclXyECQAHg="),
        ("deflate", "eJzLSM3JyVfIQJAAOi4GfXg="),
        ("gzip, deflate", "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA=="),
        ("gzip", "Hw=="),
        ("deflate, gzip", "H4sIAAAAAAACA6uYc9rj7MmT4SccJjBY6QEAkycuMA4AAAA="),
    ]

    @Test("Content that is cut, damaged or in another coding is an error", arguments: damaged)
    func damage(codings: String, text: String) {
        #expect(throws: HTTPSessionError.self) { try Self.decoded(codings, text) }
    }

    /// The same in each coding; `deflate` with and without the frame of zlib.
    private static let whole: [(String, String)] = [
        ("gzip", "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA=="),
        ("X-GZip", "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA=="),
        ("deflate", "eJzLSM3JyVfIQJAAOi4GfQ=="),
        ("deflate", "y0jNyclXyECQAA=="),
        ("gzip", "H4sIAAAAAAACA8tIzcnJVwAA9vmB7QYAAAAfiwgAAAAAAAIDy0jNyclXyACRAECmLQELAAAA"),
        ("deflate, gzip", "H4sIAAAAAAACAzvtcfbkyfATDhMYABUpT7AKAAAA"),
        ("gzip, deflate", "eJyT7+ZgAAEm5tMeZ0+eDD/hMIGhoePnU0GgGABycwkQ"),
    ]

    @Test("Each coding is undone, deflate also without its frame (RFC 9110 section 8.4.1.2)", arguments: whole)
    func codings(codings: String, text: String) throws {
        #expect(try Self.decoded(codings, text) == "hello hello hello")
    }

    @Test("As many codings as curl undoes are undone, and no more")
    func number() throws {
        #expect(try Self.decoded("gzip, x-gzip, identity, GZIP,gzip ,gzip", Self.five) == "hello")
        #expect(throws: HTTPSessionError.self) { try Self.decoded("gzip, gzip, gzip, gzip, gzip, gzip", Self.five) }
        #expect(throws: HTTPSessionError.self) { try Self.decoded("gzip, br", Self.five) }
    }
}
